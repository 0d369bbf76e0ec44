"""A checked game in words, and lists of what a rules file has: clauses, questions, options, scenarios, sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tablelaw.report.text import wrap
from tablelaw.solver import evaluate
from tablelaw.solver.telling import formula_text
from tablelaw.spec.core import Binder
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Action, Clause, Option, Question, Scenario, texts
from tablelaw.spec.expressions import Parsed
from tablelaw.spec.game import Game, Variable
from tablelaw.spec.load import Rules
from tablelaw.spec.positions import shown
from tablelaw.spec.settings import holds
from tablelaw.spec.types import MapOf, Type, show
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

WHAT = ("clauses", "questions", "options", "scenarios", "sources")


# the game in words


def game_text(game: Game) -> str:
    """What the file means under this setting, for this number of players: sections as in a rulebook."""
    doc = game.document
    rows = [wrap(f"{game.title or game.name}, {game.players} players", "  ", "")]
    for name, value in game.setting.items():
        option = doc.options[name]
        says = next((v.says for v in option.values if v.name == value), "")
        rows.append(wrap(f"{name}={value}" + (f": {says}" if says else ""), "      ", "  "))
    rows += ["", "A position is"]
    wide = max((len(v.name) for v in game.variables), default=0)
    for v in game.variables:
        line = f"  {v.name:<{wide}}  {show(v.type)}, at first {_start(game, v)}" + (f": {v.says}" if v.says else "")
        rows.append(wrap(line.strip(), " " * (wide + 6), "  "))
    kinds = _named_types(game)
    if kinds or doc.defines:
        rows += ["", "where"]
        rows += [wrap(f"{name} is {told}", "      ", "  ") for name, told in kinds.items()]
    for d in doc.defines.values():
        arguments = ", ".join(name for name, *_ in d.params)
        rows.append(wrap(f"{d.name}({arguments}) is {_one(d.formula)}", "      ", "  "))
    players = [a for a in game.actions if a.by is not None]
    table = [a for a in game.actions if a.by is None]
    for heading, actions in (("Players may", players), ("The table acts, before anybody moves", table)):
        if actions:
            rows += ["", heading]
            for number, a in enumerate(actions):
                rows += [""] if number else []
                rows += _action_rows(game, doc.actions[a.name], a.params)
    called = [d for d in doc.effects.values() if any(_in_force(game, c) for c in d.clauses)]
    for d in called:
        arguments = ", ".join(name for name, *_ in d.params)
        rows += ["", f"{d.name}({arguments}) is"]
        for c in d.clauses:
            rows += _clause_rows(game, c, "  ")
    rows += ["", "The first of these that holds ends the play" if game.ends else "Nothing ends the play"]
    for e in game.ends:
        rows += _clause_rows(game, game.clauses[e.id], "  ")
    return "\n".join(rows)


def _start(game: Game, v: Variable) -> str:
    if v.any_of:
        return "any of " + ", ".join(shown(x, v.type) for x in evaluate.sorted_any(v))
    value = evaluate.starts(game)[0][v.name]
    kind: Type = v.type
    while isinstance(kind, MapOf) and len({repr(x) for x in value.values()}) == 1:
        value, kind = next(iter(value.values())), kind.value
    return shown(value, kind) + (" for all" if kind != v.type else "")


def _named_types(game: Game) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in game.document.types:
        kind = game.names.types.get(name)
        if kind is not None:
            found[name] = _listed(kind, name)
    return found


def _listed(kind: Type, name: str) -> str:
    from tablelaw.spec.types import Enum, Int, Record

    if isinstance(kind, Enum):
        return "one of " + ", ".join(kind.values)
    if isinstance(kind, Int):
        return f"{kind.lo}..{kind.hi}"
    if isinstance(kind, Record):
        return "a record of " + ", ".join(f"{n}: {show(f)}" for n, f in kind.fields)
    told = show(kind)
    return "a type" if told == name else told


def _action_rows(game: Game, a: Action, params: tuple[Binder, ...]) -> Iterator[str]:
    by = f", chosen by {_one(a.by)}" if a.by is not None else ""
    says = f": {a.clause.says}" if a.clause.says else ""
    yield wrap(f"{a.clause.id}{_cited(a.clause)}{by}{says}", "      ", "  ")
    if a.during is not None:
        yield wrap(f"while {_one(a.during)}", "        ", "    ")
    for b in params:
        domain = show(b.domain) if isinstance(b.domain, Type) else formula_text(b.domain)
        yield wrap(f"with {b.name} from {domain}", "        ", "    ")
    for c in a.require:
        yield from _clause_rows(game, c, "    ", "must keep ")
    for name, parsed in a.chance:
        yield wrap(f"draws {name.text}: {_one(parsed)}", "        ", "    ")
    for c in a.do:
        yield from _clause_rows(game, c, "    ", "then ")


def _in_force(game: Game, c: Clause) -> bool:
    if not c.plain:
        return game.clauses.get(c.id) is c
    quiet = Diagnostics()
    return all(holds(o, game.names, game.document, quiet) for o in c.only)


def _clause_rows(game: Game, c: Clause, indent: str, lead: str = "") -> Iterator[str]:
    if not _in_force(game, c):
        return
    inner = indent + "    "
    head = "" if c.plain else f"{c.id}{_cited(c)}" + (f": {c.says}" if c.says else "")
    if head:
        yield wrap(lead + head, inner + "  ", indent)
    elif lead:
        yield indent + lead.strip()
    if c.excepts:
        yield wrap(f"lifts {c.excepts} where", inner + "  ", inner)
    if c.check is not None:
        yield wrap(_one(c.check), inner + "  ", inner)
    if c.when is not None:
        yield wrap(f"when {_one(c.when)}", inner + "  ", inner)
    if c.do is not None:
        yield from (f"{inner}{row}" for row in c.do.text.rstrip().splitlines())
    if c.winners is not None:
        yield wrap(f"won by {_one(c.winners)}", inner + "  ", inner)


def _cited(c: Clause) -> str:
    return f" ({', '.join(c.cite[:2])}{', …' if len(c.cite) > 2 else ''})" if c.cite else ""


def _one(parsed: Parsed | None) -> str:
    return " ".join(parsed.text.split()) if parsed is not None else ""


# lists


def listing(rules: Rules, game: Game, what: str | None) -> list[dict[str, object]]:
    """What the file has, a row for each thing; of one sort, or of all."""
    rows: list[dict[str, object]] = []
    for sort in (what,) if what else WHAT:
        rows += [{"list": sort} | row for row in _ROWS[sort](rules, game)]
    return rows


def _clauses(rules: Rules, game: Game) -> Iterator[dict[str, object]]:
    doc = rules.document
    asked: list[Question | Scenario] = [*doc.questions.values(), *doc.scenarios.values()]
    for c in [*_every_clause(game), *doc.remarks]:
        remark = c.role == "remark"
        covered = [] if remark else [q.id for q in asked if set(q.cite) & set(c.cite) or _names(q.node, c.id)]
        yield {
            "id": c.id or None, "role": c.role, "says": c.says, "cite": list(c.cite),
            "in_force": None if remark else game.clauses.get(c.id) is c, "proposed": c.proposed, "covered_by": covered,
        }  # fmt: skip


def _every_clause(game: Game) -> list[Clause]:
    doc = game.document
    found: list[Clause] = []
    for a in doc.actions.values():
        found += [a.clause, *a.require, *a.do]
    for d in doc.effects.values():
        found += d.clauses
    return [c for c in [*found, *doc.ends] if not c.plain]


def _names(node: Node | None, clause: str) -> bool:
    """Does a question or scenario name the clause: after `by:`, or as the action of a move?"""
    if isinstance(node, Scalar):
        return re.match(rf"{re.escape(clause)}\s*($|\(|->|\*)", node.text) is not None
    if isinstance(node, Sequence):
        return any(_names(n, clause) for n in node.items)
    return isinstance(node, Mapping) and any(_names(e.value, clause) for e in node.entries)


def _questions(rules: Rules, game: Game) -> Iterator[dict[str, object]]:
    for q in rules.document.questions.values():
        quiet = Diagnostics()
        yield {
            "id": q.id, "kind": q.kind, "says": q.says, "cite": list(q.cite), "expect": _plain(q.node.get("expect")),
            "under": list(texts(q.node.get("under"))),
            "options": _plain(q.node.get("options")), "players": _plain(q.node.get("players")),
            "asked": all(holds(o, game.names, game.document, quiet) for o in q.only),
        }  # fmt: skip


def _options(rules: Rules, game: Game) -> Iterator[dict[str, object]]:
    for o in rules.document.options.values():
        yield {
            "id": o.id, "kind": o.kind, "question": o.question, "cite": list(o.cite),
            "values": {v.name: v.says for v in o.values}, "default": o.default, "value": game.setting.get(o.id),
            "in_force": _exists(o, game),
        }  # fmt: skip


def _exists(o: Option, game: Game) -> bool:
    return holds(o.only, game.names, game.document, Diagnostics())


def _scenarios(rules: Rules, game: Game) -> Iterator[dict[str, object]]:
    for s in rules.document.scenarios.values():
        users = [q.id for q in rules.document.questions.values() if s.id in texts(q.node.get("possible"))]
        yield {
            "id": s.id, "says": s.says, "cite": list(s.cite), "options": _plain(s.node.get("options")),
            "players": _plain(s.node.get("players")), "play": _plain(s.node.get("play")), "asked_by": users,
        }  # fmt: skip


def _sources(rules: Rules, game: Game) -> Iterator[dict[str, object]]:
    doc = rules.document
    every: list[Clause | Question | Scenario] = [
        *_every_clause(game),
        *doc.remarks,
        *doc.questions.values(),
        *doc.scenarios.values(),
    ]
    for name, about in doc.sources.items():
        places = {p for x in every for p in x.cite if p.partition("#")[0] == name}
        yield {"id": name, **about, "places": len(places)}


_ROWS = {"clauses": _clauses, "questions": _questions, "options": _options, "scenarios": _scenarios, "sources": _sources}


def _plain(node: Node | None) -> object:
    """A node as JSON has it."""
    if node is None:
        return None
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [_plain(n) for n in node.items]
    return {e.key.text: _plain(e.value) for e in node.entries}


def listing_text(rows: Iterable[dict[str, object]]) -> str:
    """The rows for a terminal: the id first, what it says and cites below."""
    found: list[str] = []
    sort = None
    for row in rows:
        if row["list"] != sort:
            sort = row["list"]
            found += [*([""] if found else []), f"{sort}:"]
        found += _row_text(row)
    return "\n".join(found) if found else "nothing"


def _row_text(row: dict[str, object]) -> Iterator[str]:
    sort = row["list"]
    head = str(row["id"] or "(remark)")
    if sort == "clauses":
        notes = [str(row["role"])] if row["id"] else []
        notes += ["proposed"] if row["proposed"] else []
        notes += ["not in force"] if row["in_force"] is False else []
        head += f" [{', '.join(notes)}]" if notes else ""
    elif sort == "questions":
        under = row["under"]
        head += f" [{row['kind']}]" + (f", expects {_words(row['expect'])}" if row["expect"] is not None else "")
        head += f", under each {', '.join(map(str, under))}" if isinstance(under, list) and under else ""
        head += "" if row["asked"] else ", not asked under this setting"
    elif sort == "options":
        head += f" [{row['kind']}]: {row['question']}" + ("" if row["in_force"] else " (not open under this setting)")
    elif sort == "sources":
        head += ": " + ", ".join(str(v) for k, v in row.items() if k not in ("list", "id", "places"))
        head += f" — {row['places']} places cited"
    yield wrap(head, "      ", "  ")
    if sort == "options" and isinstance(row["values"], dict):
        yield from _values(row, row["values"])
    if row.get("says"):
        yield wrap(str(row["says"]), "      ")
    if row.get("cite"):
        yield wrap("cites " + _few(row["cite"]), "        ", "      ")
    if row.get("covered_by"):
        yield wrap("asked by " + _few(row["covered_by"]), "        ", "      ")
    if row.get("asked_by"):
        yield wrap("searched for by " + _few(row["asked_by"]), "        ", "      ")


def _values(row: dict[str, object], values: dict[str, str]) -> Iterator[str]:
    marks = {str(row["default"]): " (default)"}
    if row["value"] != row["default"]:
        marks[str(row["value"])] = " (now)"
    if any(values.values()):
        for name, says in values.items():
            yield wrap(f"{name}{marks.get(name, '')}" + (f": {says}" if says else ""), "        ", "      ")
        return
    names = list(values)
    shown_values = [*names[:12], *(["…", names[-1]] if len(names) > 13 else names[12:])]
    yield wrap(", ".join(n + marks.get(n, "") for n in shown_values), "        ", "      ")


def _few(items: object, most: int = 8) -> str:
    words = [str(i) for i in items] if isinstance(items, list) else []
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def _words(expect: object) -> str:
    if isinstance(expect, dict) and "approximately" in expect:
        return f"about {expect['approximately']}"
    if isinstance(expect, list):
        return (
            " or ".join(dict.fromkeys(_words(e.get("is")) if isinstance(e, dict) else str(e) for e in expect)) + " by setting"
        )
    if isinstance(expect, dict):
        return ", ".join(f"{k}: {v}" for k, v in expect.items())
    return str(expect)


__all__ = ["game_text", "listing", "listing_text"]
