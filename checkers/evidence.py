"""Writes what shows that an answer holds, and re-checks what was written with the reference evaluator alone.

INVARIANT: re-checking imports no engine; whatever an evidence folder says is believed only as far as the evaluator (or,
for an inductive invariant, z3 on single implications) confirms it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tablelaw.checkers.figures import Figures
from tablelaw.checkers.recheck import PROVABLE, Obligations, Query, Refused, discharge
from tablelaw.checkers.states import Late, counted, states_of
from tablelaw.checkers.unkept import listed, why_none
from tablelaw.checkers.walk import Closed, longest_play, played
from tablelaw.solver.evaluate import starts
from tablelaw.solver.plain_rows import NoRow
from tablelaw.solver.projecting import NAMES, Projector, shows
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.verdict import NoEvidence
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.settings import broken, defaults, holds, names_for
from tablelaw.spec.source import write_whole

if TYPE_CHECKING:
    from tablelaw.checkers.result import Result

FORMAT = 1
FIGURES = ("odds", "expected")
VERDICTS = ("holds", "fails", "value")
SECONDS = 120.0
LARGEST_FILE = 1 << 29
MOST_SETTINGS = 4096
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}\.json")
Row = dict[str, object]
Sets = dict[int, tuple[object, dict[str, object]]]


# writing


def write_all(
    folder: Path,
    results: list[Result],
    rules: Rules,
    smt2: bool,
    models: str = "",
    sink: Diagnostics | None = None,
    more: Callable[[list[tuple[str, Result]]], dict[str, object]] | None = None,
) -> tuple[int, int]:
    """Write the evidence of every answer that has some, and `index.json`; of how many it is, and how many have none.

    With `smt2` the implications of proofs too, with `models` the chains of questions of chance, in that form; the sink is
    told which have none. `more` writes files of its own, with the names of the answers, and gives its part of the index.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, object]] = []
    without: list[dict[str, object]] = []
    sets: Sets = {}
    proofs: set[int] = set()
    written = 0
    for n, r in enumerate(results):
        told: dict[str, object] = {"question": r.question, "options": r.options, "players": r.players}
        shows = r.verdict.verdict == "holds" or (r.kind == "reach" and r.verdict.verdict == "fails")
        shows = (shows and r.kind not in ("scenario", "possible")) or (r.kind in FIGURES and r.verdict.verdict == "value")
        try:
            found = _shown(folder, r, sets) if shows else None
        except NoEvidence as why:
            without.append({**told, "verdict": r.verdict.verdict, "reason": str(why)})
            continue
        partial = found is not None and found["kind"] == "invariant" and r.kind == "in-range"
        if partial and not _suffices(r, rules, cast("dict[str, Any]", found)):
            found = None
        if found is None or (found["kind"] == "play" and r.kind != "reach"):
            without.append({**told, "verdict": r.verdict.verdict, "reason": why_none(r, shows)})
            continue
        if found.get("left_open"):
            if id(r.verdict.evidence) in proofs:
                continue  # one proof for many settings is one entry
            proofs.add(id(r.verdict.evidence))
            told["options"] = {k: "*" if any(s[k] != v for s in found["left_open"]) else v for k, v in r.options.items()}
        name = _name(r, n)
        whole = {**told, "kind": r.kind, "verdict": r.verdict.verdict, "known_by": r.verdict.known_by}
        whole |= {"value": r.verdict.value, "evidence": found} if found["kind"] == "figures" else {"evidence": found}
        write_whole(folder / f"{name}.json", json.dumps(whole, ensure_ascii=False, indent=1))
        entries.append({**told, "verdict": r.verdict.verdict, "evidence": found["kind"], "file": f"{name}.json"})
        if smt2 and found["kind"] == "invariant":
            written += _write_queries(folder, name, r, rules, found)
    index = {
        "format": FORMAT, "game": rules.document.game, "spec_hash": rules.digest, "entries": entries, "without": without,
    }  # fmt: skip
    named = [(_name(r, n), r) for n, r in enumerate(results)]
    if more is not None:
        index |= more(named)
    if models:
        from tablelaw.checkers.models import write_models

        index["models"] = write_models(folder, named, rules, models, Diagnostics() if sink is None else sink)
    if smt2 and not written and sink is not None:
        from tablelaw.checkers.models import nothing

        reason = "none of these answers rests on a formula: what was looked at position by position has no such proof"
        nothing(sink, "nothing was written as SMT-LIB", reason)
    write_whole(folder / "index.json", json.dumps(index, ensure_ascii=False, indent=1))
    return len(results) - len(without), len(without)


