"""A rules file as its author wrote it: clauses, actions, questions, with every formula parsed and nothing resolved yet."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field, replace

from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.expressions import Parsed, parse_effects, parse_formula
from tablelaw.spec.source import Span
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

_LONGEST_HEADER = 2000
HEADER = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*\Z", re.S)


@dataclass(frozen=True, slots=True, eq=False)
class Only:
    """When a thing exists: a mapping from options to values, or a formula on options; and of every thing around it."""

    settings: tuple[tuple[Scalar, tuple[Scalar, ...]], ...] = ()
    formula: Parsed | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A unit of citation. `role`: action, check, effect, end or remark."""

    id: str
    role: str
    span: Span
    says: str = ""
    cite: tuple[str, ...] = ()
    only: tuple[Only, ...] = ()
    check: Parsed | None = None
    when: Parsed | None = None
    do: Parsed | None = None
    winners: Parsed | None = None
    excepts: str | None = None
    replaces: str | None = None
    proposed: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """A move of a player (`by` a formula) or a table action (`by` None), itself a clause of its name."""

    clause: Clause
    by: Parsed | None
    during: Parsed | None
    params: tuple[tuple[Scalar, Scalar], ...]
    require: tuple[Clause, ...]
    chance: tuple[tuple[Scalar, Parsed], ...]
    do: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OptionValue:
    """One value of an option."""

    name: str
    says: str
    only: Only | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """A choice fixed before play; `numeric` options have whole numbers."""

    id: str
    kind: str
    question: str
    span: Span
    values: tuple[OptionValue, ...]
    default: str
    numeric: bool
    only: Only | None
    cite: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A named formula (`body` one formula) or a named list of clauses."""

    name: str
    span: Span
    params: tuple[tuple[str, Scalar, int, int], ...]
    formula: Parsed | None = None
    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A state variable."""

    name: str
    span: Span
    type: Scalar
    init: Node | None
    says: str
    only: Only | None


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question; `numbers` are the values of a family's names, already put into its texts."""

    id: str
    kind: str
    span: Span
    node: Mapping
    says: str
    cite: tuple[str, ...]
    only: tuple[Only, ...]
    formulas: dict[str, Parsed]
    numbers: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """A position, a play and what must hold."""

    id: str
    span: Span
    node: Mapping
    says: str
    cite: tuple[str, ...]
    only: tuple[Only, ...]
    then: tuple[Parsed, ...]


@dataclass(slots=True, eq=False)
class Document:
    """Everything in a rules file and the files it includes."""

    game: str = ""
    title: str = ""
    span: Span | None = None
    players: Scalar | None = None
    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    options: dict[str, Option] = field(default_factory=dict)
    constraints: list[Parsed] = field(default_factory=list)
    types: dict[str, tuple[Scalar, Node]] = field(default_factory=dict)
    constants: dict[str, tuple[Scalar, Node]] = field(default_factory=dict)
    pieces: Mapping | None = None
    variables: dict[str, Variable] = field(default_factory=dict)
    defines: dict[str, Definition] = field(default_factory=dict)
    effects: dict[str, Definition] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    ends: list[Clause] = field(default_factory=list)
    remarks: list[Clause] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)
    scenarios: dict[str, Scenario] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)
    """Names and options whose declaration has a fault that is told; they are not told of again where they are used."""

    def every_clause(self) -> list[Clause]:
        """Every clause, alternatives of one id and those without an id of their own among them."""
        found: list[Clause] = []
        for action in self.actions.values():
            found += [action.clause, *action.require, *action.do]
        for effect in self.effects.values():
            found += effect.clauses
        return [*found, *self.ends]

    def clauses(self) -> dict[str, Clause]:
        """Every clause by its id, in the order of the file (alternatives of one id: the first)."""
        found: dict[str, Clause] = {}
        for action in self.actions.values():
            found.setdefault(action.clause.id, action.clause)
            for clause in (*action.require, *action.do):
                if not clause.plain:
                    found.setdefault(clause.id, clause)
        for effect in self.effects.values():
            for clause in effect.clauses:
                if not clause.plain:
                    found.setdefault(clause.id, clause)
        for clause in self.ends:
            found.setdefault(clause.id, clause)
        return found


