"""Whether the parts that a written position names are there: a figure that stands on nothing is a slip of the pen."""

from __future__ import annotations

from collections.abc import Iterator

from tablelaw.spec import types as ty
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.grid import Part
from tablelaw.spec.layout_text import cell_text, piece_text
from tablelaw.spec.layouts import Layout
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import in_order
from tablelaw.spec.source import Span
from tablelaw.spec.types import BagOf, LayoutType, ListOf, MapOf, Maybe, PartType, Record, SetOf, Type
from tablelaw.spec.values import Value
from tablelaw.spec.yaml_nodes import Mapping, Node, Sequence


def missing_parts(found: Value, kind: Type, node: Node, layout: Layout | None, sink: Diagnostics) -> None:
    """Tell of each part that a written value names and that does not lie on the layout."""
    told: set[Part] = set()
    if layout is None:
        return
    for part, t, span in _parts(found, kind, node):
        if part in told or layout.part_at(part.cell, part.kind, part.side) is not None:
            continue
        told.add(part)
        laid = layout.cells.get(part.cell)
        if laid is None:
            message = f"no piece lies on {cell_text(part.cell)}, so `{shown(part, t)}` is not there"
            sink.error("T115", span, message, help="lay a piece there, or name a part of one that lies")
            continue
        there = sorted(shown(p, t) for p in layout.parts(part.cell))
        cure = "its parts are " + ", ".join(f"`{x}`" for x in there) if there else "it has no parts"
        sink.error(
            "T115", span, f"the piece on {cell_text(part.cell)}, `{piece_text(laid)}`, has no `{shown(part, t)}`", help=cure
        )


def layout_of(state: dict[str, Value], kinds: dict[str, Type]) -> Layout | None:
    """The layout that parts are read on; None where there are several, or none."""
    found = [state[n] for n, k in kinds.items() if isinstance(k, LayoutType)]
    return found[0] if len(found) == 1 else None


def _parts(found: Value, kind: Type, node: Node) -> Iterator[tuple[Part, Type, Span]]:
    """The parts in a value, each with the narrowest place in its text that is known."""
    match kind:
        case PartType():
            yield found, kind, node.span
        case Maybe(elem):
            if found is not None:
                yield from _parts(found, elem, node)
        case Record(_, fields):
            for n, f in fields:
                inner = node.get(n) if isinstance(node, Mapping) else None
                yield from _parts(found[n], f, node if inner is None else inner)
        case BagOf(elem) | SetOf(elem) if ty.placed(elem):
            items = [k for k, n in found.items() if n] if isinstance(kind, BagOf) else in_order(found, kind)
            texts = _items(node)
            for v in items:
                yield from _parts(v, elem, texts.get(_bare(shown(v, elem)), node))
        case ListOf(elem):
            for i, v in enumerate(found):
                inner = node.items[i] if isinstance(node, Sequence) and i < len(node.items) else node
                yield from _parts(v, elem, inner)
        case MapOf(key, inner_kind) if ty.placed(kind):
            texts = _items(node)
            values = {_bare(e.key.text): e.value for e in node.entries} if isinstance(node, Mapping) else {}
            for k, v in found.items():
                written = _bare(shown(k, key))
                if written in values:  # what is left out is not written
                    yield from _parts(v, inner_kind, values[written])
                if ty.placed(key) and written in texts:
                    yield from _parts(k, key, texts[written])


def _items(node: Node) -> dict[str, Node]:
    """The nodes of keys or items by their text."""
    if isinstance(node, Mapping):
        return {_bare(e.key.text): e.key for e in node.entries}
    return (
        {_bare(n.text): n for n in node.items if not isinstance(n, (Mapping, Sequence))} if isinstance(node, Sequence) else {}
    )


def _bare(text: str) -> str:
    return "".join(text.split())