def _name(r: Result, number: int) -> str:
    """How the files of a result are called."""
    return f"{re.sub(r'[^A-Za-z0-9_-]', '-', r.question)[:80] or 'question'}-{number + 1:03}"


def _shown(folder: Path, r: Result, sets: Sets) -> dict[str, Any] | None:
    """The evidence of a result; a set of states is written once for all questions that rest on it."""
    from tablelaw.solver.portable import portable, states

    assert r.game is not None
    try:
        found = portable(r.game, r.verdict)
        if found is not None and "space" in found:
            space, game = found.pop("space"), found.pop("game")
            if id(space) not in sets:  # kept with its set, so that no other comes to have its number
                sets[id(space)] = space, _write_states(folder, states(game, space))
            found.update(sets[id(space)][1])
    except NoRow:  # a position with something in it that rows have no place for
        return None
    return found


def _write_states(folder: Path, whole: dict[str, object]) -> dict[str, object]:
    body = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    name = f"states-{hashlib.sha256(body.encode()).hexdigest()[:16]}.json"
    write_whole(folder / name, body)
    return {"states": name, "count": whole["count"]}


def _write_queries(folder: Path, name: str, r: Result, rules: Rules, found: dict[str, Any]) -> int:
    """How many were written."""
    written = 0
    try:
        for q in _queries(r, rules, found):
            write_whole(folder / f"{name}.{q.name}.smt2", q.text)
            written += 1
    except (Refused, Unlowerable):
        return written  # `recheck` says why
    return written


def _queries(r: Result, rules: Rules, found: dict[str, Any]) -> list[Query]:
    """The implications that make the invariant of a result a proof; raises `Refused` and `Unlowerable`."""
    case = _case(rules, r.question, found["left_open"] or [r.options], r.players, Diagnostics())
    if case is None:
        return []
    game, asked = case
    if "projection" in found:
        game, asked = _projected(game, asked, r.verdict.verdict, found["kind"], found["projection"])
    return Obligations(game, asked, found["formula"], found["extra"]).all()


def _suffices(r: Result, rules: Rules, found: dict[str, Any]) -> bool:
    """Is the invariant of `in-range` the whole proof? One by induction may say something of each move that no formula holds."""
    try:
        return discharge(_queries(r, rules, found), SECONDS / 10)[0] == "holds"
    except (Refused, Unlowerable):
        return False


# re-checking


def recheck_all(
    folder: Path, rules: Rules, sink: Diagnostics, seconds: float = SECONDS,
    rows: list[Row] | None = None, begin: Callable[[], None] | None = None,
) -> list[Row]:  # fmt: skip
    """Re-check every piece of evidence; what is unreadable or shows nothing goes to the sink, the rest is told in rows.

    `rows` are filled as they come, so that they are there if the work is broken off; `begin` is called before each piece.
    """
    rows = [] if rows is None else rows
    index = _read(folder, "index.json", sink)
    if index is None:
        return rows
    entries = index.get("entries")
    if index.get("format") != FORMAT or not isinstance(entries, list):
        sink.error(
            "Q120", None, f"`{folder}` is not an evidence folder of this version", help="write it anew with `--evidence`"
        )
        return rows
    if index.get("spec_hash") != rules.digest:
        cure = "ask again with `--evidence`; a proof holds for the very text that it was made for"
        sink.error("Q121", None, "this evidence is of other rules", help=cure)
        return rows
    work = _Recheck(folder, rules, sink, seconds)
    for e in entries:
        if begin is not None:
            begin()
        row = work.entry(e)
        if row is not None:
            rows.append(row)
    return rows


def without_evidence(folder: Path) -> list[dict[str, str]]:
    """The answers that a folder has no evidence for, each with the reason."""
    return listed(_read(folder, "index.json", Diagnostics()))


def _read(folder: Path, name: object, sink: Diagnostics) -> dict[str, Any] | None:
    """An object of a JSON file of the folder; None when there is none (the sink knows)."""
    said, why = str(name)[:80], ""
    if not isinstance(name, str) or not _FILE.fullmatch(name):
        why = f"`{said}` is not a name of an evidence file"
    else:
        path = folder / name
        try:
            if not path.is_file():
                why = f"there is no `{said}` in `{folder}`"
            elif path.stat().st_size > LARGEST_FILE:
                why = f"`{said}` is too large"
            else:
                found = json.loads(path.read_bytes().decode("utf-8"))
                if isinstance(found, dict):
                    return found
                why = f"`{said}` holds no evidence"
        except (OSError, ValueError, RecursionError, MemoryError):
            why = f"`{said}` cannot be read"
    sink.error("Q120", None, why, help="write the evidence anew with `tablelaw check … --evidence DIR`")
    return None


