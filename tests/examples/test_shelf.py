"""The shelf of small games: each file answers as its author says, and the figures come out of other code as well.

What a figure is compared with is reckoned here from the rules in a few lines of plain Python that know nothing of the rule
language: chains by elimination, best play backwards, boards by search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load
from tablelaw.spec.settings import Setting
from tablelaw.testing.asked import every_answer

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
SHELF: list[tuple[str, Setting]] = [
    ("craps", {}),
    ("knuth-yao", {}),
    ("chutes-and-ladders", {}),
    ("chutes-and-ladders", {"chute-47": "from-48"}),
    ("shut-the-box", {}),
    ("coupon-collector", {}),
    ("coupon-collector", {"coupons": "7", "draws": "3"}),
    ("coupon-collector", {"coupons": "1", "draws": "1"}),
    ("connect", {}),
    ("breakthrough", {"columns": "2", "rows": "5"}),
    ("dots-and-boxes", {}),
    ("kalah", {}),
    ("kalah", {"houses": "3", "seeds": "1"}),
    ("line-up", {"columns": "3", "line": "2"}),
    ("line-up", {"columns": "3"}),
    ("sliding-puzzle", {"columns": "2", "rows": "2"}),
    ("sliding-puzzle", {"columns": "3", "rows": "2"}),
    ("hanoi", {}),
    ("hanoi", {"pegs": "4"}),
]
CHAINS = ("craps", "knuth-yao", "chutes-and-ladders", "coupon-collector")
FORCED = ("first-forces-a-win", "first-forces-a-win-in-9", "first-forces-a-win-in-8")
LARGE: list[tuple[str, Setting, tuple[str, ...]]] = [
    ("connect", {"line": "4"}, ("first-forces-a-win", "states")),
    ("connect", {"columns": "5", "rows": "5"}, FORCED),
    ("connect", {"columns": "6", "rows": "6"}, FORCED),
    ("connect", {"columns": "5", "rows": "5", "line": "4"}, ("first-forces-a-win",)),
    ("breakthrough", {}, ("first-forces-a-win", "states")),
    ("breakthrough", {"columns": "2", "rows": "6"}, ("first-forces-a-win", "won-in-15", "not-won-in-14", "states")),
    ("breakthrough", {"columns": "3", "rows": "5"}, ("first-forces-a-win",)),
    ("breakthrough", {"columns": "4", "rows": "4"}, ("first-forces-a-win",)),
    ("dots-and-boxes", {"columns": "2", "rows": "3"}, ("first-forces-a-win", "states")),
    ("dots-and-boxes", {"columns": "3", "rows": "2"}, ("first-forces-a-win",)),
    ("dots-and-boxes", {"columns": "3", "rows": "3"}, ("first-forces-a-win",)),
    ("line-up", {}, ("first-forces-a-win", "second-forces-a-draw", "second-forces-a-win")),
    ("line-up", {"rows": "4", "line": "4"}, ("first-forces-a-win", "second-forces-a-draw")),
    ("line-up", {"columns": "5", "rows": "5"}, ("first-forces-a-win", "second-forces-a-draw")),
    ("kalah", {"houses": "3", "seeds": "6"}, ("first-forces-a-win", "second-forces-a-win")),
    ("kalah", {"houses": "4", "seeds": "2"}, ("first-forces-a-win", "second-forces-a-win")),
    ("sliding-puzzle", {}, ("states", "two-tiles-swapped", "solved-in-31", "hardest-position")),
    ("hanoi", {"pegs": "4", "discs": "10"}, ("states",)),
]


@cache
def rules(name: str) -> Rules:
    sink = Diagnostics()
    found = load(str(EXAMPLES / name / "rules.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


def answers(
    name: str, setting: Setting, questions: tuple[str, ...] = (), seconds: float = 60.0, engine: str = "auto"
) -> dict[str, Result]:
    """What a file answers, by question."""
    request = Request(questions, setting=setting, engine=engine, seconds=seconds, cores=False)
    return {r.question: r for r in every_answer(rules(name), request)}


def figure(name: str, question: str, setting: Setting | None = None) -> Fraction:
    """One exact figure of a file."""
    value = answers(name, setting or {}, (question,))[question].verdict.value
    assert value is not None
    return Fraction(value)


def odd(found: dict[str, Result]) -> list[str]:
    return [
        f"{q}: {r.verdict.value or r.verdict.verdict}, {r.verdict.reason or ''}"
        for q, r in found.items()
        if r.as_expected is False or r.verdict.verdict == "unknown"
    ]


def shown(setting: object) -> str | None:
    return ",".join(f"{k}={v}" for k, v in setting.items()) or "default" if isinstance(setting, dict) else None


@pytest.mark.parametrize("name, setting", SHELF, ids=shown)
def test_a_game_of_the_shelf_answers_as_expected(name: str, setting: Setting) -> None:
    engine = "auto" if name in CHAINS else "explicit"  # the positions of the others are listed at once
    assert not odd(answers(name, setting, engine=engine))


@pytest.mark.slow
@pytest.mark.parametrize("name, setting, questions", LARGE, ids=shown)
def test_a_larger_board_answers_as_published(name: str, setting: Setting, questions: tuple[str, ...]) -> None:
    found = answers(name, setting, questions, seconds=120.0)
    assert set(found) == set(questions)
    assert not odd(found)
    assert all(r.as_expected for r in found.values())


# chains


Chain = dict[int, dict[int, Fraction]]


def absorbed(chain: Chain, gain: Callable[[int], Fraction]) -> dict[int, Fraction]:
    """The solution of x = gain + chain · x, by elimination; a state without a row has x = 0."""
    keys = list(chain)
    place = {k: i for i, k in enumerate(keys)}
    n = len(keys)
    rows = [[Fraction(i == j) for j in range(n)] + [gain(k)] for i, k in enumerate(keys)]
    for k, to in chain.items():
        for t, p in to.items():
            if t in place:
                rows[place[k]][place[t]] -= p
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                by = rows[r][i]
                rows[r] = [x - by * y for x, y in zip(rows[r], rows[i], strict=True)]
    return {k: rows[i][n] for k, i in place.items()}


def spread(outcomes: Iterable[int]) -> dict[int, Fraction]:
    """Outcomes that are equally likely, those alike together."""
    known = list(outcomes)
    found: dict[int, Fraction] = {}
    for o in known:
        found[o] = found.get(o, Fraction(0)) + Fraction(1, len(known))
    return found


JUMPS = {
    1: 38, 4: 14, 9: 31, 21: 42, 28: 84, 36: 44, 51: 67, 71: 91, 80: 100,
    16: 6, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78,
}  # fmt: skip


@pytest.mark.parametrize("square", [47, 48])
def test_spins_of_chutes_and_ladders(square: int) -> None:
    jumps = {**JUMPS, square: 26}
    chain: Chain = {}
    for at in range(100):
        if at not in jumps:
            ends = [at + n if at + n <= 100 else at for n in range(1, 7)]
            chain[at] = spread(jumps.get(e, e) for e in ends)
    expected = absorbed(chain, lambda _: Fraction(1))[0]
    assert figure("chutes-and-ladders", "expected-moves", {"chute-47": f"from-{square}"}) == expected


def test_odds_of_craps() -> None:
    two = spread(a + b for a, b in product(range(1, 7), repeat=2))
    wins = two[7] + two[11] + sum(two[p] * two[p] / (two[p] + two[7]) for p in (4, 5, 6, 8, 9, 10))
    throws = 1 + sum(two[p] / (two[p] + two[7]) for p in (4, 5, 6, 8, 9, 10))
    assert figure("craps", "pass-line") == wins
    assert figure("craps", "throws") == throws


@pytest.mark.parametrize("coupons, draws", [(5, 2), (7, 3), (3, 1)])
def test_rounds_of_the_coupon_collector(coupons: int, draws: int) -> None:
    """With albums as sets, where the file keeps a number."""
    full = (1 << coupons) - 1
    chain: Chain = {}
    for album in range(full):
        seen = []
        for got in product(range(coupons), repeat=draws):
            now = album
            for c in got:
                now |= 1 << c
            seen.append(now)
        chain[album] = spread(seen)
    setting = {"coupons": str(coupons), "draws": str(draws)}
    value = [Fraction(0)] * full + [Fraction(1)]
    for _ in range(5):
        value = [sum((p * value[t] for t, p in chain[a].items()), Fraction(0)) for a in range(full)] + [Fraction(1)]
    assert figure("coupon-collector", "all-in-five-rounds", setting) == value[0]
    rounds: dict[int, Fraction] = {full: Fraction(0)}
    for album in range(full - 1, -1, -1):  # an album only grows, so a larger number is known already
        more = sum((p * rounds[t] for t, p in chain[album].items() if t != album), Fraction(1))
        rounds[album] = more / (1 - chain[album].get(album, Fraction(0)))
    assert figure("coupon-collector", "expected-rounds", setting) == rounds[0]


def test_odds_of_shutting_the_box() -> None:
    """Backwards over sets of open tiles; on the way the positions that can come up are counted."""
    two = spread(a + b for a, b in product(range(1, 7), repeat=2))
    subsets = {total: [] for total in range(2, 13)}  # type: dict[int, list[frozenset[int]]]
    for size in range(1, 10):
        for tiles in combinations(range(1, 10), size):
            if sum(tiles) in subsets:
                subsets[sum(tiles)].append(frozenset(tiles))
    positions = set()

    @cache
    def best(up: frozenset[int]) -> Fraction:
        positions.add((up, 0))
        if not up:
            return Fraction(1)
        positions.update((up, total) for total in two)
        return sum(
            (p * max((best(up - tiles) for tiles in subsets[total] if tiles <= up), default=Fraction(0)))
            for total, p in two.items()
        )  # type: ignore[return-value]

    assert figure("shut-the-box", "close") == best(frozenset(range(1, 10)))
    assert figure("shut-the-box", "states") == len(positions)


# boards


Board = tuple[int, ...]
Place = tuple[int, Board]
Rules2 = tuple[Place, Callable[[Place], int | None], Callable[[Place], Iterator[Place]]]
"""The start, who has won (-1 a draw, None while it goes on), and the positions after one move. Seats are 1 and 2, nobody 0."""


def connect(columns: int, rows: int, line: int) -> Rules2:
    def lines() -> Iterator[list[int]]:
        for x, y, (dx, dy) in product(range(columns), range(rows), ((1, 0), (0, 1), (1, 1), (1, -1))):
            cells = [(x + k * dx, y + k * dy) for k in range(line)]
            if all(0 <= a < columns and 0 <= b < rows for a, b in cells):
                yield [a + b * columns for a, b in cells]

    known = list(lines())

    def won(place: Place) -> int | None:
        board = place[1]
        for cells in known:
            if board[cells[0]] and len({board[c] for c in cells}) == 1:
                return board[cells[0]]
        return None if 0 in board else -1

    def after(place: Place) -> Iterator[Place]:
        turn, board = place
        for x in range(columns):
            free = next((y for y in range(rows) if not board[x + y * columns]), None)
            if free is not None:
                at = x + free * columns
                yield 3 - turn, (*board[:at], turn, *board[at + 1 :])

    return (1, (0,) * (columns * rows)), won, after


def breakthrough(columns: int, rows: int) -> Rules2:
    def won(place: Place) -> int | None:
        board = place[1]
        if 1 in board[-columns:] or 2 not in board:
            return 1
        return 2 if 2 in board[:columns] or 1 not in board else None

    def after(place: Place) -> Iterator[Place]:
        turn, board = place
        way = columns if turn == 1 else -columns
        for at, piece in enumerate(board):
            if piece != turn:
                continue
            for side in (-1, 0, 1):
                if 0 <= at % columns + side < columns:
                    to = at + way + side
                    if board[to] == 0 or (side and board[to] == 3 - turn):
                        new = list(board)
                        new[at], new[to] = 0, turn
                        yield 3 - turn, tuple(new)

    empty = (0,) * (columns * (rows - 4))
    return (1, (1,) * (2 * columns) + empty + (2,) * (2 * columns)), won, after


def dots(columns: int, rows: int) -> Rules2:
    """A board is the lines drawn and, last, the boxes of both."""
    across = {(r, c): i for i, (r, c) in enumerate(product(range(rows + 1), range(columns)))}
    down = {(r, c): len(across) + i for i, (r, c) in enumerate(product(range(rows), range(columns + 1)))}
    boxes = [(across[r, c], across[r + 1, c], down[r, c], down[r, c + 1]) for r, c in product(range(rows), range(columns))]
    lines = len(across) + len(down)

    def won(place: Place) -> int | None:
        *_, first, second = place[1]
        if first + second < len(boxes):
            return None
        return 1 if first > second else 2 if second > first else -1

    def after(place: Place) -> Iterator[Place]:
        turn, board = place
        for at in range(lines):
            if not board[at]:
                new = list(board)
                new[at] = 1
                made = sum(at in box and all(new[i] for i in box) for box in boxes)
                new[lines + turn - 1] += made
                yield turn if made else 3 - turn, tuple(new)

    return (1, (0,) * (lines + 2)), won, after


def kalah(houses: int, seeds: int) -> Rules2:
    """Seeds are sown one by one. A board is the first player's houses and store, and those of the second."""
    side = houses + 1

    def won(place: Place) -> int | None:
        board = place[1]
        if any(board[:houses]) or any(board[side : side + houses]):
            return None
        first, second = board[houses], board[-1]
        return 1 if first > second else 2 if second > first else -1

    def after(place: Place) -> Iterator[Place]:
        turn, board = place
        mine, other = (0, side) if turn == 1 else (side, 0)
        for start in range(mine, mine + houses):
            new, at = list(board), start
            new[start] = 0
            for _ in range(board[start]):
                at = (at + 1) % (2 * side)
                if at == other + houses:
                    at = (at + 1) % (2 * side)
                new[at] += 1
            if mine <= at < mine + houses and new[at] == 1:
                facing = other + houses - 1 - (at - mine)
                if new[facing]:
                    new[mine + houses] += 1 + new[facing]
                    new[at] = new[facing] = 0
            if not any(new[:houses]) or not any(new[side : side + houses]):
                new[houses], new[-1] = sum(new[:side]), sum(new[side:])
                new[:houses] = new[side : side + houses] = [0] * houses
            if board[start]:
                yield turn if at == mine + houses else 3 - turn, tuple(new)

    full = (*[seeds] * houses, 0)
    return (1, full + full), won, after


