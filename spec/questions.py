"""Questions and scenarios of a checked game, typed and ready to be asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tablelaw.spec.comparing import RELATIONS, WORDS, clause_ids, setting_pair
from tablelaw.spec.core import Binder, Call, Const, Effect, Expr, Let, Local
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Builder, Question, Scenario, elements, get, items, text
from tablelaw.spec.expressions import Parsed, parse_formula
from tablelaw.spec.formulas import formula, static_value
from tablelaw.spec.game import Game
from tablelaw.spec.layout_text import read_layout
from tablelaw.spec.loose import contact_left_open, parts_left_open
from tablelaw.spec.over_layouts import OF_STATES, Overview, asks_layouts, up_to
from tablelaw.spec.policies import PlayReader
from tablelaw.spec.positions import Unreadable, read_value
from tablelaw.spec.present import layout_of, missing_parts
from tablelaw.spec.settings import holds
from tablelaw.spec.source import Span
from tablelaw.spec.types import BOOL, INT, Frac, Int, LayoutType, SetOf, Type, Unknown, placed
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar

_OF_KINDS = {
    "play": ("odds", "expected"),
    "who": ("odds", "expected"),
    "before": ("odds", "expected"),
    "at": ("odds", "expected"),
    "within": ("force", "odds", "expected"),
    "measure": ("terminates",),
    "exactly-when": ("force",),
    "depth": ("count",),
    "against": ("clarifies",),
}
"""Which kinds of question look at a key; those of chance have cures of their own for some."""
VERDICTS = ("holds", "fails", "unknown")
_NAMED = {"clauses": "clarifies", "against": "against"}


@dataclass(frozen=True, slots=True)
class Expected:
    """What an author expects: a verdict, a value, or a value within a distance."""

    verdict: str | None = None
    value: str | None = None
    within: Fraction | None = None

    def __str__(self) -> str:
        return self.verdict or (f"{self.value} within {self.within}" if self.within is not None else str(self.value))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a play: a move (action, some arguments, a condition or values of the draw), `...`, or checks."""

    span: Span
    text: str
    action: str | None = None
    args: tuple[tuple[str, Value], ...] = ()
    draw: tuple[tuple[str, Value], ...] = ()
    condition: Expr | None = None
    times: int = 1
    then: tuple[Expr, ...] = ()

    @property
    def anything(self) -> bool:
        """Is it `...`: any moves?"""
        return self.action is None and not self.then


@dataclass(frozen=True, slots=True)
class Staged:
    """A scenario, typed: where it starts, what is played, what must hold then, which moves are legal or not."""

    id: str
    span: Span
    says: str
    cite: tuple[str, ...]
    given: Map | None
    named: frozenset[str]
    lines: tuple[Line, ...]
    then: tuple[Expr, ...]
    legal: tuple[Line, ...]
    illegal: tuple[tuple[Line, str | None], ...]