def _case(
    rules: Rules, question: str, settings: list[dict[str, str]], players: int, sink: Diagnostics
) -> tuple[Game, Asked] | None:
    """The game (with options left open where there are several settings) and the typed question of an entry."""
    doc, quiet = rules.document, Diagnostics()
    known = {o.id: o.names for o in doc.options.values()}
    wrong = players not in rules.counts or any(v not in known.get(k, ()) for s in settings for k, v in s.items())
    whole = [{**defaults(doc), **s} for s in settings]
    if wrong or any(broken(doc, s, players, quiet) is not None for s in whole):
        sink.error("Q122", None, f"the evidence for `{question[:80]}` is for options or players that this game does not have")
        return None
    setting = whole[0]
    game = rules.game(setting, players, sink) if len(whole) == 1 else rules.open_game(whole, players)
    if game is None:
        sink.error("Q122", None, f"the options that the evidence for `{question[:80]}` leaves open cannot be left open")
        return None
    q = doc.questions.get(question)
    if q is not None:
        if not all(holds(o, names_for(doc, setting, players), doc, sink) for o in q.only):
            sink.error("Q122", None, f"`{question}` is not asked under these options")
            return None
        asked = Reader(game, sink, starts(game)[0]).question(q)
        return None if asked is None else (game, asked)
    if question == "in-range" and doc.span is not None:
        return game, Asked("in-range", "in-range", doc.span)
    sink.error("Q122", None, f"no question is called `{question[:80]}`")
    return None


def _settings(evidence: dict[str, Any], options: dict[str, str]) -> list[dict[str, str]] | None:
    """The settings that an entry speaks of: its own, or with options left open (`*`) those listed; None when it lists none."""
    listed = evidence.get("left_open")
    if not listed:
        return [options]
    if not isinstance(listed, list) or len(listed) > MOST_SETTINGS or not all(isinstance(s, dict) for s in listed):
        return None
    if not all(isinstance(v, str) for s in listed for v in s.values()) or any(s.keys() != options.keys() for s in listed):
        return None
    fixed = all(v in ("*", s[k]) for s in listed for k, v in options.items())
    return listed if fixed else None


_LEFT_OPEN = {
    "plain": "the board left open",
    "progress": "the board left open",
    "in-range": "the board left open, formulas about it looked at one by one",
    "window": "of one side of one square, all else on the board left open",
}
assert _LEFT_OPEN.keys() == set(NAMES)


def _projected(game: Game, asked: Asked, verdict: str, kind: object, name: object) -> tuple[Game, Asked]:
    """The projection that evidence names, with the question about it, made anew from the rules; raises `Refused`.

    What holds of every step of the projection holds of every step of the game (`solver/projection.py`), so that evidence
    about the one shows the other. A play of it need not be one of the game, and shows nothing.
    """
    if not isinstance(name, str) or name not in NAMES:
        raise Refused("it is of no known projection")
    if kind not in ("invariant", "closed-set", "ranking") or not shows(asked.kind, verdict):
        raise Refused(f"with the board left open such evidence does not show that `{asked.kind}` {verdict}")
    try:
        return Projector(game).named(name, asked)
    except Unlowerable as why:
        raise Refused(str(why)) from None


