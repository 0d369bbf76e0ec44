"""What a game declares before play: its enumerations with their attributes, its other types, its constants.

Bounds may use constants, constants the names of enumerations, attributes both; so they are read in an order in which
each stands on what has been read.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from fractions import Fraction

from tablelaw.spec import types as ty
from tablelaw.spec.core import Const
from tablelaw.spec.declared_pieces import PieceReader, board_names, board_types, face_names
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Builder, Document, get, items
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import static_value
from tablelaw.spec.names import BUILTINS, DRAWS, LAYOUT_BUILTINS, Names
from tablelaw.spec.settings import holds
from tablelaw.spec.source import Span
from tablelaw.spec.types import BOOL, Enum, Int, Record, Type
from tablelaw.spec.typetext import read_scalar, sized
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

RESERVED = {*BUILTINS, "players", "actor", "who", "none", "true", "false", "Player", "bool", "map", "list", "maybe", "layout"}
"""What no name may be called."""
CALLED = {*LAYOUT_BUILTINS, *DRAWS, "reset"}
"""What nothing that is called may be called besides."""
MOST_NAMES = 512
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TEXTS = ("says", "cite", "only")

Listed = list[tuple[str, Node | None, Scalar]]
"""The names of an enumeration: each with its attributes and its place."""


def declare(doc: Document, names: Names, sink: Diagnostics) -> None:
    """Read types, attributes and constants into `names`; what has a fault is put among its faulty ones."""
    _Declarations(doc, names, sink).read()


class _Declarations:
    def __init__(self, doc: Document, names: Names, sink: Diagnostics) -> None:
        self.doc, self.names, self.sink = doc, names, sink
        self.raw: dict[str, Listed] = {}
        self.expanded: dict[str, list[str]] = {}

    def read(self) -> None:
        board_types(self.doc, self.names)
        for name, (_, node) in self.doc.types.items():
            listed = self._listed(node)
            if listed is not None:
                self.raw[name] = listed
        for name, faces in face_names(self.doc):
            self.raw[name] = [(text, None, scalar) for text, _, scalar in self._named(faces, shown=self._existing)]
        self._enumerations()
        board_names(self.doc, self.names)
        jobs: dict[str, tuple[Node, Callable[[], None]]] = {}
        for name, (key, node) in self.doc.types.items():
            if name in self.raw:
                jobs[name] = (node, lambda n=name: self._attributes(n))  # type: ignore[misc]
            else:
                jobs[name] = (node, lambda n=name, k=key, v=node: self._type(n, k, v))  # type: ignore[misc]
        for name, (_, node) in self.doc.constants.items():
            jobs.setdefault(name, (node, lambda n=name, v=node: self._constant(n, v)))  # type: ignore[misc]
        self._in_order(jobs)
        PieceReader(self.doc, self.names, self.sink).read()

    def _in_order(self, jobs: dict[str, tuple[Node, Callable[[], None]]]) -> None:
        """Do each job after those that its text mentions; what stands in a circle is told and left out."""
        mentions = {
            n: [m for m in _words(node, n not in self.doc.types) if m in jobs and (m != n or n not in self.raw)]
            for n, (node, _) in jobs.items()
        }
        state: dict[str, int] = {}  # 1 while what it mentions is being read, 2 when it is read
        for first in jobs:
            stack = [first] if first not in state else []
            while stack:
                name = stack[-1]
                state.setdefault(name, 1)
                waiting = [m for m in mentions[name] if m not in state]
                circular = [m for m in mentions[name] if state.get(m) == 1 and m in stack and m not in self.raw]
                if circular and name not in self.raw and state[name] == 1:
                    circle = [*stack[stack.index(circular[0]) :], circular[0]]
                    place = (self.doc.types.get(name) or self.doc.constants[name])[0].span
                    cure = "the circle is " + " → ".join(circle)
                    self.sink.error("R208", place, f"`{name}` is declared by itself", help=cure)
                    self.names.faulty.add(name)
                    state[name] = 2
                    stack.pop()
                elif waiting:
                    stack.append(waiting[0])
                else:
                    if state[name] == 1:
                        jobs[name][1]()
                    state[name] = 2
                    stack.pop()

    # enumerations

    def _listed(self, node: Node) -> Listed | None:
        """The names of an enumeration that exist under the options; None for another kind of type."""
        found: Listed = []
        if isinstance(node, Sequence):
            for n in node.items:
                if not isinstance(n, Scalar):
                    self.sink.error(
                        "S203",
                        n.span,
                        "a name was expected here",
                        help="write `[a, b, c]`; attributes stand in `{a: {count: 2}}`",
                    )
                    continue
                found.append((n.text, None, n))
        elif isinstance(node, Mapping) and node.get("record") is None:
            for e in node.entries:
                only = get(e.value, "only")
                if only is not None and not holds(Builder(self.sink)._only(only), self.names, self.doc, self.sink):
                    self.names.absent[e.key.text] = "it exists under other options only"
                    continue
                if isinstance(e.value, Sequence) or (isinstance(e.value, Scalar) and e.value.value is not None):
                    cure = "write for example `big: {count: 1, strength: 2}`; a record is `{record: {field: type}}`"
                    self.sink.error("S203", e.value.span, "the attributes of a name were expected here", help=cure)
                found.append((e.key.text, e.value, e.key))
        else:
            return None
        good = self._named(found)
        if not found:
            self.sink.error(
                "T108", node.span, "an enumeration needs at least one name", help="list its names, as in `[red, blue]`"
            )
        if len(good) > MOST_NAMES:
            self.sink.error("T107", node.span, f"an enumeration has at most {MOST_NAMES} names", help="use a range of numbers")
        return good[:MOST_NAMES]

    def _existing(self, node: Node | None) -> bool:
        """Does a face exist under the options: one of its alternatives at least?"""
        ways = node.items if isinstance(node, Sequence) else [node]
        found = [get(n, "only") for n in ways]
        return any(o is None or holds(Builder(self.sink)._only(o), self.names, self.doc, self.sink) for o in found)

    def _named(self, listed: Listed, shown: Callable[[Node | None], bool] | None = None) -> Listed:
        """What of a list may be called as it is; the rest is told."""
        found: Listed = []
        for item in listed:
            if shown is None or shown(item[1]):
                found.append(item)
            else:
                self.names.absent[item[0]] = "it exists under other options only"
        good: Listed = []
        for text, value, scalar in found:
            if not _NAME.match(text) or keyword.iskeyword(text):
                self.sink.error(
                    "S206", scalar.span, f"`{text}` is not a name", help="use letters, digits and `_`, a letter first"
                )
            elif text in RESERVED:
                self.sink.error("R211", scalar.span, f"`{text}` has a meaning of its own", help="choose another name")
            else:
                good.append((text, value, scalar))
                self.names.absent.pop(text, None)
        return good

    def _enumerations(self) -> None:
        for name in self.raw:
            self._expand(name, [])
        families = self._families()
        for name, values in self.expanded.items():
            if not values or len(values) > MOST_NAMES:
                self.names.faulty.add(name)
                continue
            self.names.types[name] = Enum(name, tuple(values), families[name])
            for item, _, scalar in self.raw[name]:
                if item in self.raw:
                    continue
                self.names.enum_names.setdefault(item, []).append(self.names.types[name])  # type: ignore[arg-type]
                taken = "a type" if item in self.doc.types else "a constant" if item in self.doc.constants else ""
                taken = "a variable" if item in self.doc.variables else taken
                if taken:
                    self.sink.error("R211", scalar.span, f"`{item}` is {taken} already", help="choose another name")

    def _expand(self, name: str, above: list[str]) -> list[str]:
        """The names of an enumeration with those of the enumerations it takes in."""
        if name in self.expanded:
            return self.expanded[name]
        values: dict[str, None] = {}
        for item, _, scalar in self.raw[name]:
            if item in (*above, name):
                circle = [*above, name]
                cure = "the circle is " + " → ".join([*circle[circle.index(item) :], item])
                self.sink.error("R208", scalar.span, f"type `{item}` contains itself", help=cure)
                continue
            if len(above) > 20:
                self.sink.error(
                    "E101", scalar.span, "enumerations are nested too deeply here", help="list the names themselves"
                )
                continue
            for v in self._expand(item, [*above, name]) if item in self.raw else [item]:
                if v in values:
                    self.sink.error("S301", scalar.span, f"`{v}` stands twice in type `{name}`", help="give it once")
                values[v] = None
                if len(values) > MOST_NAMES:
                    self.sink.error(
                        "T107", scalar.span, f"an enumeration has at most {MOST_NAMES} names", help="use a range of numbers"
                    )
                    self.expanded[name] = list(values)
                    return self.expanded[name]
        self.expanded[name] = list(values)
        return self.expanded[name]

    def _families(self) -> dict[str, tuple[str, ...]]:
        """For each enumeration all names of those that it shares names with by taking in."""
        group = {n: n for n in self.raw}

        def root(n: str) -> str:
            while group[n] != n:
                group[n] = group[group[n]]
                n = group[n]
            return n

        for name, listed in self.raw.items():
            for item, _, _ in listed:
                if item in self.raw:
                    group[root(item)] = root(name)
        members: dict[str, dict[str, None]] = {}
        for name in sorted(self.raw, key=lambda n: -len(self.expanded[n])):
            members.setdefault(root(name), {}).update(dict.fromkeys(self.expanded[name]))
        return {n: tuple(members[root(n)]) for n in self.raw}

    def _attributes(self, name: str) -> None:
        kind = self.names.types.get(name)
        if not isinstance(kind, Enum):
            return
        table: dict[str, dict[str, tuple[Value, Type, Span]]] = {}
        for item, node, _ in self.raw[name]:
            for key, value in items(node):
                if key.text in _TEXTS:
                    continue
                if not _NAME.match(key.text) or keyword.iskeyword(key.text):
                    self.sink.error(
                        "S206", key.span, f"`{key.text}` is not a name", help="use letters, digits and `_`, a letter first"
                    )
                    continue
                found = self._loose(value, None)
                if found is not None:
                    table.setdefault(key.text, {})[item] = (*found, value.span)
        for attribute, values in table.items():
            self._attribute(kind, attribute, values)
        self._missing_attributes(name, kind)

    def _missing_attributes(self, name: str, kind: Enum) -> None:
        """Attributes that only names of other options have: here every name leaves them out."""
        here = {item for item, _, _ in self.raw[name]}
        known = self.names.attributes.setdefault(kind.family, {})
        found: dict[str, Type] = {}
        for item, node in items(self.doc.types[name][1]):
            for key, value in items(node) if item.text not in here else ():
                if key.text in _TEXTS or key.text in known or not _NAME.match(key.text):
                    continue
                quiet = Diagnostics()  # its own faults are told where the name exists
                self.sink, outer = quiet, self.sink
                read = self._loose(value, None)
                self.sink = outer
                joined = _bare(read[1]) if read else None
                if joined is not None and key.text in found:
                    joined = ty.join(found[key.text], joined)
                if joined is not None and not isinstance(joined, ty.Frac):
                    found[key.text] = joined
        for attribute, joined in found.items():
            missing = 1 if attribute == "count" else ty.default(joined)
            exact = Int(missing, missing) if isinstance(joined, Int) else joined
            known[attribute] = (exact, Map(dict.fromkeys(kind.family, missing)))

    def _attribute(self, kind: Enum, attribute: str, values: dict[str, tuple[Value, Type, Span]]) -> None:
        old = self.names.attributes.setdefault(kind.family, {}).get(attribute)
        joined: Type | None = _bare(old[0]) if old else None
        for v, t, span in values.values():
            wider = _bare(t) if joined is None else ty.join(joined, _bare(t))
            if wider is None or isinstance(wider, ty.Frac):
                self.sink.error(
                    "T102",
                    span,
                    f"`{attribute}` is {ty.told(t)} here and {ty.told(joined or t)} elsewhere",
                    help="use values of one kind",
                )
                return
            if attribute == "count" and (isinstance(v, bool) or not isinstance(v, int) or not 0 <= v <= 10_000):
                self.sink.error(
                    "T108",
                    span,
                    "a `count` is a whole number from 0 to 10000",
                    label=f"this is {ty.told(t)}",
                    help="write for example `count: 3`",
                )
                return
            joined = wider
        if joined is None:
            return
        missing = 1 if attribute == "count" else ty.default(joined)
        merged = dict.fromkeys(kind.family, missing)
        merged.update(dict(old[1].items()) if old else {})
        merged.update({n: v for n, (v, _, _) in values.items()})
        exact = Int(min(merged.values()), max(merged.values())) if isinstance(joined, Int) else joined
        self.names.attributes[kind.family][attribute] = (exact, Map(merged))

    # other types

    def _type(self, name: str, key: Scalar, node: Node) -> None:
        self.names.spend(5)
        kind = self._plain(name, node)
        if isinstance(kind, Int):
            kind = Int(kind.lo, kind.hi, name)
        if kind is None or isinstance(kind, ty.Unknown) or sized(kind, key.span, self.sink) is None:
            self.names.faulty.add(name)
        else:
            self.names.types[name] = kind

    def _plain(self, name: str, node: Node) -> Type | None:
        record = get(node, "record")
        if isinstance(node, Scalar):
            if node.value is None:
                self.sink.error(
                    "S204", node.span, "a type is missing here", help="write a range such as `0..5`, or a list of names"
                )
                return None
            return read_scalar(node, self.names, self.sink)
        if not isinstance(record, Mapping) or not record.entries:
            place = node.span if record is None else record.span
            self.sink.error("S203", place, "the fields of a record were expected here", help="write `{record: {field: type}}`")
            return None
        fields: list[tuple[str, Type]] = []
        ok = True
        for key, value in items(record):
            if not _NAME.match(key.text) or keyword.iskeyword(key.text):
                self.sink.error(
                    "S206", key.span, f"`{key.text}` is not a name", help="use letters, digits and `_`, a letter first"
                )
                ok = False
                continue
            if not isinstance(value, Scalar):
                self.sink.error(
                    "S203",
                    value.span,
                    "the type of a field was expected here",
                    help="name the type under `types:` and use its name",
                )
                ok = False
                continue
            kind = read_scalar(value, self.names, self.sink)
            if kind is None or isinstance(kind, ty.Unknown):
                ok = False
            else:
                fields.append((key.text, kind))
        return Record(name, tuple(fields)) if ok else None

    # constants

    def _constant(self, name: str, node: Node) -> None:
        found = self._loose(node, None)
        if found is None or ty.places(found[1])[1] > 12:
            if found is not None:
                self.sink.error("E101", node.span, "this constant is nested too deeply", help="take a layer out")
            self.names.faulty.add(name)
        else:
            self.names.constants[name] = Const(found[0], type=found[1])

    def _loose(self, node: Node, hint: Type | None) -> tuple[Value, Type] | None:
        """A value of a type not declared: numbers, truth values, names, lists and maps of these."""
        self.names.spend(1)
        if isinstance(node, Scalar):
            return self._loose_scalar(node, hint)
        if isinstance(node, Sequence):
            return self._loose_list(node)
        return self._loose_map(node)

    def _loose_scalar(self, node: Scalar, hint: Type | None) -> tuple[Value, Type] | None:
        simple = node.value
        if isinstance(simple, bool):
            return simple, BOOL
        if isinstance(simple, int):
            return simple, Int(simple, simple)
        if isinstance(simple, Fraction) and "." in node.text:
            cure = f"write it as a fraction, `{simple}`"
            self.sink.error("E103", node.span, "a number with a decimal point is not used here", help=cure)
            return None
        if simple is None:
            self.sink.error("S204", node.span, "a value is missing here", help="write it, or take the key away")
            return None
        parsed = parse_formula(node, self.sink)
        found = static_value(parsed, self.names, self.sink, "a constant", hint) if parsed else None
        return (found.value, found.type) if found else None

    def _loose_list(self, node: Sequence) -> tuple[Value, Type] | None:
        kind: Type = ty.NOTHING
        values: list[Value] = []
        for index, n in enumerate(node.items):
            part = self._loose(n, kind if index else None)
            if part is None:
                return None
            wider = part[1] if index == 0 else ty.join(kind, part[1])
            if wider is None:
                cure = "the items of a list are of one kind"
                self.sink.error("T102", n.span, f"{ty.told(part[1])} does not stand beside {ty.told(kind)}", help=cure)
                return None
            kind = wider
            values.append(part[0])
        return tuple(values), ty.ListOf(kind, len(values))

    def _loose_map(self, node: Mapping) -> tuple[Value, Type] | None:
        found: dict[Value, Value] = {}
        key_kind: Type | None = None
        item_kind: Type | None = None
        for e in node.entries:
            key, value = self._loose(e.key, key_kind), self._loose(e.value, item_kind)
            if key is None or value is None:
                return None
            key_kind = key[1] if key_kind is None else ty.join(key_kind, key[1])
            item_kind = value[1] if item_kind is None else ty.join(item_kind, value[1])
            if key_kind is None or item_kind is None:
                cure = "write numbers alone, or names of one type"
                self.sink.error("T102", e.span, "the keys of a map are of one kind, and so are its values", help=cure)
                return None
            if key[0] in found:
                self.sink.error("S301", e.key.span, f"the key `{e.key.text}` stands twice", help="give it once")
                return None
            found[key[0]] = value[0]
        if key_kind is None or item_kind is None:
            self.sink.error("S204", node.span, "an empty map says nothing", help="write its entries, or take it away")
            return None
        return Map(found), ty.MapOf(key_kind, item_kind)


def _words(node: Node, keys: bool) -> dict[str, None]:
    """The words in the texts of a node, with those of its keys where asked."""
    if isinstance(node, Scalar):
        return dict.fromkeys(_WORD.findall(node.text))
    found: dict[str, None] = {}
    if isinstance(node, Sequence):
        for n in node.items:
            found.update(_words(n, keys))
    else:
        for e in node.entries:
            if keys:
                found.update(_words(e.key, keys))
            if e.key.text not in _TEXTS:
                found.update(_words(e.value, keys))
    return found


def _bare(kind: Type) -> Type:
    return Int() if isinstance(kind, Int) else kind


__all__ = ["CALLED", "RESERVED", "declare"]
