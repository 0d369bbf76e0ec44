"""Values and positions as people write them in YAML or JSON, both ways."""

from __future__ import annotations

import re
from fractions import Fraction

from tablelaw.spec import types as ty
from tablelaw.spec.cures import cure_of
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import static_value
from tablelaw.spec.grid import Cell
from tablelaw.spec.layout_text import cell_text, piece_text, read_layout
from tablelaw.spec.names import Names
from tablelaw.spec.reckon import bag_items, in_order
from tablelaw.spec.types import (
    BagOf,
    Bool,
    CellType,
    EdgeType,
    Enum,
    FeatureType,
    Int,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    PartType,
    Record,
    SetOf,
    Type,
    Unknown,
    told,
)
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

_WHOLE = re.compile(r"-?[0-9]{1,15}\Z")


class Unreadable(Exception):
    """The reason is in the sink."""


def read_value(
    node: Node, kind: Type, names: Names, sink: Diagnostics, base: Value = None, what: str = "this value", spread: bool = False
) -> Value:
    """A value of a type; items that a map leaves out are those of `base`. `spread`: one value fills a map.

    Raises `Unreadable` when it is none.
    """
    names.spend(1)
    if isinstance(kind, LayoutType):
        laid = read_layout(node, kind, sink)
        if laid is None:
            raise Unreadable
        return laid
    if isinstance(node, Scalar):
        return _scalar(node, kind, names, sink, what, spread)
    if isinstance(kind, Maybe):
        return read_value(node, kind.elem, names, sink, base, what, spread)
    if isinstance(node, Sequence):
        if isinstance(kind, (SetOf, ListOf)):
            items = [read_value(n, kind.elem, names, sink, None, what) for n in node.items]
            return _checked(frozenset(items) if isinstance(kind, SetOf) else tuple(items), kind, node, sink, what)
        if isinstance(kind, BagOf):
            counts = _uncounted(kind)
            for n in node.items:
                key = _key(n, kind.elem, names, sink, what)
                counts[key] = counts.get(key, 0) + 1
            return _checked(whole_bags(Map(counts), kind), kind, node, sink, what)
        if isinstance(kind, MapOf):
            keys = list(ty.domain(kind.key))
            if len(keys) == len(node.items):
                return Map(
                    [
                        (k, read_value(n, kind.value, names, sink, None, what, spread))
                        for k, n in zip(keys, node.items, strict=True)
                    ]
                )
            cure = "write an item for each key in order, or the keys with their values"
            sink.error("T101", node.span, f"{what} needs {len(keys)} items, not {len(node.items)}", help=cure)
            raise Unreadable
        sink.error("T101", node.span, f"{what} must be {told(kind)}, not a list", help=cure_of(ty.NOTHING, kind))
        raise Unreadable
    return _mapping(node, kind, names, sink, base, what, spread)


def _mapping(node: Mapping, kind: Type, names: Names, sink: Diagnostics, base: Value, what: str, spread: bool) -> Value:
    if isinstance(kind, MapOf):
        found = dict((base or ty.default(kind)).items())
        given: set[Value] = set()
        for e in node.entries:
            key = _once(_key(e.key, kind.key, names, sink, what), given, e.key, sink)
            found[key] = read_value(e.value, kind.value, names, sink, found.get(key), what, spread)
        return Map(found)
    if isinstance(kind, BagOf):
        counts = _uncounted(kind)
        once: set[Value] = set()
        for e in node.entries:
            key = _once(_key(e.key, kind.elem, names, sink, what), once, e.key, sink)
            counts[key] = read_value(e.value, Int(0, None), names, sink, None, what)
        return _checked(whole_bags(Map(counts), kind), kind, node, sink, what)
    if isinstance(kind, Record):
        fields = dict((base or ty.default(kind)).items())
        for e in node.entries:
            inner = kind.field_type(e.key.text)
            if inner is None:
                near = did_you_mean(e.key.text, [n for n, _ in kind.fields])
                sink.error(
                    "R204",
                    e.key.span,
                    f"{told(kind)} has no field `{e.key.text}`",
                    help=f"did you mean `{near}`?" if near else None,
                )
                raise Unreadable
            fields[e.key.text] = read_value(e.value, inner, names, sink, fields[e.key.text], what, spread)
        return Map(fields)
    sink.error("T101", node.span, f"{what} must be {told(kind)}, not keys with values", help=cure_of(ty.NOTHING, kind))
    raise Unreadable


