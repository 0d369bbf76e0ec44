"""The form of a rules file: which keys stand where, and what each holds.

One table for the reader, the JSON Schema (`schema.py`) and the formatter (`format.py`), which writes the keys of a form in
the table's order.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field

from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_FAMILY = re.compile(r"\{[A-Za-z_]\w*\}")
ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


@dataclass(frozen=True, slots=True)
class Shape:
    """What may stand in one place."""

    says: str


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """One scalar; `of` names its use: text, formula, effect, type, id, family, name, whole, flag, any."""

    of: str = "text"
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListShape(Shape):
    """A list of one shape."""

    of: Shape


@dataclass(frozen=True, slots=True)
class MapShape(Shape):
    """Free keys, each holding one shape; `keys` is id, name, header or any."""

    of: Shape
    keys: str = "id"


@dataclass(frozen=True, slots=True)
class Either(Shape):
    """The first alternative whose kind of node fits."""

    options: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Any(Shape):
    """Read later, by its meaning."""


@dataclass(frozen=True, slots=True)
class Form(Shape):
    """A mapping with fixed keys."""

    keys: dict[str, Shape] = field(default_factory=dict)
    required: tuple[str, ...] = ()


TEXT = Text("a text")
FORMULA = Text("a formula", "formula")
EFFECT = Text("an effect", "effect")
TYPE = Text("a type", "type")
IDENT = Text("an id", "id")
FAMILY = Text("an id", "family")  # of a question: it may hold a name of its family, `{n}`
FAMILY_ID = Text("an id", "family")
FLAG = Text("true or false", "flag")
WHOLE = Text("a whole number", "whole")
WORD = Text("a word", "any")
CITE = Either("a place in a source, or a list of them", (TEXT, ListShape("places in sources", TEXT)))
ONLY = Either("option settings", (FORMULA, MapShape("option settings", Either("values", (WORD, ListShape("values", WORD))))))
SETTING = MapShape("option settings", WORD)
ANY = Any("a value")
VALUES = MapShape("values of variables", ANY, "name")
WHO = Either("players", (FORMULA, ListShape("players", WORD)))

_SAYING: dict[str, Shape] = {"says": TEXT, "cite": CITE}
_CLAUSE: dict[str, Shape] = {"id": IDENT, "only": ONLY, "replaces": IDENT, "proposed": FLAG, **_SAYING}

CHECK = Form("a clause", {**_CLAUSE, "excepts": IDENT, "check": FORMULA}, ("id", "check"))
EFFECT_CLAUSE = Form("a clause", {**_CLAUSE, "when": FORMULA, "do": EFFECT}, ("do",))
END = Form("a clause", {**_CLAUSE, "when": FORMULA, "winners": FORMULA}, ("id", "when"))
DO = Either(
    "an effect or a list of clauses",
    (EFFECT, ListShape("clauses", Either("a clause", (EFFECT, EFFECT_CLAUSE)))),
)
EFFECTS = Either(
    "an effect or a list of clauses",
    (*DO.options, Form("a list of clauses", {"do": DO, "replaces": TEXT, **_SAYING}, ("do",))),
)
OPTION_VALUE = Form("a value of an option", {**_SAYING, "only": ONLY})
OPTION = Form(
    "an option",
    {
        "kind": Text("a kind of option", "any", ("reading", "edition", "expansion", "variant", "study")),
        "only": ONLY,
        "question": TEXT,
        **_SAYING,
        "values": Either(
            "the values of an option",
            (TYPE, ListShape("values", WORD), MapShape("values", Either("a value", (TEXT, OPTION_VALUE)), "any")),
        ),
        "default": WORD,
    },
    ("kind", "values", "default"),
)
VARIABLE = Form("a variable", {"type": TYPE, "init": ANY, "only": ONLY, "replaces": IDENT, **_SAYING}, ("type",))
ACTION = Form(
    "an action",
    {
        "by": FORMULA,
        "only": ONLY,
        "replaces": IDENT,
        "proposed": FLAG,
        "during": FORMULA,
        **_SAYING,
        "params": MapShape("parameters", FORMULA, "name"),
        "require": ListShape("clauses", CHECK),
        "chance": MapShape("draws", FORMULA, "name"),
        "do": DO,
    },
)
KINDS: dict[str, str] = {
    "always": "a formula that every reachable state and step keeps",
    "never": "a formula that no reachable state or step meets",
    "reach": "a formula that some play meets",
    "progress": "true: until the end somebody can move or the table acts",
    "terminates": "true (no endless play) or almost-surely",
    "always-after": "a leads-to, {when, then}",
    "force": "players who can force a goal, {who, goal}",
    "odds": "an exact probability",
    "expected": "an exact expectation",
    "largest": "the largest value of a formula",
    "smallest": "the smallest value of a formula",
    "count": "states, plays, moves or layouts",
    "some-layout": "a formula that some layout meets",
    "every-layout": "a formula that every layout meets",
    "same": "two option settings",
    "clarifies": "proposed clauses",
    "possible": "a scenario, or a list of them",
}
QUESTION = Form(
    "a question",
    {
        **_SAYING,
        "for": MapShape("the numbers of a family", ANY, "name"),
        "only": ONLY,
        "replaces": IDENT,
        "options": SETTING,
        "players": WHOLE,
        "given": VALUES,
        **{
            k: Either(v, (FORMULA,))
            for k, v in KINDS.items()
            if k not in ("always-after", "force", "same", "clarifies", "possible")
        },
        "always-after": Form("a leads-to", {"when": FORMULA, "then": FORMULA}, ("when", "then")),
        "force": Form("players and a goal", {"who": WHO, "goal": FORMULA}, ("who", "goal")),
        "possible": Either("a scenario, or a list of them", (FAMILY, ListShape("scenarios", FAMILY))),
        "same": ListShape("two settings", SETTING),
        "clarifies": Either("clauses", (FAMILY, ListShape("clauses", FAMILY))),
        "against": Either("clauses", (FAMILY, ListShape("clauses", FAMILY))),
        "where": FORMULA,
        "within": FORMULA,
        "before": FORMULA,
        "at": FORMULA,
        "depth": FORMULA,
        "up_to": Either("symmetries", (WORD, ListShape("symmetries", WORD))),
        "of": IDENT,
        "size": FORMULA,
        "measure": FORMULA,
        "exactly-when": FORMULA,
        "play": ANY,
        "who": WHO,
        "under": ListShape("options", FAMILY),
        "expect": ANY,
    },
)
PLAY_LINE = Either("a move", (TEXT, Form("a check", {"then": ListShape("formulas", FORMULA)}, ("then",))))
ILLEGAL = Form("an illegal move", {"move": TEXT, "by": IDENT}, ("move",))
SCENARIO = Form(
    "a scenario",
    {
        **_SAYING,
        "only": ONLY,
        "replaces": IDENT,
        "options": SETTING,
        "players": WHOLE,
        "given": VALUES,
        "play": ListShape("moves", PLAY_LINE),
        "then": ListShape("formulas", FORMULA),
        "legal": ListShape("moves", TEXT),
        "illegal": ListShape("moves", Either("an illegal move", (TEXT, ILLEGAL))),
    },
)
SOURCE = Form("a source", dict.fromkeys(("title", "authors", "year", "language", "edition", "place", "says"), WORD), ("title",))
RULES = Form(
    "a rules file",
    {
        "tablelaw": WHOLE,
        "game": IDENT,
        "title": TEXT,
        "says": TEXT,
        "players": TYPE,
        "include": Either("rules files", (TEXT, ListShape("rules files", TEXT))),
        "sources": MapShape("sources", SOURCE),
        "options": MapShape("options", OPTION),
        "constraints": ListShape("formulas on options", FORMULA),
        "types": MapShape("types", ANY, "name"),
        "constants": MapShape("constants", ANY, "name"),
        "pieces": MapShape("pieces", ANY, "name"),
        "state": MapShape("variables", VARIABLE, "name"),
        "define": MapShape(
            "formulas",
            Either("a formula", (FORMULA, Form("a formula", {**_SAYING, "is": FORMULA, "replaces": TEXT}, ("is",)))),
            "header",
        ),
        "effects": MapShape("lists of clauses", EFFECTS, "header"),
        "actions": MapShape("actions", ACTION),
        "end": ListShape("clauses", END),
        "remarks": ListShape("remarks", Form("a remark", {"id": IDENT, **_SAYING}, ("says",))),
        "questions": MapShape("questions", QUESTION, "family"),
        "scenarios": MapShape("scenarios", SCENARIO),
    },
    ("tablelaw", "game", "title", "players"),
)


def _kind(shape: Shape) -> type | None:
    if isinstance(shape, Text):
        return Scalar
    if isinstance(shape, ListShape):
        return Sequence
    if isinstance(shape, (MapShape, Form)):
        return Mapping
    return None


def _found(node: Node) -> str:
    if isinstance(node, Mapping):
        return "keys with values"
    return "a list" if isinstance(node, Sequence) else "a single value"


def validate(node: Node, shape: Shape, sink: Diagnostics, part: bool = False) -> bool:
    """Report what in the node does not have the shape; `part`: required keys may stand in another file."""
    if isinstance(shape, Any):
        return True
    if isinstance(shape, Either):
        for option in shape.options:
            kind = _kind(option)
            if isinstance(option, Either):
                return validate(node, option, sink, part)
            if kind is None or isinstance(node, kind):
                return validate(node, option, sink, part)
        sink.error("S203", node.span, f"this place takes {shape.says}, not {_found(node)}", help=_cure(shape))
        return False
    kind = _kind(shape)
    if kind is not None and not isinstance(node, kind):
        if isinstance(node, Scalar) and node.value is None:
            sink.error("S204", node.span, f"{shape.says} is missing here", help="write it, or leave the key out")
        else:
            sink.error("S203", node.span, f"this place takes {shape.says}, not {_found(node)}", help=_cure(shape))
        return False
    if isinstance(shape, Text) and isinstance(node, Scalar):
        return _validate_text(node, shape, sink)
    if isinstance(shape, ListShape) and isinstance(node, Sequence):
        return all([validate(item, shape.of, sink, part) for item in node.items])
    if isinstance(shape, MapShape) and isinstance(node, Mapping):
        return all([_validate_key(e.key, shape, sink) & validate(e.value, shape.of, sink, part) for e in node.entries])
    if isinstance(shape, Form) and isinstance(node, Mapping):
        return _validate_form(node, shape, sink, part)
    return True


def _cure(shape: Shape) -> str:
    if isinstance(shape, Form):
        return f"its keys are {', '.join(f'`{k}`' for k in list(shape.keys)[:12])}"
    if isinstance(shape, MapShape):
        return "write `key: value`, each on a line of its own"
    if isinstance(shape, ListShape):
        return "write the items in `[…]`, or each on a line of its own after `- `"
    if isinstance(shape, Either):
        return _cure(shape.options[-1])
    return "write a text; quote one that holds `: `, ` #`, or begins with `{` or `[`"


def _validate_form(node: Mapping, shape: Form, sink: Diagnostics, part: bool) -> bool:
    ok = True
    for entry in node.entries:
        known = shape.keys.get(entry.key.text)
        if known is None:
            near = did_you_mean(entry.key.text, shape.keys)
            cure = (
                f"did you mean `{near}`?" if near else f"{shape.says} has {', '.join(f'`{k}`' for k in list(shape.keys)[:20])}"
            )
            sink.error("S201", entry.key.span, f"unknown key `{entry.key.text}`", label=f"not a key of {shape.says}", help=cure)
            ok = False
        else:
            ok &= validate(entry.value, known, sink, part)
    if not part:
        for key in shape.required:
            if node.get(key) is None:
                sink.error("S202", node.span, f"{shape.says} needs `{key}`", help=f"add `{key}: …`")
                ok = False
    return ok


def _validate_text(node: Scalar, shape: Text, sink: Diagnostics) -> bool:
    if node.value is None and shape.of != "any":
        sink.error("S204", node.span, f"{shape.says} is missing here", help="write it, or leave the key out")
        return False
    if shape.among and node.text not in shape.among:
        near = did_you_mean(node.text, shape.among)
        sink.error(
            "S205",
            node.span,
            f"`{node.text}` is not {shape.says}",
            help=f"did you mean `{near}`?" if near else "one of " + ", ".join(shape.among),
        )
        return False
    if shape.of == "id" and not ID.match(node.text):
        sink.error("S206", node.span, f"`{node.text}` is not an id", help="use letters, digits, `-` and `_`, a letter first")
        return False
    if shape.of == "family" and not _family(node.text):
        sink.error("S206", node.span, f"`{node.text}` is not an id", help="use letters, digits, `-` and `_`; `{n}` in a family")
        return False
    if shape.of == "flag" and not isinstance(node.value, bool):
        sink.error("S205", node.span, f"`{node.text}` is neither true nor false", help="write `true` or `false`")
        return False
    if shape.of == "whole" and (isinstance(node.value, bool) or not isinstance(node.value, int)):
        sink.error("S205", node.span, f"`{node.text}` is not a whole number", help="write digits alone, without quotes")
        return False
    return True


def _family(text: str) -> bool:
    return ID.match(re.sub(r"\{[A-Za-z_]\w*\}", "0", text)) is not None


def _validate_key(key: Scalar, shape: MapShape, sink: Diagnostics) -> bool:
    if shape.keys == "name" and keyword.iskeyword(key.text):
        sink.error(
            "S206",
            key.span,
            f"`{key.text}` is a word of the grammar of formulas",
            help=f"choose another name, such as `{key.text.lower()}_`",
        )
        return False
    if shape.keys == "name" and not NAME.match(key.text):
        sink.error("S206", key.span, f"`{key.text}` is not a name", help="use letters, digits and `_`, a letter first")
        return False
    if shape.keys == "id" and not ID.match(key.text):
        sink.error("S206", key.span, f"`{key.text}` is not an id", help="use letters, digits, `-` and `_`, a letter first")
        return False
    if shape.keys == "family" and not _family(key.text):
        sink.error("S206", key.span, f"`{key.text}` is not an id", help="use letters, digits, `-` and `_`; `{n}` in a family")
        return False
    return True
