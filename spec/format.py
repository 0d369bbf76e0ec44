"""Writes a rules file in its canonical form: `tablelaw fmt`.

Keys stand in the order of the table of forms, free maps keep the author's order; two spaces of indentation; brackets where the
author wrote brackets and one line holds them, lines of their own otherwise; quotes only where a reader of YAML 1.2 or 1.1 needs
them. Comments stay with the entry or item they belong to, and keep their column where the line leaves room. Aliases are
unfolded, since an alias may not stand before the value it repeats and keys change places. Nothing else changes: what the
result says is compared with what the text said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import yaml

from tablelaw.spec.commented import Branch, Comment, Leaf, Tree, Unit, read_commented
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.forms import RULES, Either, Form, ListShape, MapShape, Shape, Text
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml
from tablelaw.spec.yaml_tree import Mapping, Node, Scalar, Sequence, core_value

WIDTH = 128
"""The longest line that is written where there is a choice."""

HEADING = ("tablelaw", "game", "title", "says", "players", "include", "sources")
"""Keys at the top between which no empty line is put."""

_LONGEST_KEY = 1000  # a key of more than 1024 characters needs a `?` before it
_RESOLVERS = yaml.SafeLoader.yaml_implicit_resolvers
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\ufeff": "\\uFEFF"}


def format_text(source: Source, sink: Diagnostics) -> str | None:
    """Give the canonical form of a rules file; `None` if it cannot be read, with the reasons in `sink`."""
    found = Diagnostics()
    node = parse_yaml(source, found)
    sink.extend(found)
    if node is None or found.has_errors:
        return None
    if not isinstance(node, Mapping):
        sink.error("S203", node.span, "a rules file is keys with values", help="begin with `tablelaw: 1`")
        return None
    commented = read_commented(source)
    assert isinstance(commented.root, Branch)
    writer = _Writer()
    for comment in commented.head:
        writer.comment(comment, 0)
    if commented.head:
        writer.gap()
    writer.block(commented.root, RULES, 0, path=())
    text = "\n".join(writer.rows) + "\n"
    _compare(node, commented.count, Source(source.name, text))
    return text


def _compare(before: Node, comments: int, result: Source) -> None:
    """INVARIANT: the result says what the text said and has every comment; a fault here is ours, never the author's."""
    after = parse_yaml(result, Diagnostics())
    if after is None or _meaning(after) != _meaning(before) or read_commented(result).count != comments:
        raise RuntimeError(f"formatting {result.name} would have changed what it says")


def _meaning(node: Node) -> object:
    if isinstance(node, Scalar):
        return (type(node.value), node.value)
    if isinstance(node, Sequence):
        return [_meaning(item) for item in node.items]
    return {(type(entry.key.value), entry.key.text): _meaning(entry.value) for entry in node.entries}


@dataclass(slots=True)
class _Writer:
    """Collects the lines of the result."""

    rows: list[str] = field(default_factory=list)

    def gap(self) -> None:
        """Leave one empty line, but none at the top."""
        if self.rows and self.rows[-1]:
            self.rows.append("")

    def comment(self, comment: Comment, indent: int, *, first: bool = False) -> None:
        """Write a comment on a line of its own."""
        if comment.blank and not first:
            self.gap()
        self.rows.append(" " * indent + comment.text)

    def block(
        self, branch: Branch, shape: Shape | None, indent: int, *, path: tuple[str, ...] | None, hoisted: bool = False
    ) -> None:
        """Write the units of a branch on lines of their own.

        `path` are the keys from the top, as long as they are known; `hoisted`: what stands above the first unit is written.
        """
        before: _Shown | None = None
        units = _ordered(branch, shape)
        for unit in units:
            first = before is None
            shown = self._unit(unit, _inner(shape, unit), indent, path)
            above = [] if hoisted and first else _above(unit, _inner(shape, unit), indent)
            if before is not None and _parted(path, before, shown):
                self.gap()
            for number, comment in enumerate(above):
                self.comment(comment, indent, first=first and number == 0)
            if unit.blank and (above or not first):
                self.gap()
            self.rows += shown.rows
            before = shown
        for comment in branch.tail:
            self.comment(comment, indent)

    def _unit(self, unit: Unit, shape: Shape | None, indent: int, path: tuple[str, ...] | None) -> _Shown:
        """Give the lines of one entry or item, without what stands above it."""
        key = "" if unit.key is None else unit.key.text
        lead = _lead(unit, indent)
        beside = unit.beside[-1] if unit.beside else None
        inner = _Writer()
        line = _inline(unit.value, shape, len(lead) + 1, indent)
        deeper = None if path is None or unit.key is None else (*path, key)
        if line is not None:
            head, *rest = line
            return _Shown(key, [*_beside(f"{lead} {head}".rstrip(), beside), *rest])
        assert isinstance(unit.value, Branch)
        inner.block(unit.value, shape, indent + 2, path=deeper, hoisted=unit.key is None)
        if unit.key is not None:
            return _Shown(key, [*_beside(lead, beside), *inner.rows])
        return _Shown(key, [lead + inner.rows[0][len(lead) :], *inner.rows[1:]], len(inner.rows) > 1)