class Builder:
    """Reads a validated tree of nodes into a `Document`; skips what validation has reported."""

    def __init__(self, sink: Diagnostics) -> None:
        self.sink = sink
        self.doc = Document()
        self.ids: dict[str, Clause] = {}
        self.lists: dict[str, tuple[str, str]] = {}
        self.formulas: dict[int, tuple[Scalar, Parsed | None]] = {}
        self.families = 0

    def build(self, root: Mapping) -> Document:
        doc = self.doc
        doc.span = root.span
        doc.game, doc.title = text(root.get("game")), text(root.get("title"))
        players = root.get("players")
        doc.players = players if isinstance(players, Scalar) else None
        for key, node in items(root.get("sources")):
            doc.sources[key.text] = {k.text: text(v) for k, v in items(node)}
        for key, node in items(root.get("options")):
            self._option(key, node)
        doc.constraints = [p for n in elements(root.get("constraints")) if (p := self._formula(n))]
        doc.types = {k.text: (k, v) for k, v in items(root.get("types"))}
        doc.constants = {k.text: (k, v) for k, v in items(root.get("constants"))}
        pieces = root.get("pieces")
        doc.pieces = pieces if isinstance(pieces, Mapping) else None
        for key, node in items(root.get("state")):
            kind = get(node, "type")
            if not isinstance(kind, Scalar):
                doc.faulty.add(key.text)
            else:
                says = text(get(node, "says"))
                doc.variables[key.text] = Variable(
                    key.text, key.span, kind, get(node, "init"), says, self._only(get(node, "only"))
                )
        for key, node in items(root.get("define")):
            self._define(key, node)
        for key, node in items(root.get("effects")):
            self._effects(key, node)
        for key, node in items(root.get("actions")):
            self._action(key, node)
        doc.ends = list(in_place([c for n in elements(root.get("end")) if (c := self._clause(n, "end", ""))]))
        doc.remarks = [
            Clause(text(get(n, "id")), "remark", n.span, text(get(n, "says")), texts(get(n, "cite")))
            for n in elements(root.get("remarks"))
        ]
        self._excepts()
        for key, node in items(root.get("questions")):
            self._question(key, node)
        for key, node in items(root.get("scenarios")):
            self._scenario(key, node)
        return doc

    def _formula(self, node: Node | None) -> Parsed | None:
        """Parse a formula; the same node, met again through an alias, is parsed once."""
        if not isinstance(node, Scalar) or node.value is None:
            return None
        if id(node) not in self.formulas:
            self.formulas[id(node)] = (node, parse_formula(node, self.sink))
        return self.formulas[id(node)][1]

    def _only(self, node: Node | None) -> Only | None:
        if isinstance(node, Scalar):
            return Only(formula=self._formula(node))
        if isinstance(node, Mapping):
            settings = [(e.key, tuple(v for v in elements(e.value) if isinstance(v, Scalar))) for e in node.entries]
            return Only(tuple(settings))
        return None

    def _option(self, key: Scalar, node: Node) -> None:
        self.doc.faulty.add(key.text)
        values_node, default = get(node, "values"), get(node, "default")
        values: list[OptionValue] = []
        if isinstance(values_node, Scalar):
            found = re.fullmatch(r"\s*(-?[0-9]{1,9})\s*\.\.\s*(-?[0-9]{1,9})\s*", values_node.text)
            if not found or not int(found[1]) <= int(found[2]) < int(found[1]) + 10_000:
                self.sink.error(
                    "Q301",
                    values_node.span,
                    f"`{values_node.text}` is not a range of whole numbers",
                    help="write `1..6`, or list the values",
                )
                return
            values = [OptionValue(str(v), "", None, values_node.span) for v in range(int(found[1]), int(found[2]) + 1)]
        elif isinstance(values_node, Sequence):
            scalars = [v for v in values_node.items if isinstance(v, Scalar)]
            seen: set[str] = set()
            for v in scalars:
                if v.text in seen:
                    self.sink.error(
                        "Q301", v.span, f"value `{v.text}` of option `{key.text}` stands twice", help="give it once"
                    )
                seen.add(v.text)
                values.append(OptionValue(v.text, "", None, v.span))
        elif isinstance(values_node, Mapping):
            for e in values_node.entries:
                says = text(get(e.value, "says")) if isinstance(e.value, Mapping) else text(e.value)
                values.append(OptionValue(e.key.text, says, self._only(get(e.value, "only")), e.key.span))
        if not values:
            if isinstance(values_node, (Sequence, Mapping)):
                self.sink.error("Q301", key.span, f"option `{key.text}` has no values", help="list them under `values:`")
            return
        if len(values) > 10_000:
            self.sink.error("Q301", key.span, f"option `{key.text}` has more than 10000 values", help="list fewer")
            return
        numeric = all(re.fullmatch(r"(?:0|-?[1-9][0-9]{0,8})", v.name) for v in values)
        if isinstance(default, Scalar) and default.text not in {v.name for v in values}:
            names = ", ".join(v.name for v in values[:8]) + (" …" if len(values) > 8 else "")
            near = did_you_mean(default.text, [v.name for v in values])
            cure = f"did you mean `{near}`?" if near else f"one of {names}"
            self.sink.error(
                "Q301", default.span, f"the default `{default.text}` is not a value of option `{key.text}`", help=cure
            )
            return
        if default is None or not text(default):
            return
        self.doc.faulty.discard(key.text)
        self.doc.options[key.text] = Option(
            key.text, text(get(node, "kind")), text(get(node, "question")), key.span, tuple(values), text(default), numeric,
            self._only(get(node, "only")), texts(get(node, "cite")), tuple(v.name for v in values),
        )  # fmt: skip

    def _header(self, key: Scalar) -> tuple[str, tuple[tuple[str, Scalar, int, int], ...]] | None:
        found = HEADER.match(key.text) if len(key.text) <= _LONGEST_HEADER else None
        if not found:
            self.sink.error(
                "S206", key.span, f"`{key.text[:60]}` is not a name with arguments", help="write `name(x in Type, …)`"
            )
            return None
        params: list[tuple[str, Scalar, int, int]] = []
        if found[2] and found[2].strip():
            at = found.start(2)
            for piece in _split(found[2]):
                part = re.fullmatch(r"(\s*)([A-Za-z_]\w*)\s+in\s+(.+?)\s*", piece, re.S)
                lead = len(piece) - len(piece.lstrip())
                place = key.place(at + lead, at + max(len(piece.rstrip()), lead))
                if not part:
                    self.sink.error(
                        "S206", place, "an argument is written `x in Type`", help="say which type it has, as in `p in Player`"
                    )
                    return None
                if keyword.iskeyword(part[2]):
                    self.sink.error(
                        "S206", place, f"`{part[2]}` is a word of the grammar of formulas", help="choose another name"
                    )
                    return None
                if part[2] in {p[0] for p in params}:
                    self.sink.error(
                        "S301", place, f"the argument `{part[2]}` stands twice", help="give one of them another name"
                    )
                    return None
                params.append((part[2], key, at + part.start(3), at + part.end(3)))
                at += len(piece) + 1
        return found[1], tuple(params)

    def _define(self, key: Scalar, node: Node) -> None:
        header = self._header(key)
        body = get(node, "is") if isinstance(node, Mapping) else node
        formula = self._formula(body)
        if header is None or formula is None:
            self.doc.faulty.add(header[0] if header else key.text.partition("(")[0].strip())
            return
        name, params = header
        old = self.doc.defines.get(name)
        if old and text(get(node, "replaces")) != name:
            self._twice(key.span, name, old.span)
            return
        self.doc.defines[name] = Definition(name, key.span, params, formula)

    def _effects(self, key: Scalar, node: Node) -> None:
        header = self._header(key)
        if header is None:
            self.doc.faulty.add(key.text.partition("(")[0].strip())
            return
        name, params = header
        clauses = self._do(get(node, "do") if isinstance(node, Mapping) else node, name)
        if name in self.doc.effects and text(get(node, "replaces")) != name:
            self._twice(key.span, name, self.doc.effects[name].span)
            return
        self.doc.effects[name] = Definition(name, key.span, params, None, clauses)

    def _do(self, node: Node | None, owner: str) -> tuple[Clause, ...]:
        found: list[Clause] = []
        for item in elements(node):
            if isinstance(item, Scalar):
                do = parse_effects(item, self.sink)
                if do:
                    found.append(Clause(owner, "effect", item.span, do=do, plain=True))
            elif clause := self._clause(item, "effect", owner):
                found.append(clause)
        return in_place(found)

    def _action(self, key: Scalar, node: Node) -> None:
        only = self._only(get(node, "only"))
        clause = Clause(
            key.text, "action", key.span, text(get(node, "says")), texts(get(node, "cite")), (only,) if only else (),
            replaces=text(get(node, "replaces")) or None, proposed=text(get(node, "proposed")) == "true",
        )  # fmt: skip
        self._register(clause)
        by = get(node, "by")
        table = isinstance(by, Scalar) and by.text.strip() == "table"
        if by is None:
            self.sink.error("S202", key.span, f"action `{key.text}` needs `by`", help="write `by: turn`, or `by: table`")
        params = [(k, v) for k, v in items(get(node, "params")) if isinstance(v, Scalar)]
        chance = [(k, p) for k, v in items(get(node, "chance")) if (p := self._formula(v))]
        self.doc.actions[key.text] = Action(
            clause, None if table else self._formula(by), self._formula(get(node, "during")), tuple(params),
            in_place([c for n in elements(get(node, "require")) if (c := self._clause(n, "check", key.text))]),
            tuple(chance), self._do(get(node, "do"), key.text),
        )  # fmt: skip

    def _clause(self, node: Node, role: str, owner: str) -> Clause | None:
        if not isinstance(node, Mapping):
            return None
        only = self._only(node.get("only"))
        do = node.get("do")
        clause = Clause(
            text(node.get("id")) or owner, role, node.span, text(node.get("says")), texts(node.get("cite")),
            (only,) if only else (), self._formula(node.get("check")), self._formula(node.get("when")),
            parse_effects(do, self.sink) if isinstance(do, Scalar) and do.value is not None else None,
            self._formula(node.get("winners")), text(node.get("excepts")) or None, text(node.get("replaces")) or None,
            text(node.get("proposed")) == "true", plain=node.get("id") is None,
        )  # fmt: skip
        if not clause.plain:
            self._register(clause, owner)
        return clause

    def _register(self, clause: Clause, owner: str = "") -> None:
        old = self.ids.get(clause.id)
        if old is not None and clause.replaces != clause.id:
            self._twice(clause.span, clause.id, old.span)
        elif clause.replaces and clause.replaces not in self.ids:
            near = did_you_mean(clause.replaces, self.ids)
            cure = f"did you mean `{near}`?" if near else "give the id of a clause that stands earlier, or in an included file"
            self.sink.error(
                "S302", clause.span, f"`{clause.replaces}` is replaced here, but no clause of that id stands before", help=cure
            )
        elif clause.replaces and self.lists[clause.replaces] != (clause.role, owner):
            message = f"`{clause.replaces}` is replaced here, but it is {_list_of(*self.lists[clause.replaces])}"
            cure = "a clause stands in for one in the same place of its list: put it into that list"
            self.sink.error("S302", clause.span, message, help=cure)
        self.ids[clause.id], self.lists[clause.id] = clause, (clause.role, owner)

    def _twice(self, span: Span, name: str, first: Span) -> None:
        place = f"first in {first.source.name}, line {first.line}"
        self.sink.error("S301", span, f"`{name}` stands twice", notes=(place,), help=f"rename one, or say `replaces: {name}`")

    def _excepts(self) -> None:
        for clause in self.ids.values():
            if not clause.excepts:
                continue
            other = self.ids.get(clause.excepts)
            if other is None:
                near = did_you_mean(clause.excepts, self.ids)
                cure = f"did you mean `{near}`?" if near else "give the id of a clause with a `check`"
                self.sink.error(
                    "S302", clause.span, f"`{clause.id}` excepts `{clause.excepts}`, but there is no such clause", help=cure
                )
            elif other.role != "check":
                cure = "only a `check` can be excepted"
                self.sink.error("S302", clause.span, f"`{clause.id}` excepts `{clause.excepts}`, which is no check", help=cure)

    def _question(self, key: Scalar, node: Node) -> None:
        from tablelaw.spec.forms import KINDS

        if not isinstance(node, Mapping):
            return
        self._replaces_nothing(node, "question")
        kinds = [e.key for e in node.entries if e.key.text in KINDS]
        if len(kinds) != 1:
            if kinds:
                cure = f"make two questions, one with `{kinds[0].text}` and one with `{kinds[1].text}`"
                self.sink.error("Q101", kinds[1].span, "a question asks one thing", help=cure)
            else:
                cure = "add one of " + ", ".join(f"`{k}`" for k in KINDS)
                self.sink.error("Q101", key.span, f"question `{key.text}` asks nothing", help=cure)
            return
        ranges = self._family(node.get("for"))
        if ranges is None:
            return
        combinations = _combinations(ranges)
        self.families += _length(node) * len(combinations)
        if ranges and (len(combinations) > _MOST_IN_FAMILY or self.families > _LONGEST_FAMILIES):
            message = f"the family `{key.text}` has {len(combinations)} questions, which is too many"
            self.sink.error("Q102", key.span, message, help="use smaller ranges after `for:`")
            return
        for numbers in combinations:
            inner = _renamed(node, dict(numbers)) if numbers else node
            name = _put(key.text, dict(numbers))
            if name in self.doc.questions:
                if numbers and name == key.text:
                    missing = numbers[0][0]
                    self.sink.error(
                        "Q102",
                        key.span,
                        f"all questions of this family are called `{name}`",
                        help=f"put `{{{missing}}}` into the name",
                    )
                    break
                self.sink.error("S301", key.span, f"question `{name}` stands twice", help="rename one of them")
                continue
            assert isinstance(inner, Mapping)
            only = self._only(inner.get("only"))
            formulas = {}
            for entry in inner.entries:
                if entry.key.text in _FORMULAS and isinstance(entry.value, Scalar):
                    if parsed := self._formula(entry.value):
                        formulas[entry.key.text] = parsed
                elif isinstance(entry.value, Mapping) and entry.key.text in ("always-after", "force"):
                    for sub in entry.value.entries:
                        if isinstance(sub.value, Scalar) and (parsed := self._formula(sub.value)):
                            formulas[sub.key.text] = parsed
            self.doc.questions[name] = Question(
                name,
                kinds[0].text,
                key.span,
                inner,
                text(inner.get("says")),
                texts(inner.get("cite")),
                (only,) if only else (),
                formulas,
                tuple(numbers),
            )

    def _family(self, node: Node | None) -> list[tuple[str, range]] | None:
        ranges = []
        for key, value in items(node):
            found = re.fullmatch(r"\s*([0-9]{1,6})\s*\.\.\s*([0-9]{1,6})\s*", text(value))
            if not found or not int(found[1]) <= int(found[2]) < int(found[1]) + _MOST_IN_FAMILY:
                message = f"`{text(value)[:60]}` is not a range of numbers for a family"
                self.sink.error(
                    "Q102", value.span, message, help=f"write `{{n: 2..9}}`; a family has at most {_MOST_IN_FAMILY} questions"
                )
                return None
            ranges.append((key.text, range(int(found[1]), int(found[2]) + 1)))
        return ranges

    def _replaces_nothing(self, node: Mapping, what: str) -> None:
        """A `replaces` that the joining of files left standing."""
        said = node.get("replaces")
        if said is not None:
            message = f"`{text(said)}` is replaced here, but no {what} of that name stands in an included file"
            self.sink.error("S302", said.span, message, help=f"give the name of this {what}, which is that of the earlier one")

    def _scenario(self, key: Scalar, node: Node) -> None:
        if isinstance(node, Mapping):
            self._replaces_nothing(node, "scenario")
            only = self._only(node.get("only"))
            then = tuple(p for n in elements(node.get("then")) if (p := self._formula(n)))
            says, cite = text(node.get("says")), texts(node.get("cite"))
            self.doc.scenarios[key.text] = Scenario(key.text, key.span, node, says, cite, (only,) if only else (), then)


