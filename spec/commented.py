"""A YAML text with its comments: each comment belongs to the entry or item before, beside or after which it stands.

This is what the formatter works on. The text must be one that `parse_yaml` reads without errors. Aliases are unfolded: an
alias stands for the value it repeats, without that value's comments.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import yaml

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_events import Events, clean
from tablelaw.spec.yaml_tree import Style

_COMMENT = re.compile(r"#[^\r\n]*")
_GAP = re.compile(r"(?:\s|#[^\r\n]*)*+")
_ANCHOR = re.compile(r"&[^\s,\[\]{}]*(?:\s|#[^\r\n]*)*+")
_DIRECTIVE = re.compile(r"^%[^\r\n#]*", re.MULTILINE)
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]+(?P<comment>#[^\r\n]*)")
_STYLES: dict[str | None, Style] = {None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its `#`; `own` if it has a line of its own, `blank` if the line above is empty."""

    text: str
    start: int
    line: int
    column: int
    own: bool
    blank: bool


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A scalar; `rows` are the lines of a folded block without their indentation."""

    text: str
    style: Style
    start: int
    end: int
    rows: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Branch:
    """A mapping or list.

    `first` is where its first key or dash stands; `column` is -1 where an alias stands for it; `tail` are the comments
    after its last unit.
    """

    mapping: bool
    flow: bool
    start: int
    end: int
    first: int
    column: int
    units: list[Unit]
    tail: list[Comment] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether it is written, at this place, on lines of its own."""
        return not self.flow and bool(self.units) and self.column >= 0


@dataclass(slots=True, eq=False)
class Unit:
    """An entry of a mapping (with a key) or an item of a list; `beside` are the comments at the end of its line."""

    key: Leaf | None
    value: Tree
    start: int
    end: int
    blank: bool = False
    before: list[Comment] = field(default_factory=list)
    beside: list[Comment] = field(default_factory=list)


Tree: TypeAlias = Leaf | Branch


@dataclass(frozen=True, slots=True, eq=False)
class Commented:
    """A whole text; `head` are the comments that stand at the top, apart from the first entry."""

    root: Tree
    head: tuple[Comment, ...]
    count: int


