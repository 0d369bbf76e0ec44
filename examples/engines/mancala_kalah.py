"""Kalah as the PyPI package `mancala` plays it (`pip install mancala`), for `tablelaw conform`."""

import warnings

from serving import NotPlayed, Refused, serve


class Engine:
    """One play. Whose turn is passed over has no action but to pass, which is done here unasked."""

    def __init__(self, asked):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from mancala.mancala import MancalaState

        sizes = [asked["options"].get(name) for name in ("houses", "seeds")]
        if asked["game"] != "kalah" or sizes != ["6", "4"]:
            raise NotPlayed("it has six houses with four seeds each")
        self.state = MancalaState()

    def actions(self):
        state = self.state
        return [] if state.is_terminal() else [int(a) for a in state.legal_actions(state.current_player)]

    def legal(self):
        first = 7 * self.state.current_player
        return [f"sow(from_house={a - first})" for a in self.actions()]

    def play(self, asked):
        pocket = 7 * self.state.current_player + asked["args"]["from_house"]
        if pocket not in self.actions():
            raise Refused("it is not among the legal actions")
        self.state.proceed_action(pocket)
        if self.state.must_skip:
            self.state.proceed_action(None)

    def outcome(self):
        state = self.state
        if state.is_terminal():
            return {"ended": True, "winners": [int(state._winner)]}
        board = [int(n) for n in state.board]
        houses = {str(p): {str(h): board[7 * p + h] for h in range(6)} for p in (0, 1)}
        position = {"turn": state.current_player, "house": houses, "store": {"0": board[6], "1": board[13]}}
        return {"ended": False, "position": position}


if __name__ == "__main__":
    serve(Engine)