@dataclass(slots=True)
class _Shown:
    """The lines of a unit."""

    key: str
    rows: list[str]
    several: bool = False

    def __post_init__(self) -> None:
        self.several = self.several or len(self.rows) > 1


def _parted(path: tuple[str, ...] | None, before: _Shown, here: _Shown) -> bool:
    """Say whether an empty line has to stand between two units: between sections and between actions that take lines."""
    if not (before.several or here.several):
        return False
    if path == ():
        return before.key not in HEADING or here.key not in HEADING
    return path == ("actions",)


def _lead(unit: Unit, indent: int) -> str:
    """Give what stands before the value of a unit."""
    if unit.key is None:
        return " " * indent + "-"
    key = _key(unit.key, flow=False)
    if len(key) > _LONGEST_KEY:
        return " " * indent + f"? {key}\n" + " " * indent + ":"
    return " " * indent + key + ":"


def _beside(line: str, comment: Comment | None) -> list[str]:
    """Put a comment at the end of a line: in its old column if there is room for it."""
    if comment is None:
        return [line]
    near = len(line) + 2
    column = max(comment.column, near)
    if column + len(comment.text) > WIDTH:
        column = near
    return [line.ljust(column) + comment.text]


def _above(unit: Unit, shape: Shape | None, indent: int) -> list[Comment]:
    """Give the comments that stand above a unit: its own, and those that have no other place."""
    beside = [replace(comment, blank=False) for comment in unit.beside]
    if unit.key is not None:
        return [*unit.before, *beside[:-1]]
    if not isinstance(unit.value, Branch) or _inline(unit.value, shape, indent + 2, indent) is not None:
        return [*unit.before, *beside[:-1]]
    first = _ordered(unit.value, shape)[0]
    return [*unit.before, *beside, *_above(first, _inner(shape, first), indent + 2)]


# forms


def _fitting(tree: Tree, shape: Shape | None) -> Shape | None:
    """Give the alternative that a value is written in."""
    while isinstance(shape, Either):
        shape = next((option for option in shape.options if _fits(tree, option)), None)
    return shape


def _fits(tree: Tree, shape: Shape) -> bool:
    if isinstance(shape, Text):
        return isinstance(tree, Leaf)
    if isinstance(shape, ListShape):
        return isinstance(tree, Branch) and not tree.mapping
    if isinstance(shape, (MapShape, Form)):
        return isinstance(tree, Branch) and tree.mapping
    return True


def _inner(shape: Shape | None, unit: Unit) -> Shape | None:
    """Give the shape of the value of a unit, from that of the branch in which it stands."""
    if isinstance(shape, Form) and unit.key is not None:
        return _fitting(unit.value, shape.keys.get(unit.key.text))
    if (isinstance(shape, MapShape) and unit.key is not None) or (isinstance(shape, ListShape) and unit.key is None):
        return _fitting(unit.value, shape.of)
    return None


def _ordered(branch: Branch, shape: Shape | None) -> list[Unit]:
    """Give the units of a branch in the order of its form; keys that the form does not know come last."""
    if not isinstance(shape, Form):
        return branch.units
    places = {key: place for place, key in enumerate(shape.keys)}
    return sorted(branch.units, key=lambda unit: places.get(unit.key.text if unit.key else "", len(places)))


# values


def _inline(tree: Tree, shape: Shape | None, column: int, indent: int) -> list[str] | None:
    """Give a value that begins on the line of its key: a scalar, or brackets that fit; `None` if it begins below."""
    if isinstance(tree, Leaf):
        return _scalar(tree, column, indent)
    if not tree.units:
        return ["{}" if tree.mapping else "[]"]
    line = _flow(tree, shape) if tree.flow else None
    return [line] if line is not None and column + len(line) <= WIDTH else None