_MOST_IN_FAMILY = 200
_LONGEST_FAMILIES = 200_000
"""How many characters the questions of all families may have together."""

_FORMULAS = {
    "always", "never", "reach", "largest", "smallest", "odds", "expected", "where", "within", "before", "at", "depth",
    "measure", "exactly-when", "some-layout", "every-layout",
}  # fmt: skip


def _list_of(role: str, owner: str) -> str:
    """Where a clause stands, in words."""
    if role == "action":
        return "an action"
    return "among the ends of the game" if role == "end" else f"{'a check' if role == 'check' else 'an effect'} of `{owner}`"


def in_place(clauses: list[Clause]) -> tuple[Clause, ...]:
    """The clauses of one list in the order they are read: one that replaces another of the list stands where that one does."""
    found: list[Clause] = []
    for c in clauses:
        at = next((i for i, x in enumerate(found) if c.replaces and x.id == c.replaces and not x.plain), None)
        if at is None:
            found.append(c)
            continue
        while at + 1 < len(found) and found[at + 1].replaces == c.replaces:
            at += 1
        found.insert(at + 1, c)
    return tuple(found)


def text(node: Node | None) -> str:
    """The text of a scalar, else nothing."""
    return node.text.strip() if isinstance(node, Scalar) else ""


def texts(node: Node | None) -> tuple[str, ...]:
    """A text or a list of texts."""
    return tuple(text(n) for n in elements(node) if text(n))


