"""Reads `pieces:`: kinds of part, faces with their parts and attributes, the rule of contact; the types that boards bring."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tablelaw.spec import types as ty
from tablelaw.spec.board_types import DIRECTION, FAMILY, FARTHEST_APART, HALF, LARGEST_GRID, PLACE, ROTATION, SIDE, TURNING
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Builder, Document, get, items
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import Typer, static_value
from tablelaw.spec.grid import HALVES, SIDES
from tablelaw.spec.names import Names
from tablelaw.spec.operators import Fault
from tablelaw.spec.pieces import FacePart, Kind, Pieces, Shown
from tablelaw.spec.positions import Unreadable, read_value
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.settings import holds
from tablelaw.spec.types import BOOL, CellType, EdgeType, Enum, Int, LayoutType, Maybe, PartType, SetOf, Type
from tablelaw.spec.typetext import read_scalar, split_top
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_LAYOUT = re.compile(r"layout\s*\[")
REACHES = ("sides", "halves", "inside")
MOST_KINDS = 24
_OF_PIECES = ("parts", "attributes", "rotation", "contact", "faces", "says", "cite")
_OF_FACES = ("says", "cite", "only", "count")
_FIELDS = ("face", "rotation", "parts", "cell", "kind", "side", "sides", "cells", "size", "open", "closed", "loops")
"""What laid pieces, parts and features have besides their attributes."""


@dataclass(slots=True)
class _Attribute:
    """An attribute of parts or faces: its type, and whether it turns with the piece."""

    kind: Type
    turns: bool
    missing: Value = None
    values: dict[str, Value] = field(default_factory=dict)


def board_types(doc: Document, names: Names) -> None:
    """Give the types of the grid their names, unless the author has others under these."""
    mine: dict[str, Type] = {"Side": SIDE, "Half": HALF, "Direction": DIRECTION, "Rotation": ROTATION}
    if doc.pieces is not None:
        cell = _box(doc, names)
        kinds = tuple(dict.fromkeys(_kind_names(doc)))
        if kinds:
            known = Enum("Kind", kinds, kinds)
            names.kinds = known
            mine |= {"Part": PartType(cell, known, PLACE), "Kind": known}
        names.cell = cell
        mine |= {"Cell": cell, "Edge": EdgeType(cell, SIDE)}
    for name, kind in mine.items():
        if name not in doc.types:
            names.types[name] = kind


def board_names(doc: Document, names: Names) -> None:
    """Sides, halves, directions and kinds of part as names in formulas; without pieces where they mean nothing else."""
    taken = {*doc.variables, *doc.constants, *doc.types}
    groups = [SIDE, Enum("Direction", ("NE", "SE", "SW", "NW"), FAMILY), HALF, *([names.kinds] if names.kinds else [])]
    for kind in groups:
        whole = DIRECTION if kind.name == "Direction" else kind
        for n in kind.values:
            if n not in taken and (doc.pieces is not None or n not in names.enum_names):
                names.enum_names.setdefault(n, []).append(whole)


def face_names(doc: Document) -> Iterator[tuple[str, list[tuple[str, Node | None, Scalar]]]]:
    """The names of the faces of each set of pieces, as enumerations list theirs."""
    for key, node in items(doc.pieces):
        faces = get(node, "faces")
        yield key.text, [(k.text, v, k) for k, v in items(faces)]


def _kind_names(doc: Document) -> Iterator[str]:
    for _, node in items(doc.pieces):
        yield from (k.text for k, _ in items(get(node, "parts")) if _NAME.match(k.text))


def _box(doc: Document, names: Names) -> CellType:
    """A box that no piece of any layout of the game leaves, with its frontier and the squares beyond a border."""
    left = top = 0
    right = bottom = 0
    for v in doc.variables.values():
        for found in _LAYOUT.finditer(v.type.text):
            inside = v.type.text[found.end() :]
            depth = 1
            stop = 0
            while stop < len(inside) - 1:
                depth += (inside[stop] == "[") - (inside[stop] == "]")
                if depth == 0:
                    break
                stop += 1
            sizes = [_size(text, doc, names) for text, _ in split_top(inside[:stop])[1:]]
            if len(sizes) == 1:
                reach = (FARTHEST_APART + 1) * sizes[0] + FARTHEST_APART
                left, top, right, bottom = min(left, -reach), min(top, -reach), max(right, reach), max(bottom, reach)
            elif len(sizes) == 2:
                left, top, right, bottom = min(left, -1), min(top, -1), max(right, sizes[0]), max(bottom, sizes[1])
    return CellType(left, top, right, bottom)


def _size(text: str, doc: Document, names: Names) -> int:
    """A size as far as it is known before constants are read; the largest where it is not."""
    word = text.strip()
    if word in doc.constants:
        node = doc.constants[word][1]
        word = node.text.strip() if isinstance(node, Scalar) else word
    if word.isdecimal() and len(word) < 6:
        return min(int(word), LARGEST_GRID)
    found = re.fullmatch(r"option\(\s*['\"]([\w-]+)['\"]\s*\)", word)
    if found and names.setting.get(found[1], "").isdecimal():
        return min(int(names.setting[found[1]]), LARGEST_GRID)
    return LARGEST_GRID


class PieceReader:
    """Reads the pieces of a document into `names.pieces` and `names.attributes`."""

    def __init__(self, doc: Document, names: Names, sink: Diagnostics) -> None:
        self.doc, self.names, self.sink = doc, names, sink

    def read(self) -> None:
        for key, node in items(self.doc.pieces):
            before = len(self.sink)
            kind = self.names.types.get(key.text)
            if not isinstance(node, Mapping) or not isinstance(kind, Enum):
                if isinstance(kind, Enum) or not isinstance(node, Mapping):
                    self.sink.error("S203", node.span, "what pieces are was expected here", help=_FORM)
                elif not items(node.get("faces")):
                    self.sink.error("S401", key.span, f"`{key.text}` has no face", help=_FORM)
                self.names.faulty.add(key.text)
                continue
            found = self._pieces(key, node, kind)
            if found is None:
                if len(self.sink) == before:
                    self.sink.error("S401", node.span, f"`{key.text}` has no face", help=_FORM)
                self.names.faulty.add(key.text)
            else:
                self.names.pieces[key.text] = found
        self._always_given()

    def _always_given(self) -> None:
        """A side or direction that every part of a kind says is never none."""
        every = [p for pieces in self.names.pieces.values() for parts in pieces.faces.values() for p in parts]
        for kind, table in self.names.part_attributes.items():
            mine = [dict(p.attributes) for p in every if p.kind == kind]
            for name, k in table.items():
                if isinstance(k, Maybe) and k.elem in TURNING and mine and all(a.get(name) is not None for a in mine):
                    table[name] = k.elem

    def _pieces(self, key: Scalar, node: Mapping, kind: Enum) -> Pieces | None:
        for k, _ in items(node):
            if k.text not in _OF_PIECES:
                near = did_you_mean(k.text, _OF_PIECES)
                cure = f"did you mean `{near}`?" if near else _FORM
                self.sink.error("S201", k.span, f"unknown key `{k.text}`", label="not a key of pieces", help=cure)
                return None
        kinds, tables = self._kinds(node.get("parts"))
        own = self._declared(node.get("attributes"))
        if kinds is None or own is None:
            return None
        faces: dict[str, tuple[FacePart, ...]] = {}
        ok = True
        for k, v in items(node.get("faces")):
            if k.text not in kind.values:
                continue
            parts = self._face(k, v, kinds, tables, own)
            if parts is None:
                ok = False
            else:
                faces[k.text] = parts
        if not ok or not faces:
            return None
        self._register(kind, own, {k.text: v for k, v in items(node.get("faces"))})
        free = self._rotation(node)
        attributes = {n: {f: a.values.get(f, a.missing) for f in faces} for n, a in own.items()}
        turning = frozenset(n for n, a in own.items() if a.turns)
        bare = Pieces(key.text, kinds, faces, attributes, turning, free)
        allowed = self._contact(key, node.get("contact"), bare)
        if allowed is None or not self._touchable(node, bare, allowed):
            return None
        return Pieces(key.text, kinds, faces, attributes, turning, free, allowed)

    def _rotation(self, node: Mapping) -> bool:
        word = node.get("rotation")
        text = word.text if isinstance(word, Scalar) else "free"
        if text not in ("free", "fixed"):
            span = word.span if word is not None else node.span
            self.sink.error("S205", span, f"`{text}` is not a way of turning", help="write `free` or `fixed`")
        return text != "fixed"

    # kinds and attributes

    def _kinds(self, node: Node | None) -> tuple[dict[str, Kind] | None, dict[str, dict[str, _Attribute]]]:
        kinds: dict[str, Kind] = {}
        tables: dict[str, dict[str, _Attribute]] = {}
        if not isinstance(node, Mapping) or not node.entries:
            return kinds, tables
        if len(node.entries) > MOST_KINDS:
            self.sink.error("T107", node.span, f"there are at most {MOST_KINDS} kinds of part", help="leave some out")
            return None, tables
        ok = True
        for k, v in items(node):
            if not _NAME.match(k.text) or keyword.iskeyword(k.text):
                self.sink.error("S206", k.span, f"`{k.text}` is not a name", help="use letters, digits and `_`, a letter first")
                ok = False
                continue
            reach = get(v, "at")
            word = reach.text if isinstance(reach, Scalar) else ""
            if word not in REACHES:
                span = reach.span if reach is not None else v.span
                near = did_you_mean(word, REACHES)
                cure = f"did you mean `{near}`?" if near else "write `{at: sides}`, `{at: halves}` or `{at: inside}`"
                self.sink.error("S401", span, f"where parts of kind `{k.text}` reach is not told", help=cure)
                ok = False
                continue
            own = self._declared(v, skip=("at", "says", "cite"))
            if own is None:
                ok = False
                continue
            tables[k.text] = own
            numeric = frozenset(n for n, a in own.items() if isinstance(a.kind, Int))
            kinds[k.text] = Kind(k.text, word, frozenset(n for n, a in own.items() if a.turns), numeric)
            self.names.part_attributes.setdefault(k.text, {}).update({n: a.kind for n, a in own.items()})
        return (kinds if ok else None), tables

    def _declared(self, node: Node | None, skip: tuple[str, ...] = ()) -> dict[str, _Attribute] | None:
        """Attributes with their types; what is left out of a face is 0, false, the first name, or none for what turns."""
        found: dict[str, _Attribute] = {}
        ok = True
        for k, v in items(node):
            if k.text in skip:
                continue
            if not _NAME.match(k.text) or keyword.iskeyword(k.text):
                self.sink.error("S206", k.span, f"`{k.text}` is not a name", help="use letters, digits and `_`, a letter first")
                ok = False
                continue
            if k.text in (*_OF_FACES, *_FIELDS):
                self.sink.error("R211", k.span, f"`{k.text}` has a meaning of its own", help="choose another name")
                ok = False
                continue
            kind = read_scalar(v, self.names, self.sink) if isinstance(v, Scalar) else None
            if kind is None or isinstance(kind, ty.Unknown):
                if not isinstance(v, Scalar):
                    self.sink.error("S203", v.span, "the type of an attribute was expected here", help="write `arrow: Side`")
                ok = False
                continue
            inner = kind.elem if isinstance(kind, Maybe) else kind
            turns = inner in TURNING
            missing = None if turns else ty.default(kind)
            found[k.text] = _Attribute(Maybe(inner) if turns else kind, turns, missing)
        return found if ok else None

    def _register(self, kind: Enum, own: dict[str, _Attribute], faces: dict[str, Node]) -> None:
        """The attributes of faces, and how many of each there are, as formulas read them of a name."""
        table = self.names.attributes.setdefault(kind.family, {})
        for name, a in own.items():
            if a.turns and all(f in a.values for f in kind.values) and isinstance(a.kind, Maybe):
                a.kind = a.kind.elem
            merged = dict.fromkeys(kind.family, a.missing if not isinstance(a.kind, Enum) else a.kind.values[0])
            merged.update(a.values)
            table[name] = (a.kind, Map(merged))
        counts: dict[str, Value] = dict.fromkeys(kind.family, 1)
        old = table.get("count")
        counts.update(dict(old[1].items()) if old else {})
        for f, node in faces.items():
            word = (
                get(node, "count")
                if isinstance(node, Mapping)
                else next((get(n, "count") for n in _alternatives(node) if get(n, "count") is not None), None)
            )
            if word is None:
                continue
            if (
                not isinstance(word, Scalar)
                or isinstance(word.value, bool)
                or not isinstance(word.value, int)
                or not 0 <= word.value <= 10_000
            ):
                self.sink.error(
                    "T108", word.span, "a `count` is a whole number from 0 to 10000", help="write for example `count: 3`"
                )
                continue
            counts[f] = word.value
        table["count"] = (Int(min(counts.values()), max(counts.values())), Map(counts))

    # faces

    def _face(
        self,
        key: Scalar,
        node: Node,
        kinds: dict[str, Kind],
        tables: dict[str, dict[str, _Attribute]],
        own: dict[str, _Attribute],
    ) -> tuple[FacePart, ...] | None:
        chosen = [n for n in _alternatives(node) if self._exists(n)]
        if len(chosen) != 1:
            how = "none" if not chosen else "several"
            cure = "give each alternative an `only`, so that one of them holds under every setting"
            self.sink.error("S401", node.span, f"{how} of the alternatives of face `{key.text}` exist at once", help=cure)
            return None
        found: list[FacePart] = []
        ok = True
        for k, v in items(chosen[0]):
            if k.text in _OF_FACES:
                continue
            if k.text in own:
                known = self._attribute_value(k, v, own[k.text])
                ok &= known is not None
                if known is not None:
                    own[k.text].values[key.text] = known[0]
            elif k.text in kinds:
                parts = self._parts(v, kinds[k.text], tables[k.text])
                ok &= parts is not None
                found += parts or []
            else:
                near = did_you_mean(k.text, [*kinds, *own, *_OF_FACES])
                cure = f"did you mean `{near}`?" if near else "declare it under `parts:` or `attributes:` of these pieces"
                self.sink.error("S401", k.span, f"`{k.text}` is neither a kind of part nor an attribute here", help=cure)
                ok = False
        return tuple(found) if ok and self._apart(key, found, kinds) else None

    def _exists(self, node: Node) -> bool:
        only = get(node, "only")
        return only is None or holds(Builder(self.sink)._only(only), self.names, self.doc, self.sink)

    def _apart(self, key: Scalar, parts: list[FacePart], kinds: dict[str, Kind]) -> bool:
        """No two parts of a kind share a side (half)."""
        for kind in kinds.values():
            places = [a for p in parts if p.kind == kind.name for a in p.at]
            twice = next((a for a in places if places.count(a) > 1), None)
            if twice is not None:
                cure = "a part lists each side it joins, and no two parts of a kind share one"
                self.sink.error(
                    "S401", key.span, f"`{twice}` stands twice among the `{kind.name}` parts of `{key.text}`", help=cure
                )
                return False
        return True

    def _parts(self, node: Node, kind: Kind, table: dict[str, _Attribute]) -> list[FacePart] | None:
        if kind.reach == "inside":
            if isinstance(node, Scalar) and node.value is True:
                return [FacePart(kind.name, (), tuple((n, a.missing) for n, a in table.items()))]
            if isinstance(node, Scalar) and node.value is False:
                return []
            if not isinstance(node, Mapping):
                cure = f"write `{kind.name}: true`, or its attributes, as in `{kind.name}: {{…}}`: one to a face at most"
                self.sink.error("S401", node.span, f"a part of kind `{kind.name}` lies inside and lists no sides", help=cure)
                return None
            found = self._with_attributes(node, (), kind, table)
            return None if found is None else [found]
        if not isinstance(node, Sequence):
            cure = (
                "list its parts, each a list of sides: `[[N, S], [E]]`"
                if kind.reach == "sides"
                else "list its parts: `[[Ne, En]]`"
            )
            self.sink.error("S401", node.span, f"the parts of kind `{kind.name}` were expected here", help=cure)
            return None
        parts: list[FacePart] = []
        for n in node.items:
            where = n if isinstance(n, Sequence) else get(n, "at")
            at = self._places(where, n, kind)
            found = None if at is None else self._with_attributes(n, at, kind, table)
            if found is None:
                return None
            parts.append(found)
        return parts

    def _places(self, node: Node | None, whole: Node, kind: Kind) -> tuple[str, ...] | None:
        ring = SIDES if kind.reach == "sides" else HALVES
        what = "sides" if kind.reach == "sides" else "halves of sides"
        if isinstance(whole, Scalar) or isinstance(node, Scalar):
            a, b = ring[0], ring[2]
            cure = f"write `[[{a}, {b}]]` for one part that joins two {what}, `[[{a}], [{b}]]` for two parts"
            self.sink.error("S401", whole.span, f"a part of kind `{kind.name}` is a list of {what}", help=cure)
            return None
        if not isinstance(node, Sequence) or not node.items:
            cure = f"a part lists the {what} that it joins, as in `[{ring[0]}, {ring[2]}]`"
            self.sink.error("S401", whole.span, f"this part of kind `{kind.name}` reaches no side", help=cure)
            return None
        found: list[str] = []
        for n in node.items:
            word = n.text if isinstance(n, Scalar) else ""
            if word not in ring:
                near = did_you_mean(word, ring)
                cure = f"did you mean `{near}`?" if near else "one of " + ", ".join(ring)
                self.sink.error(
                    "S401", n.span, f"`{word}` is not a {'side' if kind.reach == 'sides' else 'half of a side'}", help=cure
                )
                return None
            found.append(word)
        return tuple(found)

    def _with_attributes(self, node: Node, at: tuple[str, ...], kind: Kind, table: dict[str, _Attribute]) -> FacePart | None:
        values = {n: a.missing for n, a in table.items()}
        for k, v in items(node) if isinstance(node, Mapping) else ():
            if k.text == "at":
                continue
            if k.text not in table:
                near = did_you_mean(k.text, table)
                cure = f"did you mean `{near}`?" if near else f"declare it under `parts: {kind.name}:`"
                self.sink.error("S401", k.span, f"parts of kind `{kind.name}` have no attribute `{k.text}`", help=cure)
                return None
            known = self._attribute_value(k, v, table[k.text])
            if known is None:
                return None
            values[k.text] = known[0]
        return FacePart(kind.name, at, tuple(values.items()))

    def _attribute_value(self, key: Scalar, node: Node, attribute: _Attribute) -> tuple[Value] | None:
        try:
            return (read_value(node, attribute.kind, self.names, self.sink, None, f"`{key.text}`"),)
        except Unreadable:
            return None

    # contact

    def _contact(self, key: Scalar, node: Node | None, bare: Pieces) -> frozenset[tuple[Shown, Shown]] | None:
        """The pairs of sides that may touch, of all that occur."""
        shown = set(bare.shows.values())
        pairs = [(a, b) for a in shown for b in shown]
        if node is None:
            return frozenset(pairs)
        if not isinstance(node, Scalar) or self.names.kinds is None:
            self.sink.error("S203", node.span, "the rule of contact was expected here", help="write `mine == theirs`")
            return None
        parsed = parse_formula(node, self.sink)
        if parsed is None or parsed.tree is None:
            return None
        some = SetOf(self.names.kinds)
        note = "`mine` are the kinds shown by the side being laid, `theirs` those of the side it meets"
        typer = Typer(self.names, self.sink, parsed, {"mine": some, "theirs": some}, "static", note)
        rule = typer.want(parsed.tree, BOOL, "the rule of contact")
        if isinstance(rule.type, ty.Unknown):
            return None
        try:
            allowed = frozenset(p for p in pairs if value(rule, Place({}, self.names.players, {"mine": p[0], "theirs": p[1]})))
        except Fault as fault:
            self.sink.error("T106", node.span, fault.message, help="mend the rule")
            return None
        if bare.kinds and not allowed:
            self.sink.error(
                "S402", node.span, f"no side of `{key.text}` may touch any other", label="this is never true of two sides",
                help="compare what the two sides show, as in `mine == theirs`",
            )  # fmt: skip
            return None
        return allowed

    def _touchable(self, node: Mapping, bare: Pieces, allowed: frozenset[tuple[Shown, Shown]]) -> bool:
        """Has each face a side that may touch some other? One without could lie alone at most."""
        sides = {shown for pair in allowed for shown in pair}
        for k, _ in items(node.get("faces")):
            if k.text in bare.faces and not any(bare.shows[k.text, 0, s] in sides for s in SIDES):
                cure = "mend `contact:`, or the parts of the face"
                self.sink.error("S402", k.span, f"no side of `{k.text}` may touch any other", help=cure)
                return False
        return True


def _alternatives(node: Node) -> list[Node]:
    return list(node.items) if isinstance(node, Sequence) else [node]


_FORM = "pieces have `parts`, `faces`, and if needed `attributes`, `rotation` and `contact`"


def layout_type(
    scalar: Scalar, pieces: list[tuple[str, int]], begin: int, span: object, names: Names, sink: Diagnostics
) -> LayoutType | ty.Unknown | None:
    """`layout[Tile, 80]` or `layout[Tile, 5, 4]`."""
    from tablelaw.spec.formulas import parse_piece

    name = pieces[0][0].strip()
    place = scalar.place(begin + pieces[0][1], begin + pieces[0][1] + len(pieces[0][0]))
    if name in names.faulty:
        return ty.UNKNOWN
    found = names.pieces.get(name)
    if found is None and name in names.types and names.cell is not None:
        cure = "give the layout a variable of its own; maps, lists and `maybe` of layouts stand there too"
        sink.error("R210", place, "a layout is the type of a variable under `state:` alone", help=cure)
        return None
    if found is None or names.cell is None:
        near = did_you_mean(name, names.pieces)
        cure = f"did you mean `{near}`?" if near else "declare it under `pieces:`"
        sink.error("R210", place, f"no pieces are called `{name[:60]}`", help=cure)
        return None
    if not 2 <= len(pieces) <= 3:
        sink.error(
            "R210",
            place,
            "`layout` takes pieces and how many, or the width and height of a board",
            help="write `layout[Tile, 80]` or `layout[Tile, 5, 4]`",
        )
        return None
    numbers: list[int] = []
    for text, at in pieces[1:]:
        parsed = parse_piece(scalar, begin + at, begin + at + len(text), sink)
        known = static_value(parsed, names, sink, "a size") if parsed else None
        if known is None:
            return None
        n = known.value
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= LARGEST_GRID:
            sink.error(
                "T108",
                scalar.place(begin + at, begin + at + len(text)),
                f"the size of a layout is a whole number from 1 to {LARGEST_GRID}",
                help="write for example `layout[Tile, 80]`",
            )
            return None
        numbers.append(n)
    faces = names.types[name]
    assert isinstance(faces, Enum)
    if len(numbers) == 2:
        if numbers[0] * numbers[1] > LARGEST_GRID:
            sink.error("T107", place, f"a board has at most {LARGEST_GRID} squares", help="use a smaller board")
            return None
        return LayoutType(faces, numbers[0] * numbers[1], numbers[0], numbers[1], found, names.cell)
    return LayoutType(faces, numbers[0], None, None, found, names.cell)
