"""Where two games part, and what clauses do to rules: against the sets of all plays to a depth."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tablelaw.checkers.clarify import clarifies
from tablelaw.checkers.compare import Asker, Comparison, compare
from tablelaw.checkers.posed import Posed
from tablelaw.solver.lockstep import Lockstep
from tablelaw.solver.mutate import clauses, without
from tablelaw.solver.parting import Comparing
from tablelaw.solver.sameness import alike, same_ends
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.questions import Asked
from tablelaw.spec.settings import defaults
from tablelaw.testing import beside, boards

DEPTH = 3


def rules_of(seed: int, folder: Path) -> Rules | None:
    """A random disputed game as rules; None where it is not sound."""
    file = folder / "rules.yaml"
    file.write_text(beside.disputed(seed), encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(file), sink)
    return None if sink.has_errors else rules


def pair(rules: Rules, r: random.Random) -> tuple[Game, Game] | None:
    """Two games of the rules: under other readings, with other clauses in force."""
    doc, quiet, games = rules.document, Diagnostics(), []
    known = list(doc.clauses())
    for _ in range(2):
        setting = {o.id: r.choice(o.names) for o in doc.options.values() if o.kind != "study"}
        proposed = [c.id for c in doc.every_clause() if c.proposed and r.random() < 0.5]
        without = frozenset(c for c in known if r.random() < 0.1)
        games.append(rules.game(setting, rules.counts[0], quiet, frozenset(proposed), without))
    left, right = games
    return None if left is None or right is None else (left, right)


def check_pair(left: Game, right: Game, seen: Counter[str], depth: int = DEPTH) -> None:
    """One comparison, whole, against the sets of plays."""
    told = Comparison(("a", "b"), ({}, {}))
    verdict = compare(left, right, told, Budget(4.0, 0, 3_000), Asker("auto"))
    try:
        naive = beside.relation(left, right, depth)
        at = beside.parts_at(left, right, depth) if naive != "equal" else None
    except beside.TooMany:
        seen["too many"] += 1
        return
    seen[f"{verdict.verdict} {told.value} {verdict.known_by}"] += 1
    if verdict.verdict == "holds":
        assert naive == "equal"
    if verdict.verdict == "unknown":
        looked = int((verdict.bound or "0").split()[0])
        assert naive == "equal" or looked < depth
    if verdict.verdict == "fails":
        first = told.parts[0].parting
        assert first.kind in ("start", "end", "winners") or first.length < depth or at is None
        if at is not None and not any("a shorter one may exist" in n for n in verdict.notes):
            assert at in ((first.length, first.length + 1) if first.move is None else (first.length + 1,))
        if told.value != "neither" and naive != "equal":
            assert naive == told.value or verdict.bound is not None
        if naive == "neither":
            assert told.value == "neither" or verdict.bound is not None


@pytest.mark.parametrize("seed", range(40))
def test_comparisons_agree_with_the_sets_of_all_plays(seed: int, tmp_path: Path) -> None:
    """Equal, more on one side, or neither; and the play to where they part is a shortest one."""
    rules = rules_of(seed, tmp_path)
    games = None if rules is None else pair(rules, random.Random(seed))
    if games is not None:
        check_pair(*games, Counter())


@pytest.mark.parametrize("seed", range(40))
def test_written_code_and_evaluator_meet_the_same_pairs(seed: int, tmp_path: Path) -> None:
    """The lockstep search by generated code, with what is alike left out, is that of the evaluator with nothing left out."""
    rules = rules_of(seed, tmp_path)
    games = None if rules is None else pair(rules, random.Random(seed))
    if games is None:
        return
    left, right = games
    plain = Comparing(left, right).plain
    quick = Lockstep(left, right, alike(*plain), same_ends(*plain))
    slow = Lockstep(left, right, frozenset(), False, coded=False)
    found = [
        [(p.kind, p.side, p.pair, p.move, p.drawn, p.names, p.length) for p in lock.search(Budget(0, 0, 150))]
        for lock in (quick, slow)
    ]
    n = min(quick.expanded, slow.expanded)
    assert quick.pairs[:n] == slow.pairs[:n]
    assert sorted(map(repr, found[0])) == sorted(map(repr, found[1]))


def word_of(rules: Rules, ids: tuple[str, ...]) -> str | None:
    """What the clauses do, by the sets of plays: entailed, refines, or else something; None where that is too much."""
    effects = []
    proposed = frozenset(c.id for c in rules.document.every_clause() if c.proposed and c.id in ids)
    for way in rules.document.options["way"].names if "way" in rules.document.options else ("",):
        setting = {**defaults(rules.document), **({"way": way} if way else {})}
        quiet = Diagnostics()
        left = rules.game(setting, rules.counts[0], quiet, frozenset(), frozenset(ids) - proposed)
        right = rules.game(setting, rules.counts[0], quiet, proposed)
        if left is None or right is None:
            return None
        effects.append(beside.relation(left, right, DEPTH) == "equal")
    return "entailed" if all(effects) else "refines" if any(effects) else "else"


@pytest.mark.parametrize("seed", range(40))
def test_what_clauses_do_agrees_with_the_sets_of_all_plays(seed: int, tmp_path: Path) -> None:
    """Entailed, refining or neither, under each reading."""
    rules = rules_of(seed, tmp_path)
    if rules is None:
        return
    r = random.Random(seed)
    known = [c.id for c in rules.document.every_clause() if not c.plain]
    ids = tuple(dict.fromkeys(r.choice(known) for _ in range(r.choice((1, 1, 2)))))
    sink = Diagnostics()
    posed = Posed(defaults(rules.document), rules.counts[0], frozenset(), "auto", sink)
    verdict = clarifies(rules, posed, Asked("q", "clarifies", None, clauses=ids), Budget(6.0, 0, 3_000))
    if verdict is None:
        assert sink.has_errors
        return
    try:
        naive = word_of(rules, ids)
    except beside.TooMany:
        return
    if naive is None or verdict.verdict == "unknown":
        return
    if verdict.verdict == "entailed":
        assert naive == "entailed"
    elif verdict.verdict == "refines":
        assert naive in ("refines", "entailed")  # plays may part beyond the depth
    else:
        assert naive != "refines" or verdict.trace is not None


@pytest.mark.parametrize("seed", range(12))
def test_games_on_boards_agree_as_well(seed: int) -> None:
    """A random game on a board beside itself without one of its clauses."""
    _, game = boards.sound(seed)
    r = random.Random(seed)
    names = clauses(game)
    for name in r.sample(names, min(2, len(names))):
        check_pair(game, without(game, name), Counter(), depth=2)
