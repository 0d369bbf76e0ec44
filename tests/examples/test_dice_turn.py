"""One turn of the dice game by the numbers of its dice: which dice close a city, and the figures, by another way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial, prod
from pathlib import Path

import pytest

from tablelaw.checkers.selection import Request
from tablelaw.cli import main
from tablelaw.solver.evaluate import starts
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.load import Rules
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.source import Source
from tablelaw.spec.types import Int
from tablelaw.spec.values import Map
from tablelaw.spec.yaml_nodes import Scalar
from tablelaw.testing.asked import every_answer, faultless

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne-dice"
READINGS = ("joined", "split-corner", "split-straight")
KINDS = {"joined": 129, "split-corner": 111, "split-straight": 167}
"""How many kinds of dice (caps, corners, straights, tees) close a city of nine at most."""
POINTS = (0, 0, 0, 1, 3, 6, 10, 15, 21, 28)
Dice = tuple[int, ...]
NONE: Dice = (0, 0, 0, 0)


def rules(name: str) -> Rules:
    return faultless(str(FOLDER / f"{name}.yaml"))


def answers(name: str, *asked: str, **setting: str) -> dict[str, str | None]:
    """The values (or verdicts) of some questions, each of which must be as the file expects."""
    found = every_answer(rules(name), Request(asked, setting=setting, seconds=600.0, cores=False))
    assert [r.question for r in found if r.as_expected is not True] == []
    return {r.question: r.verdict.value or r.verdict.verdict for r in found}


# which dice close a city, by growing every closed city from its uppermost square


def turned(faces: str) -> list[tuple[int, tuple[tuple[int, ...], ...]]]:
    """Each face in each turn, as its walls, each the sides 0 to 3 that it has."""
    walls: list[tuple[tuple[int, ...], ...]] = [((0,),), ((0, 1),), ((0, 2),), ((0, 1, 2),)]
    split = {"split-corner": 1, "split-straight": 2}.get(faces)
    if split is not None:
        walls[split] = tuple((side,) for side in walls[split][0])
    found = {
        (n, tuple(sorted(tuple(sorted((s + q) % 4 for s in w)) for w in ws))) for n, ws in enumerate(walls) for q in range(4)
    }
    return sorted(found)


@cache
def closing(faces: str, most: int) -> frozenset[Dice]:
    """What dice, of so many at most, are one closed city."""
    steps = ((0, -1), (1, 0), (0, 1), (-1, 0))
    ways = turned(faces)
    found: set[Dice] = set()
    table: dict[tuple[int, int], tuple[int, tuple[tuple[int, ...], ...]]] = {}

    def beside(x: int, y: int) -> Iterator[tuple[int, tuple[int, int]]]:
        yield from ((s, (x + dx, y + dy)) for s, (dx, dy) in enumerate(steps))

    def black(x: int, y: int) -> set[int]:
        return {s for w in table[x, y][1] for s in w}

    def open_squares(root: int) -> set[tuple[int, int]]:
        """The empty squares that the city of a wall of the first die has an open side to."""
        seen = {((0, 0), root)}
        stack, empty = list(seen), set()
        while stack:
            (x, y), n = stack.pop()
            for s, there in beside(x, y):
                if s not in table[x, y][1][n]:
                    continue
                if there not in table:
                    empty.add(there)
                    continue
                more = {(there, k) for k, w in enumerate(table[there][1]) if (s + 2) % 4 in w} - seen
                seen |= more
                stack += more
        return empty

    def grow(root: int) -> None:
        empty = open_squares(root)
        if not empty:
            found.add(tuple(sum(1 for f, _ in table.values() if f == n) for n in range(4)))
        if not empty or len(table) + len(empty) > most:
            return
        x, y = min(empty, key=lambda c: (c[1], c[0]))
        if (y, x) < (0, 0):
            return
        for way in ways:
            table[x, y] = way
            mine = black(x, y)
            if all(there not in table or (s in mine) == ((s + 2) % 4 in black(*there)) for s, there in beside(x, y)):
                grow(root)
            del table[x, y]

    for way in ways:
        table[0, 0] = way
        for root in range(len(way[1])):
            grow(root)
        table.clear()
    return frozenset(found)


@cache
def written(name: str, faces: str) -> tuple[Expr, Map]:
    """A formula of shapes.yaml under a reading, applied to c, o, s and t."""
    sink = Diagnostics()
    game = rules("cities").game({"faces": faces}, 1, sink)
    assert game is not None
    words = f"{name}(c, o, s, t)"
    source = Source("test", words)
    scalar = Scalar(words, "plain", source.span(0, len(words)), list(range(len(words) + 1)))
    parsed = parse_formula(scalar, sink)
    assert parsed is not None
    typed = formula(parsed, game.names, sink, dict.fromkeys("cost", Int(0, 9)), None, "a formula", "question")
    assert [d.message for d in sink] == []
    return typed, starts(game)[0]


def says(name: str, faces: str, dice: Dice) -> object:
    typed, state = written(name, faces)
    return value(typed, Place(state, 1, dict(zip("cost", dice, strict=True))))


def heaps(most: int) -> Iterator[Dice]:
    yield from (d for d in product(range(most + 1), repeat=4) if sum(d) <= most)


@pytest.mark.parametrize("faces", READINGS)
@pytest.mark.parametrize("most", [7, pytest.param(9, marks=pytest.mark.slow)])
def test_the_dice_that_close_a_city_are_those_that_the_file_names(faces: str, most: int) -> None:
    """Each heap of up to so many dice is one closed city just where `make_a_city` says so."""
    grown = closing(faces, most)
    named = {d for d in heaps(most) if sum(d) >= 2 and says("make_a_city", faces, d)}
    assert named == set(grown)
    assert most < 9 or len(grown) == KINDS[faces]


@pytest.mark.parametrize("faces", READINGS)
def test_the_most_dice_are_those_of_the_largest_part_that_closes(faces: str) -> None:
    """`most_dice` chooses from every heap the largest part that `make_a_city` accepts."""
    named = [d for d in heaps(9) if sum(d) >= 2 and says("make_a_city", faces, d)]
    for heap in heaps(9):
        largest = max((sum(d) for d in named if all(x <= y for x, y in zip(d, heap, strict=True))), default=0)
        assert says("most_dice", faces, heap) == largest, heap


def test_the_three_files_have_the_same_dice_and_points() -> None:
    whole, turn = (rules(n).game({}, rules(n).counts[0], Diagnostics()) for n in ("rules", "turn"))
    assert whole is not None
    assert turn is not None
    for faces in READINGS:
        games = [rules(n).game({"faces": faces}, rules(n).counts[0], Diagnostics()) for n in ("rules", "cities")]
        pieces = [g.names.pieces["CityDie"] for g in games if g is not None]
        assert pieces[0].shows == pieces[1].shows
        assert [pieces[0].faces[f] for f in pieces[0].faces] == [pieces[1].faces[f] for f in pieces[1].faces]
    assert whole.names.constants["POINTS"].value == turn.names.constants["POINTS"].value == POINTS


@pytest.mark.parametrize("name", ["turn", "cities", "shapes"])
def test_each_file_is_written_canonically(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["format", "--check", str(FOLDER / f"{name}.yaml")]) == 0, capsys.readouterr()


# the figures, by a program of their own


@cache
def rolled(n: int) -> tuple[tuple[Fraction, Dice, int, int], ...]:
    """What so many dice show: its chance, the city dice, the knights, the catapults."""
    found = []
    for *city, knights in product(range(n + 1), repeat=5):
        rest = n - sum(city) - knights
        if rest >= 0:
            ways = factorial(n) // prod(factorial(k) for k in (*city, knights, rest))
            found.append((Fraction(ways, 6**n), tuple(city), knights, rest))
    return tuple(found)


def plus(a: Dice, b: Dice) -> Dice:
    return tuple(x + y for x, y in zip(a, b, strict=True))


@cache
def most(dice: Dice) -> int:
    kinds = closing("joined", 5 if sum(dice) <= 5 else 9)
    return max((sum(d) for d in kinds if all(x <= y for x, y in zip(d, dice, strict=True))), default=0)


@cache
def capped(comb: Dice, shown: Dice) -> int:
    """The largest city that shown dice make of a comb."""
    caps = comb[3] + 2 - comb[0]
    sizes = [sum(comb) + shown[1] + shown[2] + caps + 2 * u for u in range(shown[3] + 1) if 0 <= caps + u <= shown[0]]
    return max(sizes, default=0) if sum(comb) else 0


def keeping(combs: bool, kept: Dice, finished: int, shown: Dice) -> Iterator[tuple[Dice, int, int]]:
    """What may be kept of shown dice: all that is kept then, the largest city closed so far, how many are rolled again."""
    for more in product(*(range(k + 1) for k in shown)):
        comb, left = plus(kept, more), tuple(k - m for k, m in zip(shown, more, strict=True))
        if not combs or not sum(comb) or comb[0] < comb[3] + 2:
            yield comb, finished, sum(left)
        elif comb[0] == comb[3] + 2:
            yield from keeping(combs, NONE, max(finished, sum(comb)), left)


@cache
def worth(combs: bool, spoils: bool, kept: Dice, finished: int, dice: int, rolls: int) -> Fraction:
    """The points that a player can expect who now rolls so many dice."""
    total = Fraction(0)
    for chance, shown, knights, catapults in rolled(dice):
        city = max(finished, most(shown), capped(kept, shown)) if combs else most(plus(kept, shown))
        best = Fraction(0 if spoils and catapults else POINTS[city])
        for then, closed, left in keeping(combs, kept, finished, shown) if rolls > 1 else ():
            if left + knights:
                best = max(best, worth(combs, spoils, then, closed, left + knights, rolls - 1))
        total += chance * best
    return total


def figure(question: str, dice: int) -> Fraction:
    return worth("least" in question, "spoilt" in question, NONE, 0, dice, 3)


BOUNDS = ("points-at-most-{}", "points-at-least-{}", "points-at-most-{}-spoilt", "points-at-least-{}-spoilt")


@pytest.mark.parametrize("question", BOUNDS)
def test_points_of_five_dice_are_those_of_another_program(question: str) -> None:
    name = question.format(5)
    found = answers("turn", name)[name]
    assert Fraction(str(found)) == figure(question, 5)


FAMILIES = ("points-at-most", "points-at-least", "comb", "line", "")
"""How the names of the questions begin; the last is of all others, and of scenarios."""


def family(question: str) -> str:
    return next(f for f in FAMILIES if question.startswith(f))


def test_there_are_many_figures_of_a_turn() -> None:
    met = Counter(family(q) for q in rules("turn").document.questions)
    assert met.total() > 50
    assert min(met[f] for f in FAMILIES[:-1]) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("begins", FAMILIES)
def test_every_figure_of_a_turn_is_as_the_file_expects(begins: str) -> None:
    """And the points of up to seven dice are those that another program finds."""
    doc = rules("turn").document
    found = answers("turn", *(q for q in (*doc.questions, *doc.scenarios, "in-range") if family(q) == begins))
    names = [q.format(dice) for q in BOUNDS for dice in (6, 7) if family(q) == begins]
    assert {q: Fraction(str(found[q])) for q in names} == {q: figure(q, int(re.sub(r"\D", "", q))) for q in names}


def test_a_line_comes_as_often_by_the_whole_rules_as_by_the_numbers() -> None:
    """The same way of playing, with dice on squares and without, gives the same fraction."""
    names = [f"line-of-{n}-from-five" for n in range(2, 6)]
    by_numbers = answers("turn", *names)
    assert answers("rules", names[1]).items() <= by_numbers.items()


@pytest.mark.slow
def test_each_line_comes_as_often_by_the_whole_rules_as_by_the_numbers() -> None:
    names = [f"line-of-{n}-from-five" for n in range(2, 6)]
    assert answers("rules", *names) == answers("turn", *names)


def test_a_short_comb_always_goes_on() -> None:
    assert set(answers("cities", "comb-goes-on", "comb-has-its-ends", "in-range", dice="5").values()) == {"holds"}


@pytest.mark.slow
def test_what_is_taken_for_granted_of_the_dice_holds() -> None:
    assert set(answers("cities").values()) == {"holds"}