def _uncounted(kind: BagOf) -> dict[Value, int]:
    return {} if ty.placed(kind.elem) else dict.fromkeys(ty.domain(kind.elem), 0)


def _once(key: Value, given: set[Value], node: Scalar, sink: Diagnostics) -> Value:
    if key in given:
        sink.error("S301", node.span, f"the key `{node.text}` stands twice", help="give it once")
        raise Unreadable
    given.add(key)
    return key


def _key(node: Node, kind: Type, names: Names, sink: Diagnostics, what: str) -> Value:
    if not isinstance(node, Scalar):
        sink.error("T101", node.span, f"{told(kind)} was expected here", help="write a single value")
        raise Unreadable
    word = node.text.strip()
    if isinstance(kind, Int) and _WHOLE.match(word):
        return _checked(int(word), kind, node, sink, "this key")
    if isinstance(kind, Enum) and word in kind.values:
        return word
    if isinstance(kind, Bool) and word in ("true", "false"):
        return word == "true"
    return _scalar(node, kind, names, sink, what, False)


def _scalar(node: Scalar, kind: Type, names: Names, sink: Diagnostics, what: str, spread: bool) -> Value:
    simple = node.value
    inner = kind.elem if isinstance(kind, Maybe) else kind
    if node.plain and simple is None and not node.text.strip() and not isinstance(kind, Maybe):
        sink.error("S204", node.span, f"{what} is missing here", help="write it, or leave the key out")
        raise Unreadable
    if simple is None and isinstance(kind, Maybe):
        return None
    if isinstance(inner, Int) and (isinstance(simple, int) and not isinstance(simple, bool)):
        return _checked(simple, kind, node, sink, what)
    if isinstance(inner, Int) and isinstance(simple, str) and _WHOLE.match(simple.strip()):
        return _checked(int(simple), kind, node, sink, what)
    if isinstance(inner, Enum) and node.text.strip() in inner.values:
        return node.text.strip()
    if isinstance(inner, Bool) and node.text.strip() in ("true", "false", "True", "False"):
        return node.text.strip().lower() == "true"
    found = static(node, kind, names, sink, spread)
    if spread and not ty.fits(found[1], kind):
        filled = spread_value(found[0], found[1], kind)
        if filled is not None:
            return _checked(filled, kind, node, sink, what)
    if not ty.fits(found[1], kind):
        cure = cure_of(found[1], kind)
        sink.error("T101", node.span, f"{what} must be {told(kind)}", label=f"this is {told(found[1])}", help=cure)
        raise Unreadable
    return _checked(whole_bags(found[0], kind), kind, node, sink, what)


def whole_bags(found: Value, kind: Type) -> Value:
    """The value with every name of its bags counted, none times where it does not occur."""
    match kind:
        case BagOf(elem) if isinstance(found, Map) and ty.placed(elem):
            return Map([(k, n) for k, n in bag_items(found, kind) if n])
        case BagOf(elem) if isinstance(found, Map):
            return Map([(k, found.get(k, 0)) for k in ty.domain(elem)])
        case MapOf(_, inner) if isinstance(found, Map):
            return Map([(k, whole_bags(v, inner)) for k, v in found.items()])
        case Record(_, fields) if isinstance(found, Map):
            return Map([(n, whole_bags(found[n], f)) for n, f in fields])
        case Maybe(elem):
            return found if found is None else whole_bags(found, elem)
        case ListOf(elem):
            return tuple(whole_bags(v, elem) for v in found)
    return found


def spread_value(found: Value, source: Type, kind: Type) -> Value:
    """A map filled with one value, however deep; None when the value does not fit there either."""
    if ty.fits(source, kind) and not isinstance(source, Unknown):
        return whole_bags(found, kind)
    if isinstance(kind, MapOf):
        inner = spread_value(found, source, kind.value)
        if inner is not None or (found is None and isinstance(kind.value, Maybe)):
            return Map([(k, inner) for k in ty.domain(kind.key)])
    return None


