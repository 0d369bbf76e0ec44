"""Reads the texts of types: `0..5`, `map[Player, Points]`, `maybe[Side]`, names declared under `types:`."""

from __future__ import annotations

from tablelaw.spec import types as ty
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Definition
from tablelaw.spec.formulas import parse_piece, static_value
from tablelaw.spec.names import Names
from tablelaw.spec.source import Span
from tablelaw.spec.types import (
    BOOL,
    UNKNOWN,
    BagOf,
    FeatureType,
    Int,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    SetOf,
    Type,
    Unknown,
)
from tablelaw.spec.yaml_nodes import Scalar

WIDEST = 2**40
LARGEST_VALUE = 20_000
"""How many single values one value of a type may be made of."""
DEEPEST_TYPE = 12
MOST_COUNTED = 512
"""How many names of a type a bag may count in a game with pieces."""
_GENERIC = {"map": 2, "set": 1, "bag": 2, "list": 2, "maybe": 1}
_EXAMPLE = {
    "map": "map[Player, 0..9]", "set": "set[Card]", "bag": "bag[Card, 10]", "list": "list[Card, 10]", "maybe": "maybe[Card]",
}  # fmt: skip


def read_type(text: str, span: Span, names: Names, sink: Diagnostics) -> Type | None:
    """The type a text names; None (and a diagnostic) when it names none."""
    return _read(
        Scalar(text, "plain", span, [min(span.start + i, span.end) for i in range(len(text) + 1)]), 0, len(text), names, sink, 0
    )


def read_scalar(scalar: Scalar, names: Names, sink: Diagnostics) -> Type | None:
    """The type that a whole scalar names."""
    return _read(scalar, 0, len(scalar.text), names, sink, 0)


def read_parameters(definition: Definition, names: Names, sink: Diagnostics) -> dict[str, Type] | None:
    """The arguments of a definition with their types; None (and a diagnostic) when one has none."""
    scope: dict[str, Type] = {}
    for name, scalar, start, end in definition.params:
        feature = scalar.text[start:end].strip() == "Feature" and "Feature" not in names.types
        kind = _feature(scalar.place(start, end), names, sink) if feature else _read(scalar, start, end, names, sink, 0)
        if kind is None:
            return None
        scope[name] = Int(name=kind.name) if isinstance(kind, Int) else kind
    return scope


def _feature(span: Span, names: Names, sink: Diagnostics) -> Type | None:
    """The type of features, as an argument may have it: those of the layouts of the game."""
    layouts = [k for k in names.variables.values() if isinstance(k, LayoutType)]
    if len({k.faces for k in layouts}) == 1 and names.kinds is not None:
        return FeatureType(max(layouts, key=lambda k: k.limit))
    if any(isinstance(k, Unknown) for k in names.variables.values()):
        return UNKNOWN
    if layouts and names.kinds is not None:
        cure = "take a part instead, and ask `feature(table, part)` inside"
        sink.error("R210", span, "this game has layouts of several pieces, so `Feature` does not say of which", help=cure)
    else:
        cure = "declare pieces with `parts:` under `pieces:`, and a variable of type `layout[…]`"
        sink.error("R212", span, "`Feature` speaks of layouts with parts, and this game has none", help=cure)
    return None


def is_type(text: str, names: Names) -> bool:
    """Whether a text is written as a type rather than a formula."""
    word = text.strip()
    if word in names.types or word in ("bool", "Player") or split_range(word) is not None:
        return True
    return word.partition("[")[0].strip() in (*_GENERIC, "layout") and word.endswith("]")


