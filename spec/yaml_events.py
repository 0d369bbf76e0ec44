"""PyYAML's parser, told to remember what we need for exact places, and the text that it is given."""

from __future__ import annotations

import re

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError
from yaml.tokens import ScalarToken

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import Source, Span

_MOST_REPORTED = 10
_BYTE_ORDER_MARK = "\ufeff"

_UNWRITABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What no source may hold: control characters, halves of pairs, line separators, a byte order mark inside."""

UNREADABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no escape may stand for."""


def clean(source: Source, sink: Diagnostics) -> str:
    """Report characters that no source may hold, and give the text with a space in the place of each.

    NOTE(breaks): of the line breaks that PyYAML knows, only CR and LF are left, as `Source` and editors count lines.
    """
    text = source.text
    begin = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
    for count, bad in enumerate(_UNWRITABLE.finditer(text, begin)):
        if count == _MOST_REPORTED:
            break
        span = Span(source, bad.start(), bad.end())
        sink.error("Y115", span, f"the character U+{ord(bad[0]):04X} is not used in a text", help="take it away")
    return text[:begin] + _UNWRITABLE.sub(" ", text[begin:])


class Events(Reader, Scanner, Parser):
    """The events of a text; also the indentation around each block scalar, by the offset at which it begins.

    NOTE(pure): the parser in Python is used even where libyaml is there: both must read, and refuse, the same.
    """

    def __init__(self, text: str) -> None:
        """Begin to read a text that `clean` has seen."""
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        self.block_indents: dict[int, int] = {}

    def next_event(self) -> object:
        """Read on to the next event."""
        return self.get_event()  # type: ignore[no-untyped-call]

    def scan_block_scalar(self, style: str) -> ScalarToken:
        """Read a block scalar, and note the indentation around it."""
        self.block_indents[self.index] = self.indent
        return super().scan_block_scalar(style)

    def scan_flow_scalar(self, style: str) -> ScalarToken:
        """Read a quoted scalar; an escape beyond the last character is an error like any other."""
        start = self.get_mark()
        try:
            return super().scan_flow_scalar(style)
        except (ValueError, OverflowError):
            problem = "found unknown escape character"
            raise ScannerError("while scanning a double-quoted scalar", start, problem, self.get_mark()) from None
