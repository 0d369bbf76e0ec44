"""`tablelaw play`: by hand through a pipe, and plays given in one go."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tablelaw.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
PLUMS = str(ROOT / "docs" / "transcripts" / "plums.yaml")
PIG = str(ROOT / "examples" / "pig")
DICE = str(ROOT / "examples" / "carcassonne-dice")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    """Plays with lines typed into a pipe; gives the exit status and what was printed."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(lines: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        status = main(["play", *words])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def run(typed: object, lines: str, *words: str) -> tuple[int, str, str]:
    """The fixture with its type."""
    assert callable(typed)
    found: tuple[int, str, str] = typed(lines, *words)
    return found


def test_the_end_of_what_is_typed_ends_the_play(typed: object) -> None:
    """Without a word the position and the legal moves are shown, and nothing is prompted."""
    status, out, err = run(typed, "", PLUMS)
    assert (status, err) == (0, "")
    assert "left 5" in out
    assert "1 take(n=1)   2 take(n=2)" in out
    assert ">" not in out


def test_a_number_a_text_and_a_beginning_are_moves(typed: object) -> None:
    """Move 2, `take(n=2)` and `t(n=1)` are played, and the end says who won by which clause."""
    _, out, _ = run(typed, "2\ntake(n=2)\ntak\n", PLUMS)
    assert out.count("player 0: take") == 2
    assert "The game has ended, player 0 wins. empty-bowl (house#4)" in out


def test_what_is_not_clear_is_not_played(typed: object) -> None:
    """A beginning of several moves, a number not in the list and an unknown word leave the position as it is."""
    _, out, _ = run(typed, "take\n7\ngrab\ntake(m=1)\nrecord\n", PLUMS)
    assert "it is open which of 2 moves is meant: take(n=1), take(n=2)" in out
    assert "there is no move 7 in the list" in out
    assert "no action begins with `grab`" in out
    assert "player 0" in out
    assert "eaten[0] 0 →" not in out


def test_undo_goes_back_before_the_choice_and_the_table_steps_after_it(typed: object) -> None:
    """The table step that followed a choice is taken back with it."""
    _, out, _ = run(typed, "roll -> cap*9\nstop\nundo\nstate\nundo\nundo\n", DICE)
    assert "table: next-turn" in out
    assert out.rstrip().endswith("this is where you began")
    assert "shown cap*9" in out.split("table: next-turn")[1]


def test_why_names_the_clause(typed: object) -> None:
    """An illegal move, played or asked about, is answered as `tablelaw why` does."""
    _, out, _ = run(typed, "why hold\nhold\n", PIG)
    assert out.count("illegal: forbidden by something-to-hold") == 2


def test_a_draw_is_asked_for_and_may_be_left(typed: object) -> None:
    """What a roll shows may come with it, on the next line, at random, or not at all."""
    _, out, _ = run(typed, "roll\n5\nroll -> 2\nroll\nundo\nroll\nseven\n9\nrandom 1\n", PIG)
    assert "6 draws of `pips` are possible" in out
    assert "pot 0 → 5" in out
    assert "pot 5 → 7" in out
    assert "not played" in out
    assert out.count("player 0: roll") == 3


def test_a_seed_draws_the_same_each_time(typed: object) -> None:
    """Two plays from one seed are alike, and `seed off` asks again."""
    first = run(typed, "roll\nroll\nseed off\nroll\n", PIG, "--seed", "11")
    again = run(typed, "roll\nroll\nseed off\nroll\n", PIG, "--seed", "11")
    assert first == again
    assert "6 draws of `pips` are possible" in first[1]


def test_a_saved_position_is_read_again(typed: object, tmp_path: Path) -> None:
    """`save` writes what `--at` reads."""
    file = tmp_path / "at.json"
    run(typed, f"roll -> got=knight*2+cap*3+catapult*4\nset-aside\nsave {file}\nsave {tmp_path}\n", DICE)
    assert json.loads(file.read_text())["kept"] == 1
    status, out, _ = run(typed, "state\n", DICE, "--at", str(file))
    assert status == 0
    assert "shown cap*3+knight" in out


def test_long_lists_are_shortened(typed: object) -> None:
    """More than nine moves of an action end with `…`; `moves ACTION` lists all."""
    at = "{rolls: 1, ready: 0, shown: {cap: 2, tee: 1}, passed: 6}"  # eight moves on (0, 0)
    assert "in all" not in run(typed, "moves build\n", DICE, "--at", at)[1]
    at = '{rolls: 1, ready: 0, shown: {cap: 2, tee: 1}, table: {"(0, 0)": cap/0}, passed: 5}'
    _, out, _ = run(typed, "moves build\n", DICE, "--at", at)
    assert "… 1136 in all: `moves build`" in out
    assert "build(face=tee, cell=(0, -1), rotation=1)" in out


