"""Tic-tac-toe and Connect Four of PettingZoo (`pip install pettingzoo`), for `tablelaw conform`."""

from serving import NotPlayed, Refused, serve


class Engine:
    """One play. The environment says who has won by rewards, and what is legal by a mask."""

    def __init__(self, asked):
        from pettingzoo.classic import connect_four_v3, tictactoe_v3

        if asked["game"] == "tic-tac-toe":
            self.env = tictactoe_v3.env()
            self.text = lambda a: f"mark(square={3 * (a % 3) + a // 3})"  # it numbers squares column by column
        elif asked["game"] == "connect" and asked["options"] == {"columns": "7", "rows": "6", "line": "4"}:
            self.env = connect_four_v3.env()
            self.text = lambda a: f"drop(column={a})"
        else:
            raise NotPlayed("it has tic-tac-toe, and Connect Four with seven columns of six squares")
        self.env.reset(seed=0)

    def over(self):
        return any(self.env.terminations.values()) or any(self.env.truncations.values())

    def moves(self):
        if self.over():
            return {}
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return {self.text(a): a for a, open_now in enumerate(mask) if open_now}

    def legal(self):
        return list(self.moves())

    def play(self, asked):
        moves = self.moves()
        column = asked["args"].get("column")
        action = moves.get(asked["move"] if column is None else f"drop(column={column})")
        if action is None:
            raise Refused("the mask forbids it")
        self.env.step(action)

    def outcome(self):
        agents = self.env.possible_agents
        if not self.over():
            return {"ended": False, "player": agents.index(self.env.agent_selection)}
        return {"ended": True, "winners": [p for p, a in enumerate(agents) if self.env.rewards.get(a, 0) > 0]}


if __name__ == "__main__":
    serve(Engine)