def read_commented(source: Source) -> Commented:
    """Read a text that is known to be free of errors."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = clean(source, Diagnostics())
        self.events = Events(self.text)
        self.anchors: dict[str, Tree] = {}
        self.leaves: list[tuple[int, int]] = []
        self.comments: list[Comment] = []

    def read(self) -> Commented:
        self._next()
        document = self._next()
        root = self._node(self._next())
        assert document.end_mark is not None
        self._find_comments(document.end_mark.index)
        for comment in self.comments:
            self._attach(comment, root)
        return Commented(root, self._head(root), len(self.comments))

    def _next(self) -> yaml.Event:
        event = self.events.next_event()
        assert isinstance(event, yaml.Event)
        return event

    # the tree

    def _node(self, event: yaml.Event) -> Tree:
        assert event.start_mark is not None
        assert event.end_mark is not None
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.AliasEvent):
            self.leaves.append((start, end))
            found = _bare(self.anchors[event.anchor or ""])
            if isinstance(found, Leaf):
                return Leaf(found.text, found.style, start, end, found.rows)
            # NOTE(alias): seen from outside it is closed like a list in brackets, so that comments go around it
            return Branch(found.mapping, found.flow, start, end, start, -1, found.units)
        assert isinstance(event, yaml.NodeEvent)
        tree: Tree
        if isinstance(event, yaml.ScalarEvent):
            tree = self._leaf(event, start, end)
        else:
            tree = self._branch(event, start, event.end_mark.index)
        if event.anchor is not None:
            self.anchors[event.anchor] = tree
        return tree

    def _leaf(self, event: yaml.ScalarEvent, start: int, end: int) -> Leaf:
        style = _STYLES[event.style]
        if style == "plain" and not event.value:
            start = end if event.anchor is None else start
        anchor = _ANCHOR.match(self.text, start) if event.anchor is not None else None
        body = min(anchor.end(), end) if anchor else start
        rows: tuple[str, ...] = ()
        if style in ("literal", "folded"):
            end = start + len(self.text[start:end].rstrip(" \r\n"))
            if style == "folded":
                rows = _rows(self.text[body:end])
            header = _BLOCK_HEADER.match(self.text, body)
            if header is not None:
                self._note(header.start("comment"), header["comment"])
        self.leaves.append((body, end))
        return Leaf(event.value, style, start, end, rows)

    def _branch(self, event: yaml.NodeEvent, start: int, opening: int) -> Branch:
        mapping = isinstance(event, yaml.MappingStartEvent)
        flow = bool(getattr(event, "flow_style", False))
        indentless = not mapping and not flow and self.text[opening : opening + 1] != "-"
        units: list[Unit] = []
        while True:
            inner = self._next()
            if isinstance(inner, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                break
            first = self._node(inner)
            key = first if mapping and isinstance(first, Leaf) else None
            value = self._node(self._next()) if mapping else first
            begin = first.start if mapping or flow else self._dash(units[-1].end if units else opening - indentless)
            blank = self._blank_above(begin) and not self._before(begin).strip(" ?" if mapping else " -")
            units.append(Unit(key, value, begin, max(first.end, value.end), blank))
        assert inner.end_mark is not None
        end = inner.end_mark.index if flow else units[-1].end if units else start
        at = opening - indentless
        return Branch(mapping, flow, start, end, at, self.source.position(at)[1] - 1, units)

    def _dash(self, offset: int) -> int:
        """Give the place of the dash that follows."""
        gap = _GAP.match(self.text, offset)
        assert gap is not None
        return gap.end()

    # comments

    def _line(self, offset: int) -> int:
        return self.source.position(offset)[0]

    def _before(self, offset: int) -> str:
        """Give what stands on the line before a place."""
        line, column = self.source.position(offset)
        return self.source.line_text(line)[: column - 1]

    def _blank_above(self, offset: int) -> bool:
        line = self._line(offset)
        return line > 1 and not self.source.line_text(line - 1).strip()

    def _note(self, start: int, text: str) -> None:
        line, column = self.source.position(start)
        own = not self._before(start).strip(" \t\ufeff")
        self.comments.append(Comment(text.rstrip(), start, line, column - 1, own, own and self._blank_above(start)))

    def _find_comments(self, begin: int) -> None:
        """Find every comment: what begins with `#` outside the scalars."""
        at = 0
        prologue = _DIRECTIVE.sub(lambda found: " " * len(found[0]), self.text[:begin])
        text = prologue + self.text[begin:]
        for start, end in [*sorted(self.leaves), (len(text), len(text))]:
            for found in _COMMENT.finditer(text, at, max(at, start)):
                self._note(found.start(), found[0])
            at = max(at, end)
        self.comments.sort(key=lambda comment: comment.start)

    def _attach(self, comment: Comment, root: Tree) -> None:
        """Give a comment to a unit or a branch."""
        if not isinstance(root, Branch):
            return
        branch, owner = root, None
        while True:
            at = bisect_right(branch.units, comment.start, key=lambda unit: unit.start) - 1
            previous = branch.units[at] if at >= 0 else None
            following = branch.units[at + 1] if at + 1 < len(branch.units) else None
            if previous is None or comment.start >= previous.end:
                break
            value = previous.value
            if isinstance(value, Branch) and value.column >= 0 and comment.start >= value.start:
                branch, owner = value, previous
                continue
            self._within(comment, previous)
            return
        if branch.flow:
            self._in_flow(comment, branch, owner, previous, following)
        elif not comment.own and owner is not None and comment.start < branch.first:
            owner.beside.append(comment)
        elif comment.own or previous is None or self._line(previous.end) != comment.line:
            self._between(comment, branch, previous, following)
        else:
            _last(previous).beside.append(comment)

    def _within(self, comment: Comment, unit: Unit) -> None:
        """Place a comment between a key and its value, or at the head of a block scalar."""
        value = unit.value
        if not comment.own:
            unit.beside.append(comment)
        elif isinstance(value, Branch) and value.open:
            value.units[0].before.append(comment)
        else:
            unit.before.append(comment)

    def _in_flow(
        self, comment: Comment, branch: Branch, owner: Unit | None, previous: Unit | None, following: Unit | None
    ) -> None:
        """Place a comment inside brackets, where columns mean nothing."""
        if not comment.own and previous is not None and self._line(previous.end) == comment.line:
            previous.beside.append(comment)
        elif not comment.own and previous is None and owner is not None:
            owner.beside.append(comment)
        elif following is not None:
            following.before.append(comment)
        elif previous is not None or owner is None:
            branch.tail.append(comment)
        else:
            owner.before.append(comment)

    def _between(self, comment: Comment, branch: Branch, previous: Unit | None, following: Unit | None) -> None:
        """Place a comment between two units of a block: it may also end a block inside the former."""
        deepest = None
        while previous is not None and isinstance(previous.value, Branch) and previous.value.open:
            inner = previous.value
            if comment.own and branch.column < inner.column <= comment.column:
                deepest = inner
            previous = inner.units[-1]
        if deepest is not None:
            deepest.tail.append(comment)
        elif following is not None:
            following.before.append(comment)
        else:
            branch.tail.append(comment)

    def _head(self, root: Tree) -> tuple[Comment, ...]:
        """Take the comments at the top that an empty line parts from the first entry."""
        if not isinstance(root, Branch) or not root.units:
            return tuple(self.comments)
        first = root.units[0]
        top = [comment for comment in first.before if comment.start < first.start]
        size = len(top) if first.blank else max((i for i, comment in enumerate(top) if comment.blank), default=0)
        del first.before[:size]
        first.blank = first.blank and bool(first.before)
        if first.before:
            first.before[0] = replace(first.before[0], blank=False)
        return tuple(top[:size])


def _last(unit: Unit) -> Unit:
    """Give the innermost unit that ends where this one ends."""
    while isinstance(unit.value, Branch) and unit.value.open:
        unit = unit.value.units[-1]
    return unit


def _bare(tree: Tree) -> Tree:
    """Give a value as it is repeated by an alias: without comments, closed to those around it."""
    if isinstance(tree, Leaf):
        return tree
    units = [Unit(unit.key, _bare(unit.value), unit.start, unit.end, unit.blank) for unit in tree.units]
    return Branch(tree.mapping, tree.flow, tree.start, tree.end, tree.first, -1, units)


def _rows(body: str) -> tuple[str, ...]:
    """Give the lines of a block scalar without their indentation; nothing if it has to be guessed."""
    lines = re.split(r"\r\n|\r|\n", body)[1:]
    if not lines or not lines[0].strip(" "):
        return ()
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    if any(line[:indent].strip(" ") for line in lines):
        return ()
    return tuple(line[indent:] for line in lines)