def test_help_and_quit(typed: object) -> None:
    """`help` lists the commands; nothing after `quit` is read."""
    _, out, _ = run(typed, "help\nquit\ntake(n=1)\n", PLUMS)
    assert "undo " in out
    assert "player 0: take" not in out


def test_given_moves_print_a_record(typed: object) -> None:
    """`--moves` plays, forced table steps may be left out, and the record names the clauses."""
    status, out, _ = run(typed, "", DICE, "--moves", "roll -> got=cap*8+knight; stop; roll -> got=tee*9")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines() if line[4:6].strip().isdigit()] == ["1", "2", "3", "4"]
    assert "table     next-turn" in out


@pytest.mark.parametrize(
    "moves, status, told",
    [
        ("take(n=2); take(n=2); take(n=2)", 1, "illegal: forbidden by in-the-bowl"),
        ("take", 2, "it is open which of 2 moves is meant"),
        ("take(n=9)", 2, "error["),
        ("grab", 2, "no action is called `grab`"),
        ("...", 2, "a single move is played at a time"),
        ("(((", 2, "is not a move"),
        ("take(n=1) * 5", 0, "player 0 wins"),
        ("take(n=2); take(n=2); take(n=1); take(n=1)", 1, "the play is over by empty-bowl"),
    ],
)
def test_given_moves_that_cannot_be_played(typed: object, moves: str, status: int, told: str) -> None:
    """Illegal: the answer of `why` and 1. Not readable, or not clear: a diagnostic and 2."""
    found, out, err = run(typed, "", PLUMS, "--moves", moves)
    assert found == status
    assert told in out + err


def test_given_moves_need_their_draws(typed: object) -> None:
    """A draw that is neither given nor seeded is a fault of the command line."""
    assert run(typed, "", PIG, "--moves", "roll")[0] == 2
    assert run(typed, "", PIG, "--moves", "roll", "--seed", "1")[0] == 0
    status, out, _ = run(typed, "", PIG, "--moves", "roll -> pips > 5; roll -> pips=1")
    assert status == 0
    assert "pot 0 → 6" in out