@dataclass(frozen=True, slots=True)
class Preferred:
    """A move that a policy takes where it is legal and the condition holds; None: any way."""

    action: str
    args: tuple[tuple[str, Value | Expr], ...] = ()
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, typed. Which fields are set depends on the kind."""

    id: str
    kind: str
    span: Span | None
    says: str = ""
    cite: tuple[str, ...] = ()
    formula: Expr | None = None
    then: Expr | None = None
    where: Expr | None = None
    measure: Expr | None = None
    exactly_when: Expr | None = None
    who: Expr | None = None
    within: int | None = None
    depth: int | None = None
    what: str = ""
    of: str = ""
    sizes: tuple[int, ...] = ()
    up_to: tuple[str, ...] = ()
    before: Expr | None = None
    at: Expr | None = None
    play: tuple[Preferred, ...] | str = ""
    players: frozenset[int] | None = None
    given: Map | None = None
    expected: Expected | None = None
    scenarios: tuple[Staged, ...] = ()
    settings: tuple[dict[str, str], ...] = ()
    clauses: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)


def step_needs(exprs: list[Expr | None]) -> tuple[bool, frozenset[str]]:
    """Do the formulas look at the step before (`old`, `actor`), and which happenings do they count?"""
    looks = False
    counts: set[str] = set()
    stack: list[object] = [e for e in exprs if e is not None]
    while stack:
        e = stack.pop()
        if isinstance(e, Let) and "actor" in e.names:  # `can(…)` has an actor of its own
            inner, counted = step_needs([e.body])
            looks |= inner and "old" in _called(e.body)
            counts |= counted
            stack.extend(e.values)
            continue
        if isinstance(e, Call):
            looks |= e.name == "old"
            if e.name == "times":
                counts.add(e.subject)
        looks |= isinstance(e, Local) and e.name == "actor"
        stack.extend(_children(e))
    return looks, frozenset(counts)


def _called(e: object) -> set[str]:
    """The built-in formulas that a formula calls."""
    found = {e.name} if isinstance(e, Call) else set()
    return found.union(*(_called(c) for c in _children(e)))


def _children(e: object) -> list[object]:
    found: list[object] = []
    if isinstance(e, (Expr, Binder, Effect)) and not isinstance(e, Const):
        for name in e.__dataclass_fields__:
            if name in ("type", "span"):
                continue
            part = getattr(e, name)
            if isinstance(part, tuple):
                found.extend(part)
            elif isinstance(part, (Expr, Binder)):
                found.append(part)
    return found


class Reader:
    """Types the questions and scenarios of one checked game."""

    def __init__(self, game: Game, sink: Diagnostics, start: Map) -> None:
        self.game, self.sink, self.start = game, sink, start
        self.names = game.names

    def _scope(self, who: bool = False) -> dict[str, Type]:
        from tablelaw.spec.types import Maybe

        scope: dict[str, Type] = {"actor": Maybe(self.names.player)}
        if who:
            scope["who"] = SetOf(self.names.player)
        return scope

    def question(self, q: Question) -> Asked | None:
        """The typed question; None when it has a fault (the sink says so)."""
        before = len(self.sink)
        overview = asks_layouts(q)
        f = {k: self._typed(q, k) for k in q.formulas if k not in ("depth", "within", "goal", "exactly-when", "who")}
        given = None if overview else self.position(q.node.get("given"), f"in question `{q.id}`")
        asked = Asked(
            q.id, q.kind, q.span, q.says, q.cite, f.get(q.kind), f.get("then"), f.get("where"), f.get("measure"),
            within=self._number(q, "within"), depth=self._number(q, "depth"), given=given, expected=self._expected(q),
            what=text(q.node.get(q.kind)), texts={k: p.scalar.text for k, p in q.formulas.items()},
        )  # fmt: skip
        if overview and not (len(self.sink) > before and self.sink.has_errors):
            asked = replace(asked, **Overview(self.game, self.sink, q).fields(f))
        asked = replace(asked, **self._special(q, f))
        self._idle_keys(q)
        return None if len(self.sink) > before and self.sink.has_errors else asked

    def _idle_keys(self, q: Question) -> None:
        """Tell of what a question says and its kind does not ask, for the author believes that it counts."""
        for key, kinds in _OF_KINDS.items():
            node = q.node.get(key)
            if node is not None and q.kind not in kinds:
                takes = " and ".join(f"`{k}`" for k in kinds)
                cure = f"leave it out; only {takes} {'take' if len(kinds) > 1 else 'takes'} it"
                self.sink.error("Q103", node.span, f"`{q.kind}` takes no `{key}`", help=cure)

    def _typed(self, q: Question, key: str) -> Expr:
        numeric = key in ("largest", "smallest", "measure")
        target: Type = INT if numeric else BOOL
        if key == "expected":
            return self._amount(q)
        return formula(
            q.formulas[key], self.names, self.sink, self._scope(), target, f"`{key}`", "question", f"in question `{q.id}`"
        )

    def _amount(self, q: Question) -> Expr:
        """The formula of an expectation: a number, whole or not."""
        note = f"in question `{q.id}`"
        found = formula(q.formulas["expected"], self.names, self.sink, self._scope(), None, "`expected`", "question", note)
        if not isinstance(found.type, (Int, Frac, Unknown)):
            self.sink.error(
                "T101", q.formulas["expected"].scalar.span, "`expected` takes a number", notes=(note,), help="ask for a number"
            )
        return found

    def _number(self, q: Question, key: str) -> int | None:
        parsed = q.formulas.get(key)
        if parsed is None:
            return None
        found = static_value(parsed, self.names, self.sink, f"`{key}`")
        if found is None:
            return None
        if isinstance(found.value, bool) or not isinstance(found.value, int) or found.value < 0:
            self.sink.error("Q103", parsed.scalar.span, f"`{key}` is a whole number from 0", help="write a number")
            return None
        return found.value

    def _special(self, q: Question, f: dict[str, Expr]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        main = q.node.get(q.kind)
        if q.kind == "always-after":
            found["formula"] = f.get("when")
        elif q.kind in ("odds", "expected"):
            reader = PlayReader(self, q)
            reader.positions(f)
            found |= {"before": f.get("before"), "at": f.get("at"), **reader.fields()}
        elif q.kind == "progress" and text(main) != "true":
            self.sink.error("Q103", main.span if main else q.span, "`progress` asks `true`", help="write `progress: true`")
        elif q.kind == "terminates":
            if text(main) not in ("true", "almost-surely"):
                self.sink.error(
                    "Q103",
                    main.span if main else q.span,
                    "`terminates` asks `true` or `almost-surely`",
                    help="write `terminates: true`",
                )
        elif q.kind == "count":
            if text(main) not in ("states", "plays", "moves", "layouts"):
                near = did_you_mean(text(main), ("states", "plays", "moves", "layouts"))
                self.sink.error(
                    "Q103",
                    main.span if main else q.span,
                    "`count` counts `states`, `plays`, `moves` or `layouts`",
                    help=f"did you mean `{near}`?" if near else "write for example `count: states`",
                )
            elif text(main) != "layouts" and q.node.get("up_to") is not None:
                found["up_to"] = up_to(q, self.sink, OF_STATES) or ()
                if found["up_to"] and text(main) != "states":
                    self.sink.error(
                        "Q103", q.span, f"only states and layouts are counted up to a symmetry, not {text(main)}",
                        help="leave `up_to` out",
                    )  # fmt: skip
            if text(main) == "moves" and "depth" not in q.formulas:
                self.sink.error("Q103", q.span, "`count: moves` needs `depth`", help="add `depth: 5`")
        elif q.kind == "force":
            found |= self._force(q, main)
        elif q.kind == "possible":
            found["scenarios"] = self._possible(q, main)
        elif q.kind == "same":
            found["settings"] = setting_pair(q, self.game, self.sink)
        elif q.kind == "clarifies":
            found |= {key: clause_ids(q, name, self.game, self.sink) for key, name in _NAMED.items()}
        return found

    def _force(self, q: Question, main: Node | None) -> dict[str, Any]:
        note = f"in question `{q.id}`"
        goal = q.formulas.get("goal")
        found: dict[str, Any] = {}
        if goal is not None:
            found["formula"] = formula(goal, self.names, self.sink, self._scope(who=True), BOOL, "`goal`", "question", note)
        exactly = q.formulas.get("exactly-when")
        if exactly is not None:
            found["exactly_when"] = formula(
                exactly, self.names, self.sink, self._scope(), BOOL, "`exactly-when`", "question", note
            )
        who = get(main, "who")
        seats: list[int] = []
        if isinstance(who, Scalar) and "who" in q.formulas:
            typed = formula(q.formulas["who"], self.names, self.sink, {}, None, "`who`", "question", note)
            if not isinstance(typed.type, (Int, SetOf, Unknown)):
                self.sink.error("T101", who.span, "`who` names players", help="write `who: [0]` or `who: turn`")
            if isinstance(typed, Const) and isinstance(typed.value, int):
                typed = Const(frozenset({typed.value}), type=SetOf(self.names.player))
            found["who"] = typed
            return found
        for n in elements(who):
            seat = text(n)
            if not seat.isdecimal() or int(seat) >= self.game.players:
                self.sink.error(
                    "Q103", n.span, f"`{seat}` is not a seat of this game", help=f"seats are 0 to {self.game.players - 1}"
                )
            else:
                seats.append(int(seat))
        found["who"] = Const(frozenset(seats), type=SetOf(self.names.player))
        return found

    def _possible(self, q: Question, main: Node | None) -> tuple[Staged, ...]:
        found = []
        for n in elements(main):
            scenario = self.game.document.scenarios.get(text(n))
            if scenario is None:
                near = did_you_mean(text(n), self.game.document.scenarios)
                self.sink.error(
                    "Q104",
                    n.span,
                    f"no scenario is called `{text(n)}`",
                    help=f"did you mean `{near}`?" if near else "see what the file declares",
                )
                continue
            staged = self.scenario(scenario)
            if staged is not None:
                found.append(staged)
        return tuple(found)

    def _expected(self, q: Question) -> Expected | None:
        if self.names.open:
            return None  # what is expected may depend on options that are left open
        node = q.node.get("expect")
        if isinstance(node, Mapping) and node.get("approximately") is None and q.numbers:
            key = str(q.numbers[0][1])
            node = node.get(key)
        return self._expectation(node, q)

    def _expectation(self, node: Node | None, q: Question) -> Expected | None:
        if node is None:
            return None
        if isinstance(node, Scalar):
            if node.text in (VERDICTS if q.kind != "clarifies" else (*WORDS, "unknown")):
                return Expected(verdict=node.text)
            if q.kind == "same" and node.text in RELATIONS:
                return Expected(value=node.text)
            if q.kind == "clarifies":
                near = did_you_mean(node.text, WORDS)
                cure = f"did you mean `{near}`?" if near else "one of " + ", ".join(WORDS)
                self.sink.error("Q105", node.span, f"`{node.text}` is nothing that clauses do to rules", help=cure)
                return None
            if q.kind == "same":
                words = tuple(dict.fromkeys((*VERDICTS, *RELATIONS)))
                near = did_you_mean(node.text, words)
                cure = f"did you mean `{near}`?" if near else "one of " + ", ".join(words)
                self.sink.error("Q105", node.span, f"`{node.text}` is nothing that two games can be to each other", help=cure)
                return None
            parsed = parse_formula(node, self.sink)
            value = static_value(parsed, self.names, self.sink, "`expect`") if parsed else None
            return Expected(value=str(value.value)) if value is not None else None
        if isinstance(node, Mapping):
            about, within = node.get("approximately"), node.get("within")
            if isinstance(about, Scalar) and isinstance(within, Scalar):
                try:
                    return Expected(value=str(Fraction(about.text)), within=Fraction(within.text))
                except (ValueError, ZeroDivisionError):
                    pass
            self.sink.error(
                "Q105",
                node.span,
                "`expect` is a verdict, a value, or a list of `{only, is}`",
                help="write for example `expect: holds`",
            )
            return None
        for n in node.items:
            only = Builder(self.sink)._only(get(n, "only")) if get(n, "only") is not None else None
            if get(n, "is") is None:
                self.sink.error("Q105", n.span, "each of these needs `is`", help="write `{only: {option: value}, is: holds}`")
                return None
            if holds(only, self.names, self.game.document, self.sink):
                return self._expectation(get(n, "is"), q)
        return None

    # positions and plays

    def position(self, node: Node | None, note: str = "") -> Map | None:
        """A position written down: what it leaves out has its initial value. None when nothing is given, or it is faulty."""
        if node is None:
            return None
        if not isinstance(node, Mapping):
            self.sink.error("S203", node.span, "a position is variables with values", help="write `{turn: 0, score: {0: 20}}`")
            return None
        kinds = {v.name: v.type for v in self.game.variables}
        state = dict(self.start)
        named: list[tuple[str, Node]] = []
        for key, value in items(node):
            if key.text not in kinds:
                near = did_you_mean(key.text, kinds)
                self.sink.error(
                    "R204",
                    key.span,
                    f"no variable is called `{key.text}`",
                    help=f"did you mean `{near}`?" if near else "see what the file declares",
                )
                continue
            kind = kinds[key.text]
            if isinstance(kind, LayoutType) and contact_left_open(self.game):
                laid = read_layout(value, kind, self.sink, contact=False)
                state[key.text] = state[key.text] if laid is None else laid
                continue
            try:
                state[key.text] = read_value(value, kind, self.names, self.sink, state[key.text], f"`{key.text}`", spread=True)
            except Unreadable:
                continue
            if placed(kinds[key.text]) and state[key.text] != self.start[key.text]:
                named.append((key.text, value))
        layout = None if named and parts_left_open(self.game) else layout_of(state, kinds)
        for name, value in named:
            missing_parts(state[name], kinds[name], value, layout, self.sink)
        return Map(state)

    def scenario(self, s: Scenario) -> Staged | None:
        """The typed scenario; None when it has a fault."""
        before = len(self.sink)
        given_node = s.node.get("given")
        given = self.position(given_node)
        lines = [line for n in elements(s.node.get("play")) if (line := self._play_line(n)) is not None]
        then = tuple(self._check(p) for p in s.then)
        legal = tuple(
            line for n in elements(s.node.get("legal")) if isinstance(n, Scalar) and (line := self.move_line(n)) is not None
        )
        illegal = []
        for n in elements(s.node.get("illegal")):
            move = get(n, "move") if isinstance(n, Mapping) else n
            by = text(get(n, "by")) or None
            if by is not None and by not in self.game.clauses and by not in self.game.document.clauses():
                near = did_you_mean(by, self.game.clauses)
                self.sink.error(
                    "Q106",
                    n.span,
                    f"no clause is called `{by}`",
                    help=f"did you mean `{near}`?" if near else "give the id of a `check`",
                )
            line = self.move_line(move) if isinstance(move, Scalar) else None
            if line is not None:
                illegal.append((line, by))
        if len(self.sink) > before and self.sink.has_errors:
            return None
        named = frozenset(k.text for k, _ in items(given_node))
        return Staged(s.id, s.span, s.says, s.cite, given, named, tuple(lines), then, legal, tuple(illegal))

    def _check(self, parsed: Parsed) -> Expr:
        return formula(parsed, self.names, self.sink, self._scope(), BOOL, "`then`", "question")

    def _play_line(self, n: Node) -> Line | None:
        if isinstance(n, Scalar):
            return self.move_line(n)
        checks = []
        for c in elements(get(n, "then")):
            parsed = parse_formula(c, self.sink) if isinstance(c, Scalar) else None
            if parsed is not None:
                checks.append(self._check(parsed))
        return Line(n.span, "then", then=tuple(checks)) if checks else None

    def move_line(self, node: Scalar) -> Line | None:
        """A move as people write it: `build(face=cap) * 4`, `roll -> got=knight*2+cap`, `roll -> got[knight] == 2`, `...`."""
        word = node.text.strip()
        if word in ("...", "…"):
            return Line(node.span, "...")
        head, arrow, tail = _cut(word)
        found = re.fullmatch(r"([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*(?:\*\s*(\d{1,4}))?", head.strip(), re.S)
        if not found:
            self.sink.error(
                "Q107", node.span, f"`{word[:60]}` is not a move", help="write `take(n=2)`, `roll -> pips=1` or `build * 4`"
            )
            return None
        action = self.game.action(found[1])
        if action is None:
            known = [a.name for a in self.game.actions]
            near = did_you_mean(found[1], known)
            self.sink.error(
                "Q107",
                node.span,
                f"no action is called `{found[1]}`",
                help=f"did you mean `{near}`?" if near else "see what the file declares",
            )
            return None
        kinds = {b.name: b.type for b in action.params}
        args = self._values(found[2] or "", kinds, node, f"action `{action.name}`")
        if args is None:
            return None
        draw: tuple[tuple[str, Value], ...] = ()
        condition: Expr | None = None
        if arrow:
            draws = {d.name: d.type for d in action.draws}
            if not draws:
                self.sink.error("Q107", node.span, f"`{action.name}` draws nothing", help="leave out what follows `->`")
                return None
            if re.match(r"\s*[A-Za-z_]\w*\s*=(?!=)", tail):
                values = self._values(tail, draws, node, f"the draw of `{action.name}`")
                if values is None:
                    return None
                draw = values
            else:
                inner = Scalar(tail.strip(), "single", node.span, tuple(node.span.start for _ in range(len(tail.strip()) + 1)))
                parsed = parse_formula(inner, self.sink)
                if parsed is None:
                    return None
                condition = formula(
                    parsed, self.names, self.sink, {**kinds, **draws, **self._scope()}, BOOL, "what follows `->`", "question"
                )
        return Line(node.span, word, action.name, args, draw, condition, int(found[3] or 1))

    def _values(self, inside: str, kinds: dict[str, Type], node: Scalar, what: str) -> tuple[tuple[str, Value], ...] | None:
        from tablelaw.spec.types import BagOf, placed
        from tablelaw.spec.typetext import split_top

        found: list[tuple[str, Value]] = []
        if not inside.strip():
            return ()
        for piece, _ in split_top(inside):
            name, equals, value = (p.strip() for p in piece.partition("="))
            if not equals or name not in kinds:
                near = did_you_mean(name, kinds)
                cure = (
                    f"did you mean `{near}`?"
                    if near
                    else (f"it has {', '.join(f'`{k}`' for k in kinds)}" if kinds else "it has none")
                )
                self.sink.error("Q107", node.span, f"{what} has no value called `{name}`", help=cure)
                return None
            if any(name == n for n, _ in found):
                self.sink.error("Q107", node.span, f"`{name}` is given twice", help=f"give `{name}` once")
                return None
            kind = kinds[name]
            try:
                if isinstance(kind, BagOf) and not placed(kind.elem):
                    found.append((name, self._bag(value, kind, node)))
                else:
                    scalar = Scalar(value, "plain", node.span, tuple(node.span.start for _ in range(len(value) + 1)))
                    found.append((name, read_value(scalar, kind, self.names, self.sink, None, f"`{name}`")))
            except Unreadable:
                return None
        return tuple(found)

    def _bag(self, value: str, kind: Type, node: Scalar) -> Value:
        """`knight*2+cap`; `nothing` is the empty bag."""
        from tablelaw.spec import types as ty
        from tablelaw.spec.types import BagOf

        assert isinstance(kind, BagOf)
        counts = dict.fromkeys(ty.domain(kind.elem), 0)
        names = {str(k): k for k in counts}
        if value not in ("nothing", "bag()", ""):
            for part in value.split("+"):
                word, _, times = (p.strip() for p in part.partition("*"))
                if word.isdecimal() and not times.isdecimal() and times in names:
                    word, times = times, word
                if word not in names or (times and not times.isdecimal()):
                    near = did_you_mean(word, names)
                    self.sink.error(
                        "Q107",
                        node.span,
                        f"`{part.strip()}` is not part of such a bag",
                        help=f"did you mean `{near}`?" if near else "write `knight*2+cap`",
                    )
                    raise Unreadable
                counts[names[word]] += int(times or 1)
        return Map(counts)


def _cut(word: str) -> tuple[str, bool, str]:
    head, arrow, tail = word.partition("->")
    return head, bool(arrow), tail