def static(node: Scalar, kind: Type, names: Names, sink: Diagnostics, spread: bool = False) -> tuple[Value, Type]:
    """A formula known before play, with its type; raises `Unreadable`."""
    hint = kind
    while spread and isinstance(hint, MapOf):
        hint = hint.value
    parsed = parse_formula(node, sink)
    found = static_value(parsed, names, sink, "a value", hint) if parsed is not None else None
    if found is None:
        raise Unreadable
    return found.value, found.type


def _checked(found: Value, kind: Type, node: Node, sink: Diagnostics, what: str) -> Value:
    if not ty.contains(kind, found):
        sink.error("T112", node.span, f"{what} must be {told(kind)}", label="this lies outside", help=_bounds(kind))
        raise Unreadable
    return found


def _bounds(kind: Type) -> str | None:
    inner = kind.elem if isinstance(kind, Maybe) else kind
    if isinstance(inner, Int) and inner.name and inner.lo is not None and inner.hi is not None:
        return f"`{inner.name}` goes from {inner.lo} to {inner.hi}"
    if isinstance(inner, (BagOf, ListOf)):
        return f"it holds at most {inner.limit}, each one of {told(inner.elem)}"
    if isinstance(inner, Enum):
        return "its names are " + ", ".join(f"`{v}`" for v in inner.values[:12]) + (" …" if len(inner.values) > 12 else "")
    return "see its type"


def plain(found: Value, kind: Type) -> object:
    """A value for JSON: seats and numbers of maps as texts, bags without what does not occur."""
    match kind:
        case Maybe(elem):
            return None if found is None else plain(found, elem)
        case SetOf(elem):
            return [plain(v, elem) for v in in_order(found, kind)]
        case BagOf(elem):
            return {_element_text(k, elem): n for k, n in bag_items(found, kind) if n}
        case ListOf(elem):
            return [plain(v, elem) for v in found]
        case MapOf(_, inner):
            return {_key_text(k): plain(v, inner) for k, v in found.items()}
        case Record(_, fields):
            return {n: plain(found[n], f) for n, f in fields}
        case LayoutType():
            return {cell_text(c): piece_text(found.cells[c]) for c in found}
        case CellType() | EdgeType() | PartType():
            return shown(found, kind)
    if isinstance(found, Fraction):
        return str(found)
    return found


def _key_text(key: Value) -> str:
    if isinstance(key, Cell):
        return cell_text(key)
    return str(key).lower() if isinstance(key, bool) else str(key)


def _element_text(key: Value, kind: Type) -> str:
    return shown(key, kind) if ty.placed(kind) else _key_text(key)


def shown(found: Value, kind: Type) -> str:
    """A value in the words of a formula or a move, on one line."""
    match kind:
        case Maybe(elem):
            return "none" if found is None else shown(found, elem)
        case SetOf(elem):
            return "{" + ", ".join(shown(v, elem) for v in in_order(found, kind)) + "}"
        case BagOf(elem):
            held = [(_element_text(k, elem), n) for k, n in bag_items(found, kind) if n]
            return "+".join(f"{text}*{n}" if n > 1 else text for text, n in held) if held else "nothing"
        case ListOf(elem):
            return "[" + ", ".join(shown(v, elem) for v in found) + "]"
        case MapOf(_, inner):
            return "{" + ", ".join(f"{_key_text(k)}: {shown(v, inner)}" for k, v in found.items()) + "}"
        case Record(name, fields):
            return f"{name}(" + ", ".join(f"{n}={shown(found[n], f)}" for n, f in fields) + ")"
        case Bool():
            return "true" if found else "false"
        case LayoutType():
            return "{" + ", ".join(f"{cell_text(c)}: {piece_text(found.cells[c])}" for c in found) + "}"
        case CellType():
            return cell_text(found)
        case EdgeType():
            return f"edge({cell_text(found.cell)}, {found.side})"
        case PartType():
            side = f", {found.side}" if found.side is not None else ""
            return f"part({cell_text(found.cell)}, {found.kind}{side})"
        case FeatureType():
            return f"the {found.kind} on {', '.join(cell_text(c) for c in sorted(found.cells, key=lambda c: (c.y, c.x)))}"
    return str(found)