def test_a_replay_command_replays(capsys: pytest.CaptureFixture[str]) -> None:
    """The command that `check` prints beside a witness plays it to the same end."""
    assert main(["check", PLUMS, "--question", "four-plums", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["results"][0]["trace"]["steps"]
    assert main(["play", PLUMS, "--moves", "; ".join(s["move"] for s in steps[1:])]) == 0
    assert "eaten[0] 2 → 4" in capsys.readouterr().out


def test_no_line_typed_makes_a_traceback() -> None:
    """Nonsense, control characters and bytes that are no text are answered."""
    nonsense = b"\x00\xff\xfe\n->\n()\nwhy\nwhy ->\n: \nsave\nseed x\nmoves x\nundo\n" + b"(" * 5000
    nonsense += b"\n* 3\nroll * 99999\nroll -> \nroll -> )\n"
    command = [sys.executable, "-m", "tablelaw", "play", PIG]
    done = subprocess.run(command, input=nonsense, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


BUILT = '{rolls: 1, ready: 0, shown: {cap: 2, tee: 1}, table: {"(0, 0)": cap/2}, passed: 5}'


def test_hundreds_of_squares_do_not_flood_the_screen(typed: object) -> None:
    """The nearest are numbered, the rest is counted by face, and `moves` lists more of it: what is near, or begins so."""
    _, out, _ = run(typed, "moves\nmoves build\nmoves build(face=tee\nmoves build(face=straight\n", DICE, "--at", BUILT)
    first, every, whole, tees, none = out.split("player 0 to move:")[1:] + out.split("no legal move begins")[1:]
    assert len(first.splitlines()) < 16
    assert "build(face=cap, cell=(0, -1), rotation=0)" in first
    assert "of them face=cap 570, face=tee 566: `moves" in first
    assert "-8)" not in first
    assert len(every.splitlines()) < 40
    assert len(whole.splitlines()) < 40
    assert "build(face=tee, cell=(0, 1), rotation=0)" in whole
    assert "and 1,106 more, farther off" in whole
    assert "face=cap," not in tees
    assert "with `build(face=straight`" in none


def test_numbers_of_a_shortened_list_are_those_of_the_long_one(typed: object) -> None:
    """A number shown anywhere plays the move beside it."""
    _, out, _ = run(typed, "moves build(face=tee\n", DICE, "--at", BUILT)
    number, move = next(line.split(maxsplit=1) for line in out.splitlines() if "build(face=tee, cell=(0, 1)," in line)
    _, out, _ = run(typed, f"{number}\n", DICE, "--at", BUILT)
    assert f"player 0: {move}" in out


def test_typed_squares_undo_and_save_on_a_board(typed: object, tmp_path: Path) -> None:
    """Moves typed with squares are drawn, a beginning is enough, `undo` takes the piece back, and a saved board goes on."""
    file = tmp_path / "board.json"
    far = "build(face=cap, cell=(5, 3), rot"
    lines = ["build(face=tee, cell=(0, 1), rotation=0)", "undo", "build", far, f"{far}ation=1", f"save {file}", "record"]
    _, out, _ = run(typed, "\n".join(lines) + "\n", DICE, "--at", BUILT)
    assert "table: + tee/0 on (0, 1)" in out
    assert "├──" in out
    assert "build: face? type a number of the list" in out
    assert "which one: build(face=cap, cell=(5, 3), rotation=0), build(face=cap," in " ".join(out.split())
    assert "table: + cap/1 on (5, 3)" in out
    assert json.loads(file.read_text())["table"] == {"(0, 0)": "cap/2", "(5, 3)": "cap/1"}
    lines = ["build(face=tee, cell=(5, 3), rotation=0)", "build(face=tee, cell=(5, x), rotation=0)"]
    _, out, _ = run(typed, "\n".join(lines) + "\n", DICE, "--at", str(file))
    assert "table of 2 pieces" in out
    assert "illegal: forbidden by build" in out
    assert "Traceback" not in out


MEADOW, MEADOW_AT = (str(ROOT / "docs" / "transcripts" / name) for name in ("meadow.yaml", "meadow-at.yaml"))


def test_a_move_is_chosen_step_by_step(typed: object) -> None:
    """What to lay, where on the numbered board, how turned from pictures; `back` goes one step back."""
    _, out, _ = run(typed, "rest\nlay\nsquare\n1\nback\nback\nback\nsquare\n(-2, -1)\n", MEADOW, "--at", MEADOW_AT)
    assert "lay: face? type a number of the list" in out
    assert "lay, face=square: cell? type the number of a square" in out
    assert out.count("lay, face=square: cell?") == 3
    assert "lay, face=square, cell=(-1, -2): rotation? type a number of the list" in out
    assert out.count("lay: face?") == 2
    assert "no move is being chosen" in out
    assert "player 1: lay(face=square, cell=(-2, -1), rotation=3)" in out


def test_squares_are_chosen_on_the_board_at_once(typed: object, tmp_path: Path) -> None:
    """Where all moves differ first in a square, the board has their numbers; a number that is not there is no move."""
    text = Path(MEADOW).read_text(encoding="utf-8").replace("face: box, cell", "face: '{bend}', cell")
    file = tmp_path / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    _, out, _ = run(typed, "77\n1\n1\nmoves\n", str(file))
    assert "lay: cell? type the number of a square" in out
    assert "  1" in out.split("player 0 to move")[0]
    assert "there is no move 77 in the list" in out
    assert "player 0: lay(face=bend, cell=" in out


def test_a_choice_is_left_by_any_other_line(typed: object) -> None:
    """A command or a move typed out ends the choice."""
    _, out, _ = run(typed, "rest\nlay\nstate\n1\nback\nundo\nback\n", MEADOW, "--at", MEADOW_AT)
    assert "no move is being chosen" in out


def test_with_a_seed_the_table_draws(typed: object, tmp_path: Path) -> None:
    """Draws of the table need nobody; without a seed they are asked for."""
    file = tmp_path / "rules.yaml"
    file.write_text(
        "tablelaw: 1\ngame: urn\ntitle: Urn\nplayers: 2\n"
        "state:\n  turn: {type: Player, init: 0}\n  ball: {type: 'maybe[1..6]', init: none}\n"
        "actions:\n  draw: {by: table, during: ball == none, chance: {n: die(6)}, do: ball = n}\n"
        '  keep: {by: turn, during: "ball != none", do: "ball = none\\nturn = after(turn)"}\n',
        encoding="utf-8",
    )
    _, out, _ = run(typed, "keep\nkeep\n", str(file), "--seed", "2")
    assert out.count("table: draw -> n=") == 3
    _, out, _ = run(typed, "1\n4\n", str(file))
    assert "table: draw -> n=4" in out


def test_the_position_is_short_and_the_state_is_whole(typed: object) -> None:
    """Of many figures the number is told, `state` has them all."""
    standing = ", ".join(f'{{owner: {i % 2}, part: "part((0, 0), {k})"}}' for i, k in enumerate(["town, N", "path, E"] * 2))
    _, out, _ = run(typed, "state\n", MEADOW, "--at", f"{{standing: [{standing}]}}")
    assert "standing 4, as drawn" in out
    assert out.count("Standing(owner=0") == 2