KALAH = [(1, 3), (1, 4), (1, 6), (2, 1), (2, 3), (2, 5), (3, 1)]


def searched(game: Rules2) -> tuple[int, dict[int, bool]]:
    """How many positions can come up; and for each number of steps up to 20 whether the first player forces a win in them."""
    start, won, after = game
    seen: dict[Place, list[Place]] = {}
    todo = [start]
    while todo:
        place = todo.pop()
        if place not in seen:
            seen[place] = [] if won(place) is not None else list(after(place))
            todo += seen[place]
    wins = {place for place in seen if won(place) == 1}
    forced = {0: start in wins}
    for step in range(1, 21):
        wins |= {
            place
            for place, nexts in seen.items()
            if nexts and place not in wins and (any if place[0] == 1 else all)(n in wins for n in nexts)
        }
        forced[step] = start in wins
    return len(seen), forced


@pytest.mark.parametrize(
    "name, game, setting",
    [
        ("connect", connect(3, 3, 3), {"columns": "3", "rows": "3", "line": "3"}),
        ("breakthrough", breakthrough(2, 5), {"columns": "2", "rows": "5"}),
        ("dots-and-boxes", dots(2, 2), {"columns": "2", "rows": "2"}),
        ("dots-and-boxes", dots(3, 1), {"columns": "3", "rows": "1"}),
        *(("kalah", kalah(m, n), {"houses": str(m), "seeds": str(n)}) for m, n in KALAH),
        pytest.param("connect", connect(4, 4, 3), {}, marks=pytest.mark.slow),
        pytest.param("breakthrough", breakthrough(3, 4), {}, marks=pytest.mark.slow),
        pytest.param("breakthrough", breakthrough(2, 6), {"columns": "2", "rows": "6"}, marks=pytest.mark.slow),
    ],
)
def test_a_board_game_comes_out_of_other_code_alike(name: str, game: Rules2, setting: Setting) -> None:
    states, forced = searched(game)
    names = ("first-forces-a-win", "states") + (
        ("first-forces-a-win-in-8", "first-forces-a-win-in-9") if name == "connect" else ()
    )
    if name == "kalah":
        assert answers(name, setting, names[:1])[names[0]].verdict.verdict == ("holds" if forced[20] else "fails")
        return
    found = answers(name, setting, names)
    assert found["states"].verdict.value == str(states)
    assert found["first-forces-a-win"].verdict.verdict == ("holds" if forced[20] else "fails")
    for k in (8, 9) if name == "connect" else ():
        assert found[f"first-forces-a-win-in-{k}"].verdict.verdict == ("holds" if forced[k] else "fails")
    if setting == {"columns": "2", "rows": "6"}:
        assert forced[15]
        assert not forced[14]