def split_range(text: str) -> list[tuple[str, int]] | None:
    """The two bounds of `low..high`, each with its place; None when the dots stand inside brackets or not at all."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and text.startswith("..", i):
            return [(text[:i], 0), (text[i + 2 :], i + 2)]
    return None


def _read(scalar: Scalar, start: int, end: int, names: Names, sink: Diagnostics, depth: int) -> Type | None:
    text = scalar.text[start:end]
    word = text.strip()
    start += len(text) - len(text.lstrip())
    span = scalar.place(start, start + len(word))
    if depth > DEEPEST_TYPE:
        sink.error("E101", span, "this type is nested too deeply", help="name the inner part under `types:`")
        return None
    if not word:
        sink.error(
            "R210", span, "a type is missing here", help="write a range such as `0..5`, or a name declared under `types:`"
        )
        return None
    if word in ("bool", "Player"):
        return BOOL if word == "bool" else names.player
    if word in names.types:
        return names.types[word]
    if word in names.faulty:
        return UNKNOWN
    if word in names.absent:
        sink.error("R204", span, f"`{word}` does not exist here", label=names.absent[word], help="give this the same `only`")
        return None
    halves = split_range(word)
    if halves is not None:
        return _range(scalar, start, halves, span, names, sink)
    if word.endswith("]") and "[" in word:
        return _generic(scalar, start, word, span, names, sink, depth)
    if word in _GENERIC:
        sink.error("R210", span, f"`{word}` takes {_parts(word)} in brackets", help=f"write for example `{_EXAMPLE[word]}`")
        return None
    if word == "Feature" and names.cell is not None:
        cure = "store a part, and ask `feature(table, part)` when the feature is needed"
        sink.error("R210", span, "a feature is read from a layout and never kept", help=cure)
        return None
    near = did_you_mean(word, [*names.types, "bool", "Player", *_GENERIC])
    cure = f"did you mean `{near}`?" if near else "name it under `types:`, or write a range such as `0..5`"
    sink.error("R210", span, f"unknown type `{word[:60]}`", help=cure)
    return None


def _range(
    scalar: Scalar, start: int, halves: list[tuple[str, int]], span: Span, names: Names, sink: Diagnostics
) -> Type | None:
    bounds: list[int] = []
    for piece, at in halves:
        place = scalar.place(start + at, start + at + len(piece))
        if not piece.strip():
            sink.error("T108", span, "a range has two bounds", help="write for example `0..5`")
            return None
        parsed = parse_piece(scalar, start + at, start + at + len(piece), sink)
        found = static_value(parsed, names, sink, "a bound") if parsed else None
        if found is None:
            return None
        if isinstance(found.value, bool) or not isinstance(found.value, int):
            sink.error(
                "T108",
                place,
                "a bound is a whole number",
                label=f"this is {ty.told(found.type)}",
                help="write a number or a constant",
            )
            return None
        bounds.append(found.value)
    if max(abs(b) for b in bounds) > WIDEST:
        cure = "games count to a few thousand; use the bound that is really meant"
        sink.error("T108", span, "this range is too large", help=cure)
        return None
    if bounds[0] > bounds[1]:
        sink.error("T108", span, f"the range {bounds[0]}..{bounds[1]} is empty", help="write the smaller bound first")
        return None
    return Int(bounds[0], bounds[1])


def split_top(inside: str) -> list[tuple[str, int]]:
    """The pieces between commas outside brackets and quotes, each with its place."""
    pieces: list[tuple[str, int]] = []
    depth, last, quote = 0, 0, ""
    for i, c in enumerate(inside):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            pieces.append((inside[last:i], last))
            last = i + 1
    return [*pieces, (inside[last:], last)]


def _parts(head: str) -> str:
    return {"map": "the type of its keys and that of its values", "set": "the type of its elements", "maybe": "a type"}.get(
        head, "the type of its elements and how many it holds at most"
    )


def _generic(scalar: Scalar, start: int, word: str, span: Span, names: Names, sink: Diagnostics, depth: int) -> Type | None:
    opening = word.index("[")
    head, inside = word[:opening].strip(), word[opening + 1 : -1]
    if head == "layout":
        from tablelaw.spec.declared_pieces import layout_type

        return layout_type(scalar, split_top(inside), start + opening + 1, span, names, sink)
    if head not in _GENERIC:
        near = did_you_mean(head, [*_GENERIC, "layout"])
        if head:
            cure = f"did you mean `{near}[…]`?" if near else "`map`, `set`, `bag`, `list` and `maybe` take brackets"
            sink.error("R210", span, f"unknown type `{head[:60]}[…]`", help=cure)
        else:
            sink.error("R210", span, "names are listed under `types:`", help="give the list a name there and use the name here")
        return None
    pieces = split_top(inside)
    if len(pieces) != _GENERIC[head]:
        message = f"`{head}` takes {_parts(head)}"
        sink.error(
            "R210",
            span,
            message,
            label=f"{len(pieces)} instead of {_GENERIC[head]}",
            help=f"write for example `{_EXAMPLE[head]}`",
        )
        return None
    begin = start + opening + 1
    spots = [(begin + at, begin + at + len(p)) for p, at in pieces]
    first = _read(scalar, *spots[0], names, sink, depth + 1)
    second: Type | None = BOOL
    if head == "map":
        second = _read(scalar, *spots[1], names, sink, depth + 1)
    if first is None or second is None:
        return None
    if isinstance(first, Unknown) or isinstance(second, Unknown):
        return UNKNOWN
    place = scalar.place(*spots[0])
    made = _made(head, first, second, place, names, sink, scalar, spots[-1])
    return sized(made, span, sink) if made is not None else None


def _made(
    head: str, first: Type, second: Type, place: Span, names: Names, sink: Diagnostics, scalar: Scalar, last: tuple[int, int]
) -> Type | None:
    if head == "maybe":
        return first if isinstance(first, Maybe) else Maybe(first)
    if head == "set":
        return SetOf(first) if ty.placed(first) or _small(first, place, sink, 256) else None
    if head == "map":
        return MapOf(first, second) if _small(first, place, sink, 4096) else None
    parsed = parse_piece(scalar, *last, sink)
    limit = static_value(parsed, names, sink, "the number of elements") if parsed else None
    if limit is None:
        return None
    most = 256 if head == "list" else 10_000
    if isinstance(limit.value, bool) or not isinstance(limit.value, int) or not 0 <= limit.value <= most:
        sink.error(
            "T108",
            scalar.place(*last),
            f"the number of elements of a {head} is a whole number from 0 to {most}",
            help=f"write for example `{_EXAMPLE[head]}`",
        )
        return None
    if head == "list":
        return ListOf(first, limit.value)
    most = 256 if names.cell is None else MOST_COUNTED  # with boards, positions are not numbers laid out one by one
    return BagOf(first, limit.value) if ty.placed(first) or _small(first, place, sink, most) else None


def sized(kind: Type, span: Span, sink: Diagnostics) -> Type | None:
    """The type, unless its values are too large to be kept."""
    number, deep = ty.places(kind)
    if number > LARGEST_VALUE:
        message = f"a value of this type is made of more than {LARGEST_VALUE} single values"
        sink.error("T107", span, message, help="use smaller types for its keys and parts")
        return None
    if deep > DEEPEST_TYPE:
        sink.error("E101", span, "this type is nested too deeply", help="take a layer out")
        return None
    return kind


def _small(kind: Type, span: Span, sink: Diagnostics, most: int) -> bool:
    n = ty.cardinality(kind)
    if n is None or n > most:
        cure = f"at most {most} are allowed here"
        sink.error("T107", span, f"`{ty.show(kind)}` has too many values to be counted one by one", help=cure)
        return False
    return True