class _Recheck:
    """Re-checks the entries of one folder; a set of states is walked once for all questions that rest on it."""

    def __init__(self, folder: Path, rules: Rules, sink: Diagnostics, seconds: float) -> None:
        self.folder, self.rules, self.sink, self.seconds = folder, rules, sink, seconds
        self.sets: dict[object, Closed] = {}

    def entry(self, listed: object) -> Row | None:
        """The row of an entry, None when it is refused (the sink knows)."""
        whole = _read(self.folder, listed.get("file") if isinstance(listed, dict) else None, self.sink)
        if whole is None:
            return None
        question, options, players = whole.get("question"), whole.get("options"), whole.get("players")
        evidence, verdict = whole.get("evidence"), whole.get("verdict")
        fine = isinstance(question, str) and isinstance(options, dict) and isinstance(evidence, dict)
        fine = fine and all(isinstance(v, str) for v in cast("dict[str, object]", options).values())
        if not fine or isinstance(players, bool) or not isinstance(players, int) or verdict not in VERDICTS:
            self.sink.error("Q120", None, "an entry of the evidence is not complete", help="write the evidence anew")
            return None
        settings = _settings(cast("dict[str, Any]", evidence), cast("dict[str, str]", options))
        if settings is None:
            self.sink.error("Q120", None, "an entry of the evidence is not complete", help="write the evidence anew")
            return None
        case = _case(self.rules, cast("str", question), settings, players, self.sink)
        if case is None:
            return None
        game, asked = case
        row: Row = {"question": question, "options": options, "players": players}
        try:
            given = {**cast("dict[str, Any]", evidence), "value": whole.get("value")}
            shown, reason = self._judge(game, asked, str(verdict), given)
        except Late as late:
            return {**row, "verdict": "unknown", "reason": str(late)}
        except Unlowerable as why:
            return {**row, "verdict": "unknown", "reason": str(why)}
        except Refused as why:
            shown, reason = "fails", str(why)
        except Fault as fault:
            shown, reason = "fails", f"a formula has no value: {fault.message}"
        except RecursionError:
            shown, reason = "fails", "it is nested too deeply"
        if shown == "fails":
            cure = "ask again with `--evidence`; if that is refused as well, report it with the rules file"
            self.sink.error("Q122", None, f"the evidence for `{question}` is refused: {reason}", help=cure)
            return None
        told = f"`{question}` fails, " if verdict == "fails" else ""
        if evidence is not None and cast("dict[str, Any]", evidence).get("kind") == "figures":
            row["value"] = whole.get("value")
        return {**row, "verdict": shown, "reason": told + reason}

    def _judge(self, game: Game, asked: Asked, verdict: str, evidence: dict[str, Any]) -> tuple[str, str]:
        kind = evidence.get("kind")
        if (verdict == "value") != (asked.kind in FIGURES):
            raise Refused("it is not of the kind that the question is")
        if verdict == "fails" and asked.kind != "reach":
            raise Refused("evidence is for what holds, and for what cannot be reached")
        name = evidence.get("projection")
        if name is not None:
            game, asked = _projected(game, asked, verdict, kind, name)
        ways: dict[object, Callable[[], tuple[str, str]]] = {
            "invariant": lambda: self._invariant(game, asked, verdict, evidence),
            "closed-set": lambda: self._closed(game, asked, verdict, evidence),
            "strategy": lambda: self._strategy(game, asked, evidence),
            "ranking": lambda: longest_play(game, asked, evidence.get("steps"), self.seconds),
            "figures": lambda: self._figures(game, asked, evidence),
            "play": lambda: played(game, asked, verdict, evidence.get("states")),
        }
        if not isinstance(kind, str) or kind not in ways:
            raise Refused("it is of no known kind")
        shown, reason = ways[kind]()
        return shown, reason if name is None or shown != "holds" else f"{reason}, {_LEFT_OPEN[str(name)]}"

    def _invariant(self, game: Game, asked: Asked, verdict: str, evidence: dict[str, Any]) -> tuple[str, str]:
        if (asked.kind == "reach") != (verdict == "fails") or asked.kind not in PROVABLE:
            raise Refused(f"an invariant does not show that `{asked.kind}` {verdict}")
        text, extra = evidence.get("formula"), evidence.get("extra")
        if not isinstance(text, str) or not isinstance(extra, list) or len(extra) > 10_000:
            raise Refused("the invariant is not complete")
        return discharge(Obligations(game, asked, text, [str(x) for x in extra]).all(), self.seconds)

    def _set(self, game: Game, asked: Asked, evidence: dict[str, Any], partly: bool = False) -> Closed:
        name = str(evidence.get("states"))
        key = (name, tuple(game.setting.items()), game.players, tuple(counted(asked)), evidence.get("projection"), partly)
        if key not in self.sets:
            whole = _read(self.folder, name, self.sink)
            if whole is None:
                raise Refused("its states cannot be read")
            self.sets[key] = Closed(game, asked, states_of(whole, game, asked), self.seconds, partly)
        return self.sets[key]

    def _closed(self, game: Game, asked: Asked, verdict: str, evidence: dict[str, Any]) -> tuple[str, str]:
        if (asked.kind == "reach") != (verdict == "fails"):
            raise Refused(f"a closed set does not show that `{asked.kind}` {verdict}")
        closed = self._set(game, asked, evidence)
        closed.show(asked)
        return "holds", f"a closed set of {len(closed.rows):,} states, all walked"

    def _figures(self, game: Game, asked: Asked, evidence: dict[str, Any]) -> tuple[str, str]:
        whole = _read(self.folder, evidence.get("states"), self.sink)
        if whole is None:
            raise Refused("its states cannot be read")
        states = [state for state, _ in states_of(whole, game, replace(asked, formula=None))]
        walked = Figures(game, asked, states, self.seconds)
        return "holds", walked.show(evidence["value"], evidence.get("values"), evidence.get("policy"))

    def _strategy(self, game: Game, asked: Asked, evidence: dict[str, Any]) -> tuple[str, str]:
        closed = self._set(game, asked, evidence, partly=True)
        closed.follow(asked, evidence.get("rank"), evidence.get("who"))
        return "holds", f"a strategy, walked through {len(closed.rows):,} states"
