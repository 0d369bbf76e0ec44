"""Connect Four as the PyPI package `connect-four-lib` judges it (`pip install connect-four-lib`), for `tablelaw conform`."""

from serving import NotPlayed, Refused, serve


class Engine:
    """One play."""

    def __init__(self, asked):
        from connect_four_lib.connect_four_judge import ConnectFourJudge
        from duo_game_lib.game_state import GameState

        if asked["game"] != "connect" or asked["options"] != {"columns": "7", "rows": "6", "line": "4"}:
            raise NotPlayed("it has seven columns of six squares and lines of four")
        self.judge, self.states = ConnectFourJudge(), GameState

    def over(self):
        return self.judge.is_game_over()

    def legal(self):
        if self.over() != self.states.CONTINUE:
            return []
        return [f"drop(column={c})" for c in self.judge.get_valid_moves()]

    def play(self, asked):
        if f"drop(column={asked['args']['column']})" not in self.legal():
            raise Refused("it is not a valid move")
        self.judge.add_move(str(asked["args"]["column"]))

    def outcome(self):
        over, made = self.over(), len(self.judge.get_all_moves())
        winners = [(made - 1) % 2] if over == self.states.WIN else []
        columns = {str(x): {str(y): None if v == 0 else v - 1 for y, v in enumerate(c)} for x, c in enumerate(self.judge.board)}
        return {"ended": over != self.states.CONTINUE, "winners": winners, "position": {"board": columns}}


if __name__ == "__main__":
    serve(Engine)