def _flow(tree: Tree, shape: Shape | None) -> str | None:
    """Write a value in brackets on one line; `None` if something in it needs lines of its own."""
    if isinstance(tree, Leaf):
        if not tree.text and tree.style == "plain":
            return None
        return None if "\n" in tree.text else _word(tree, flow=True)
    if not tree.flow and tree.units:
        return None
    if tree.tail or any(unit.before or unit.beside for unit in tree.units):
        return None
    parts: list[str] = []
    room = WIDTH
    for unit in _ordered(tree, shape):
        value = _flow(unit.value, _inner(shape, unit))
        if value is None:
            return None
        parts.append(value if unit.key is None else f"{_key(unit.key, flow=True)}: {value}")
        room -= len(parts[-1])
        if room < 0:
            return None
    return ("{" + ", ".join(parts) + "}") if tree.mapping else ("[" + ", ".join(parts) + "]")


def _key(leaf: Leaf, *, flow: bool) -> str:
    if leaf.style == "plain" and not isinstance(core_value(leaf.text), str):
        return leaf.text
    # a line that begins with one of these would begin or end the document
    return _quoted(leaf.text) if leaf.text.startswith(("---", "...")) or not _plain(leaf.text, flow=flow) else leaf.text


def _word(leaf: Leaf, *, flow: bool) -> str:
    """Write a scalar on one line."""
    if leaf.style == "plain" and not isinstance(core_value(leaf.text), str):
        return leaf.text
    return leaf.text if _plain(leaf.text, flow=flow) else _quoted(leaf.text)


def _plain(text: str, *, flow: bool) -> bool:
    """Say whether a text may stand without quotes and is a text for readers of YAML 1.2 and of YAML 1.1."""
    if not text or text != text.strip() or any(char in text for char in "\t\n\r\ufeff"):
        return False
    if not isinstance(core_value(text), str) or any(
        pattern.match(text) for _, pattern in (*_RESOLVERS.get(text[0], ()), *_RESOLVERS.get(None, ()))
    ):
        return False
    if text[0] in ",[]{}#&*!|>'\"%@`" or (text[0] in "-?:" and (flow or text[1:2] in ("", " "))):
        return False
    if ": " in text or " #" in text or text.endswith(":"):
        return False
    return not (flow and any(char in text for char in ",[]{}?"))


def _quoted(text: str) -> str:
    """Write a text in double quotes, or in single ones where that saves escapes."""
    if ('"' in text or "\\" in text) and not any(char in text for char in "\t\n\r\ufeff"):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_ESCAPES.get(char, char) for char in text) + '"'


def _scalar(leaf: Leaf, column: int, indent: int) -> list[str]:
    """Write a scalar whose first character comes to a column, with the lines that follow it."""
    text = leaf.text
    if "\n" not in text:
        word = _word(leaf, flow=False)
        if column + len(word) <= WIDTH:
            return [word]
        return _folded(leaf, indent) or [word]
    found = _folded(leaf, indent) if leaf.style == "folded" else None
    return found or _literal(text, indent) or [_quoted(text)]


def _literal(text: str, indent: int) -> list[str] | None:
    """Write a text as a block that keeps its lines, if that can be done without fear for its spaces."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if not lines[-1] or any(line and not line.strip() for line in lines) or any(char in text for char in "\r\ufeff"):
        return None
    first = next(line for line in lines if line)
    if first[0] == "\t":
        return None
    mark = ("2" if first[0] == " " else "") + ("" if text.endswith("\n") else "-")
    return ["|" + mark, *(" " * (indent + 2) + line if line else "" for line in lines)]


def _folded(leaf: Leaf, indent: int) -> list[str] | None:
    """Write a text as a block whose lines are joined: the author's lines, or as many words on each as it holds."""
    text = leaf.text
    body = text.removesuffix("\n")
    if not body.strip() or body != body.strip() or any(char in text for char in "\t\r\ufeff"):
        return None
    if leaf.rows and not any(row != row.rstrip() for row in leaf.rows):
        rows = list(leaf.rows)
    elif "\n" not in body:
        rows = _wrapped(body, WIDTH - indent - 2)
        if len(rows) < 2:
            return None
    else:
        return None
    return [">" if text.endswith("\n") else ">-", *(" " * (indent + 2) + row if row else "" for row in rows)]


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text at single spaces into lines no longer than `width`, where that can be done."""
    rows: list[str] = []
    for word in re.split(r"(?<! ) (?! )", text):
        if rows and len(rows[-1]) + 1 + len(word) <= width:
            rows[-1] += " " + word
        else:
            rows.append(word)
    return rows
