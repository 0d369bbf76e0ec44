"""From a YAML text to nodes with exact places, and everything that is wrong with it as diagnostics.

PyYAML's scanner and parser do the reading; its events are put together here, and no Python object is ever made from a
tag. Aliases share one node, so their unfolded size is reckoned, never built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import Source, Span
from tablelaw.spec.yaml_errors import report_split_text, report_syntax
from tablelaw.spec.yaml_events import UNREADABLE, Events, clean
from tablelaw.spec.yaml_offsets import offset_table
from tablelaw.spec.yaml_tree import Entry, Mapping, Node, Scalar, Sequence, Style, Value, core_value, number_too_long

__all__ = ["Entry", "Mapping", "Node", "Scalar", "Sequence", "Style", "Value", "core_value", "parse_yaml"]

MAX_NODES = 200_000
MAX_DEPTH = 60

_PROPERTY = re.compile(r"[&!][^\s,\[\]{}]*")
_GAP = re.compile(r"(?:\s|#[^\r\n]*)*+")
_STYLES: dict[str | None, Style] = {None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}


def parse_yaml(source: Source, sink: Diagnostics, *, max_nodes: int = MAX_NODES, max_depth: int = MAX_DEPTH) -> Node | None:
    """Read one YAML document; `None` if it cannot be read at all, with the reasons in `sink`."""
    text = clean(source, sink)
    try:
        return _Composer(source, text, sink, max_nodes, max_depth).document()
    except _Stop:
        return None
    except yaml.MarkedYAMLError as failure:
        report_syntax(source, sink, failure)
    except yaml.YAMLError:
        sink.error("Y104", Span(source, 0, 0), "the text cannot be read as YAML")
    except (RecursionError, MemoryError):
        sink.error("Y107", Span(source, 0, 0), "the text is nested too deeply or too large to be read")
    return None


class _Stop(Exception):
    """Nothing more can be read; the reason is in the sink."""


@dataclass(frozen=True, slots=True)
class _Built:
    """A node, where its text ends, and the number and depth of nodes it stands for when aliases are unfolded."""

    node: Node
    end: int
    size: int = 1
    height: int = 1


class _Composer:
    """Puts the events of one document together."""

    def __init__(self, source: Source, text: str, sink: Diagnostics, max_nodes: int, max_depth: int) -> None:
        self.source = source
        self.text = text
        self.sink = sink
        self.max_nodes = max_nodes
        self.max_depth = max_depth
        self.events = Events(text)
        self.anchors: dict[str, _Built | None] = {}  # None while the node is still being read

    def next(self) -> yaml.Event:
        event = self.events.next_event()
        assert isinstance(event, yaml.Event)
        return event

    def document(self) -> Node | None:
        """Read the only document."""
        self.next()  # the start of the stream
        start = self.next()
        if isinstance(start, yaml.StreamEndEvent):
            self._report_empty(0)
            return None
        root = self.node(self.next(), 1).node
        self.next()  # the end of the document
        more = self.next()
        if not isinstance(more, yaml.StreamEndEvent):
            begin = _start(more)
            help = "keep one document in a file; a line of `---` begins another"
            self.sink.error("Y110", Span(self.source, begin, begin + 3), "a second document begins here", help=help)
        if isinstance(root, Scalar) and root.plain and not root.text:
            self._report_empty(root.span.start)
            return None
        return root

    def _report_empty(self, offset: int) -> None:
        self.sink.error(
            "Y111", Span(self.source, offset, offset), "there is nothing in this file", help="begin with `tablelaw: 1`"
        )

    def node(self, event: yaml.Event, depth: int) -> _Built:
        """Read the node that begins with `event`."""
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        assert isinstance(event, yaml.NodeEvent)
        start = self._after_properties(event)
        if depth > self.max_depth:
            self._too_deep(start)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            built = self._scalar(event, start)
        elif isinstance(event, yaml.MappingStartEvent):
            built = self._mapping(event, start, depth)
        else:
            assert isinstance(event, yaml.SequenceStartEvent)
            built = self._sequence(event, start, depth)
        if built.size > self.max_nodes:
            what = "aliases make this text" if self.anchors else "this text is"
            message = f"{what} larger than {self.max_nodes:,} values"
            self.sink.error("Y106", Span(self.source, start, start + 1), message, help="split the file, or use fewer aliases")
            raise _Stop
        if event.anchor is not None:
            self.anchors[event.anchor] = built
        return built

    def _too_deep(self, start: int) -> None:
        message = f"values are nested more than {self.max_depth} deep"
        self.sink.error("Y107", Span(self.source, start, start + 1), message, help="give the inner part a name of its own")
        raise _Stop

    def _alias(self, event: yaml.AliasEvent, depth: int) -> _Built:
        start, end = _start(event), _end(event)
        span = Span(self.source, start, end)
        name = event.anchor or ""
        built = self.anchors.get(name)
        if built is not None:
            if depth + built.height - 1 > self.max_depth:
                self._too_deep(start)
            return _Built(built.node, end, built.size, built.height)
        if name in self.anchors:
            self.sink.error("Y106", span, f"the alias `*{name}` stands inside the value that it repeats")
        else:
            help = "quote a text that begins with `*`"
            self.sink.error("Y104", span, f"no value above is marked `&{name}`", label="read as an alias", help=help)
        return _Built(Scalar("", "plain", span, (start,)), end)

    def _after_properties(self, event: yaml.NodeEvent) -> int:
        """Report a tag, and give the offset at which the node begins, behind its anchor and tag."""
        at = _start(event)
        tag = getattr(event, "tag", None)
        if event.anchor is None and tag is None:
            return at
        for _ in range(2):
            if found := _PROPERTY.match(self.text, at):
                if self.text[at] == "!":
                    span = Span(self.source, at, found.end())
                    help = "take the tag away, or quote a text that begins with `!`; formulas say `not`"
                    self.sink.error("Y109", span, f"the tag `{found[0]}` is not used here", help=help)
                gap = _GAP.match(self.text, found.end())
                at = gap.end() if gap else found.end()
        return at

    def _scalar(self, event: yaml.ScalarEvent, start: int) -> _Built:
        text, style, end = event.value, _STYLES[event.style], _end(event)
        start = min(start, end)
        if style == "plain" and not text:
            start = end
        indent = self.events.block_indents.get(start, 0)
        offsets = offset_table(text, style, self.text, start, end, indent)
        if style in ("literal", "folded"):
            end = start + len(self.text[start:end].rstrip(" \r\n"))
        scalar = Scalar(text, style, Span(self.source, start, end), offsets)
        if style == "plain" and number_too_long(text):
            self.sink.error("Y112", scalar.span, "this number is too long", help="if it is meant as a text, quote it")
        if style == "double" and (bad := UNREADABLE.search(text)):
            scalar = Scalar(UNREADABLE.sub("\ufffd", text), style, scalar.span, offsets)
            message = f"the escape stands for the character U+{ord(bad[0]):04X}, which is not used here"
            self.sink.error("Y115", scalar.place(bad.start(), bad.end()), message, help="write the character in words")
        return _Built(scalar, end)

    def _sequence(self, event: yaml.SequenceStartEvent, start: int, depth: int) -> _Built:
        items: list[_Built] = []
        while not isinstance(inner := self.next(), yaml.SequenceEndEvent):
            items.append(self.node(inner, depth + 1))
        end = _end(inner) if event.flow_style else items[-1].end if items else start
        node = Sequence(tuple(item.node for item in items), Span(self.source, start, end), bool(event.flow_style))
        return _Built(node, end, 1 + sum(item.size for item in items), 1 + max((item.height for item in items), default=0))

    def _mapping(self, event: yaml.MappingStartEvent, start: int, depth: int) -> _Built:
        entries: dict[str, Entry] = {}
        lost: list[Scalar] = []  # keys without a value in a row: most likely pieces of the text before them
        last: Entry | None = None
        size, height, end = 1, 0, start
        while not isinstance(inner := self.next(), yaml.MappingEndEvent):
            key = self.node(inner, depth + 1)
            following = self.next()
            value = self.node(following, depth + 1)
            end = max(end, key.end, value.end) if not event.flow_style else end
            size += key.size + value.size
            height = max(height, key.height, value.height)
            if not self._is_key(inner, key):
                continue
            assert isinstance(key.node, Scalar)
            if event.flow_style and self._has_no_value(key, value):
                lost.append(key.node)
                continue
            if lost:
                report_split_text(self.source, self.sink, last, lost)
                lost = []
            last = Entry(key.node, value.node)
            earlier = entries.setdefault(key.node.text, last)
            if earlier is not last:
                self._duplicate(earlier, last)
        end = _end(inner) if event.flow_style else end
        if lost:
            report_split_text(self.source, self.sink, last, lost)
        node = Mapping(tuple(entries.values()), Span(self.source, start, end), bool(event.flow_style))
        return _Built(node, end, size, height + 1)

    def _is_key(self, event: yaml.Event, key: _Built) -> bool:
        """Report a key that is no text of its own."""
        start = _start(event)
        span = Span(self.source, start, min(max(key.end, start + 1), len(self.text)))
        if not isinstance(key.node, Scalar) or isinstance(event, yaml.AliasEvent):
            self.sink.error("Y108", span, "a key is a single text", help='quote a key such as `"(0, 0)"`')
            return False
        if key.node.plain and key.node.text == "<<":
            help = "write the entries out; `include` shares them between files"
            self.sink.error("Y113", span, "the merge key `<<` is not used here", help=help)
            return False
        if key.node.plain and not key.node.text:
            self.sink.error("Y108", span, "a key is missing here", help="quote a text that begins with `:` or `?`")
            return False
        return True

    def _has_no_value(self, key: _Built, value: _Built) -> bool:
        node = value.node
        return isinstance(node, Scalar) and node.plain and not node.text and ":" not in self.text[key.end : node.span.start]

    def _duplicate(self, earlier: Entry, later: Entry) -> None:
        message = f"the key `{later.key.text}` is here twice"
        notes = (f"first at {earlier.key.span}",)
        help = "give one of them another name, or put the two together"
        self.sink.error("Y105", later.key.span, message, label="again here", notes=notes, help=help)


def _start(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.index


def _end(event: yaml.Event) -> int:
    assert event.end_mark is not None
    return event.end_mark.index