def items(node: Node | None) -> list[tuple[Scalar, Node]]:
    """Keys and values of a mapping, else nothing."""
    return [(e.key, e.value) for e in node.entries] if isinstance(node, Mapping) else []


def elements(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; a single value counts as a list of one."""
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return ()
    return node.items if isinstance(node, Sequence) else (node,)


def get(node: Node | None, key: str) -> Node | None:
    """The value of a key, if the node has keys."""
    return node.get(key) if isinstance(node, Mapping) else None


def _split(inside: str) -> list[str]:
    """Split at commas outside brackets."""
    pieces, depth, last = [], 0, 0
    for i, c in enumerate(inside):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            pieces.append(inside[last:i])
            last = i + 1
    return [*pieces, inside[last:]]


def _combinations(ranges: list[tuple[str, range]]) -> list[list[tuple[str, int]]]:
    result: list[list[tuple[str, int]]] = [[]]
    for name, values in ranges:
        result = [[*r, (name, v)] for r in result for v in values]
        if len(result) > _MOST_IN_FAMILY:
            break
    return result


def _length(node: Node) -> int:
    if isinstance(node, Scalar):
        return 20 + len(node.text)
    if isinstance(node, Sequence):
        return 20 + sum(_length(n) for n in node.items)
    return 20 + sum(_length(e.value) + len(e.key.text) for e in node.entries)


def _put(template: str, numbers: dict[str, int]) -> str:
    return re.sub(r"\{([A-Za-z_]\w*)\}", lambda m: str(numbers.get(m[1], m[0])), template)


_NO_FORMULAS = frozenset({"says", "cite", "for", "possible", "options", "under", "of", "same", "clarifies", "against", "only"})


def _renamed(node: Node, numbers: dict[str, int], bare: bool = True) -> Node:
    """The node with `{n}` in its texts, and the bare name in its formulas, replaced by the number."""
    if isinstance(node, Scalar):
        new = _put(node.text, numbers)
        for name, number in numbers.items() if bare else ():
            if not re.search(rf"\bfor\s+{name}\b", new):
                new = re.sub(rf"(?<![\w.]){name}\b(?!\s*\(|\s*=(?!=))", str(number), new)
        return renewed(node, new)
    if isinstance(node, Sequence):
        return replace(node, items=tuple(_renamed(n, numbers, bare) for n in node.items))
    entries = []
    for e in node.entries:
        value = e.value if e.key.text == "for" else _renamed(e.value, numbers, bare and e.key.text not in _NO_FORMULAS)
        entries.append(replace(e, key=renewed(e.key, _put(e.key.text, numbers)), value=value))
    return replace(node, entries=tuple(entries))


def renewed(node: Scalar, new: str) -> Scalar:
    """The scalar with another text; places inside are those of the old text as far as it goes."""
    if new == node.text:
        return node
    last = node.offsets[-1]
    return replace(
        node, text=new, offsets=tuple(node.offsets[min(i, len(node.offsets) - 1)] for i in range(len(new))) + (last,)
    )
