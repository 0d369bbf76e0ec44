"""Games of OpenSpiel (`pip install open-spiel`) for `tablelaw conform`."""

import re

from serving import NotPlayed, Refused, serve


def breakthrough(options):
    """Its first side stands at the top and moves down; here seat 0 moves up, so that rows are turned round."""
    rows, columns = int(options["rows"]), int(options["columns"])

    def move(text, seat):
        x, y, to = re.fullmatch(r"([a-z])(\d+)([a-z])\d+\*?", text).groups()
        return f"move(x={ord(x) - 97}, y={rows - int(y)}, to={ord(to) - 97})"

    return "breakthrough", {"rows": rows, "columns": columns}, move


def connect(options):
    """Which row a piece falls to is not part of its moves."""
    sizes = {"rows": int(options["rows"]), "columns": int(options["columns"]), "x_in_row": int(options["line"])}
    return "connect_four", sizes, lambda text, seat: f"drop(column={text[1:]})"


def dots_and_boxes(options):
    """Lines across are `h`, lines down are `v`."""

    def move(text, seat):
        way, row, column = re.fullmatch(r"P\d\((.),(\d+),(\d+)\)", text).groups()
        return f"draw_across(line={row}, column={column})" if way == "h" else f"draw_down(row={row}, post={column})"

    return "dots_and_boxes", {"num_rows": int(options["rows"]), "num_cols": int(options["columns"])}, move


def kalah(options):
    """It calls the game mancala. Pits 1 to 6 and 8 to 13 go round the board."""
    if options["houses"] != "6" or options["seeds"] != "4":
        raise NotPlayed("it has six houses with four seeds each")
    return "mancala", {}, lambda text, seat: f"sow(from_house={int(text) - (1 if seat == 0 else 8)})"


def nim(options):
    """The heaps are numbered."""
    heaps = ["left", "middle", "right"]
    sizes = ";".join(options[f"{h}-heap"] for h in heaps)

    def move(text, seat):
        pile, n = re.fullmatch(r"pile:(\d+), take:(\d+);", text).groups()
        return f"take(from_heap={heaps[int(pile) - 1]}, n={n})"

    return "nim", {"pile_sizes": sizes, "is_misere": False}, move


def pig(options):
    """Stopping is holding."""
    return "pig", {"horizon": 100_000}, lambda text, seat: {"roll": "roll", "stop": "hold"}[text]


def tic_tac_toe(options):
    """`x(1,2)` is the last square of the second row."""
    return "tic_tac_toe", {}, lambda text, seat: f"mark(square={3 * int(text[2]) + int(text[4])})"


GAMES = {"tic-tac-toe": tic_tac_toe, "dots-and-boxes": dots_and_boxes}
GAMES |= {f.__name__: f for f in (breakthrough, connect, kalah, nim, pig)}


class Engine:
    """One play."""

    def __init__(self, asked):
        import pyspiel

        if asked["game"] not in GAMES:
            raise NotPlayed(f"OpenSpiel is not asked for {asked['game']}")
        name, sizes, self.text = GAMES[asked["game"]](asked["options"])
        try:
            self.state = pyspiel.load_game(name, sizes).new_initial_state()
        except pyspiel.SpielError as why:
            raise NotPlayed(str(why)[:200]) from None

    def moves(self):
        if self.state.is_terminal():
            return {}
        seat = self.state.current_player()
        return {self.text(self.state.action_to_string(a), seat): a for a in self.state.legal_actions()}

    def legal(self):
        return list(self.moves())

    def play(self, asked):
        moves = self.moves()
        short = re.sub(r", row=\d+", "", asked["move"])
        if asked["move"] not in moves and short not in moves:
            raise Refused("it is not among the legal actions")
        self.state.apply_action(moves.get(asked["move"], moves.get(short)))
        if self.state.is_chance_node():
            self.state.apply_action(asked["draw"]["pips"] - 1)

    def outcome(self):
        if not self.state.is_terminal():
            return {"ended": False, "player": self.state.current_player()}
        return {"ended": True, "winners": [p for p, r in enumerate(self.state.returns()) if r > 0]}


if __name__ == "__main__":
    serve(Engine)
