"""Calavera: the table in its README, its quick questions, and its odds against plain recursions over dice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial
from pathlib import Path

import pytest

from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load
from tablelaw.testing.asked import every_answer
from tablelaw.testing.sentences import Rows, cited, tabled

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "calavera"
SECTIONS = {
    "intro": 6, "componentes": 3, "preparar": 2, "juego": 8, "color": 3, "color-ejemplo": 3, "bufon": 4, "bufon-ejemplo": 4,
    "turno": 4, "craneo": 11, "maldicion": 9, "maldicion-ejemplo": 3, "bonificacion": 17, "congelar": 20, "muerte": 5, "fin": 7,
    "sabias": 6,
}  # fmt: skip
"""How many sentences each section of the rulebook has, counted as the README says."""
QUICK = (
    "third-roll-as-printed", "bonus-first-together", "freeze-on-nine-keeps-third-bonus", "printed-examples",
    "three-skulls-odds", "three-skulls-odds-2", "three-skulls-odds-3",
)  # fmt: skip


@cache
def rules() -> Rules:
    sink = Diagnostics()
    found = load(str(FOLDER / "rules.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


@cache
def rows() -> Rows:
    """What the README says of each sentence."""
    return tabled(FOLDER / "README.md", "es")


def test_each_sentence_of_the_rulebook_has_one_row() -> None:
    """The table has the sentences of all sections and no others."""
    assert set(rows()) == {f"es#{name}-{n}" for name, most in SECTIONS.items() for n in range(1, most + 1)}


def test_each_row_names_all_that_cites_its_place() -> None:
    """Clauses and remarks in the third column, questions and scenarios in the fourth; nothing is cited that has no row."""
    assert cited(rules().document, "es") == {p: row for p, row in rows().items() if any(row)}


def test_each_sentence_has_a_clause_or_a_remark() -> None:
    """A question or scenario alone does not stand for a sentence."""
    assert [p for p, (clauses, _) in rows().items() if not clauses] == []


def test_the_readme_names_nothing_that_the_file_lacks() -> None:
    """What its first tables tell to ask can be asked."""
    doc = rules().document
    text = (FOLDER / "README.md").read_text(encoding="utf-8").split("## Options")[0]
    cells = [line.split(" | ")[-1] for line in text.splitlines() if line.startswith("| ")]
    asked = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert asked
    assert [n for n in asked if n not in doc.questions and n not in doc.scenarios] == []


def answers(names: tuple[str, ...]) -> list[Result]:
    return every_answer(rules(), Request(names, seconds=300.0, cores=False))


@pytest.mark.parametrize("names", [QUICK, tuple(rules().document.scenarios)], ids=["questions", "scenarios"])
def test_quick_answers_are_as_expected(names: tuple[str, ...]) -> None:
    assert [(r.question, r.verdict.reason) for r in answers(names) if r.as_expected is not True] == []


# odds, by counting rolls of single faces

Dice = tuple[int, ...]


def told(name: str) -> Fraction:
    """The figure that the file expects."""
    text = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
    found = re.search(rf"^  {re.escape(name)}:\n(?:    .*\n)*?    expect: (\S+)$", text, re.M)
    assert found is not None, name
    return Fraction(found[1])


def splits(n: int, kinds: int) -> Iterator[Dice]:
    """All ways in which n dice show so many kinds of face."""
    if kinds == 1:
        yield (n,)
        return
    for a in range(n + 1):
        for rest in splits(n - a, kinds - 1):
            yield (a, *rest)


@cache
def rolled(n: int) -> dict[Dice, Fraction]:
    """Each outcome of n dice with six faces, the skull last."""
    found = {}
    for faces in splits(n, 6):
        ways = factorial(n)
        for x in faces:
            ways //= factorial(x)
        found[faces] = Fraction(ways, 6**n)
    return found


@cache
def most(dice: Dice, skulls: int, rolls: int) -> Fraction:
    """The crosses to be expected from these dice by whoever wants as many as possible."""
    now = Fraction(max(dice)) if skulls < 3 else Fraction(0)
    if rolls == 3 or skulls >= 3:
        return now
    kept = {tuple(sorted(k)) for k in product(*(range(x + 1) for x in dice)) if sum(k) < sum(dice)}
    return max([now, *(after(k, skulls, rolls, sum(dice) - sum(k)) for k in kept)])


@cache
def after(kept: Dice, skulls: int, rolls: int, n: int) -> Fraction:
    draws = rolled(n).items()
    return sum(
        (w * most(tuple(sorted(k + x for k, x in zip(kept, f, strict=False))), skulls + f[5], rolls + 1) for f, w in draws),
        Fraction(0),
    )


def test_the_odds_of_three_skulls_are_those_of_single_dice() -> None:
    """A die rolled n times until it is a skull is one with 1 - (5/6)^n."""
    for n, name in ((1, "three-skulls-odds"), (2, "three-skulls-odds-2"), (3, "three-skulls-odds-3")):
        p = 1 - Fraction(5, 6) ** n
        assert told(name) == sum(comb(6, k) * p**k * (1 - p) ** (6 - k) for k in range(3, 7))


def test_the_crosses_of_a_turn_are_those_of_a_plain_recursion() -> None:
    assert told("crosses-of-a-turn") == after((0, 0, 0, 0, 0), 0, 0, 6)


def roses(count: int, dice: Dice, rolls: int) -> Fraction:
    """The odds of so many roses; dice are roses, other colours and skulls."""
    found, others, skulls = dice
    if found >= count and skulls < 3:
        return Fraction(1)
    if rolls == 3 or skulls >= 3:
        return Fraction(0)
    best = Fraction(0)
    for a, b in product(range(found + 1), range(others + 1)):
        if a + b:
            best = max(best, thrown(count, (found - a, others - b, skulls), rolls, a + b))
    return best


@cache
def thrown(count: int, kept: Dice, rolls: int, n: int) -> Fraction:
    total = Fraction(0)
    for faces in splits(n, 3):
        ways = factorial(n) // (factorial(faces[0]) * factorial(faces[1]) * factorial(faces[2])) * 4 ** faces[1]
        now = (kept[0] + faces[0], kept[1] + faces[1], kept[2] + faces[2])
        total += Fraction(ways, 6**n) * roses(count, now, rolls + 1)
    return total


def test_the_odds_of_a_freeze_are_those_of_a_plain_recursion() -> None:
    text = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
    found = re.search(r"^  freeze-odds-\{n\}:\n(?:    .*\n)*?    expect: \{2: (\S+), 3: (\S+)\}$", text, re.M)
    assert found is not None
    assert [Fraction(found[1]), Fraction(found[2])] == [thrown(2, (0, 0, 0), 0, 6), thrown(3, (0, 0, 0), 0, 6)]
