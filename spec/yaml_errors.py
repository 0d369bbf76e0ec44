"""What is most likely wrong with a YAML text that cannot be read, in our words: PyYAML's own are never shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import Source, Span
from tablelaw.spec.yaml_tree import Entry, Scalar

_LONGEST_CURE = 70
_KEY_AND_TEXT = re.compile(r"\s*(?:- +)*(?P<key>[^\s:'\"{}\[\],#][^:'\"{}\[\],#]*): +(?P<text>[^\s'\"{\[|>].*?)\s*")
_FOUND = re.compile(r"but (?:found|got) '(?P<token>[^']+)'")


def quoted(text: str) -> str:
    """Write a text in the quotes that need the fewest escapes."""
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class _Fault:
    """What PyYAML says, and where: `at` is the place of the trouble, `since` the beginning of what was being read."""

    source: Source
    context: str
    problem: str
    at: int
    since: int

    @property
    def char(self) -> str:
        return self.source.text[self.at : self.at + 1]

    @property
    def token(self) -> str:
        found = _FOUND.search(self.problem)
        return found["token"] if found else ""

    def first_of_line(self) -> int:
        """Give the place of the first character that is no space in the line of the trouble."""
        number = self.line_of(self.at)
        line = self.source.line_text(number)
        return self.source.line_start(number) + len(line) - len(line.lstrip())

    def line_of(self, offset: int) -> int:
        return self.source.position(offset)[0]


@dataclass(frozen=True, slots=True)
class _Finding:
    """How one fault is told."""

    message: str
    help: str
    at: int
    label: str = ""
    code: str = "Y104"
    notes: tuple[str, ...] = ()


def report_syntax(source: Source, sink: Diagnostics, failure: yaml.MarkedYAMLError) -> None:
    """Report the place where reading stopped, the likely cause, and the cure."""
    problem_mark, context_mark = failure.problem_mark, failure.context_mark
    at = problem_mark.index if problem_mark else 0
    since = context_mark.index if context_mark else at
    fault = _Fault(source, failure.context or "", failure.problem or "", min(at, len(source.text)), since)
    finding = next((tell(fault) for pattern, tell in _TELLERS if pattern in f"{fault.context}: {fault.problem}"), None)
    told = finding or _Finding("the text cannot be read as YAML from here on", "quote texts that hold punctuation", fault.at)
    end = min(told.at + 1, len(source.text))
    sink.error(told.code, Span(source, told.at, end), told.message, label=told.label, notes=told.notes, help=told.help)


def report_split_text(source: Source, sink: Diagnostics, before: Entry | None, lost: list[Scalar]) -> None:
    """Report keys without values in a flow mapping: nearly always one text that its commas have cut into pieces."""
    names = " and ".join(f"`{key.text}`" for key in lost[:3]) + (" …" if len(lost) > 3 else "")
    if before is not None and isinstance(before.value, Scalar) and before.value.plain and before.value.text:
        span = before.value.span.to(lost[-1].span)
        message = f"a comma cuts this text short: {names} became {'a key' if len(lost) == 1 else 'keys'} without a value"
        cure = f"`{before.key.text}: {quoted(span.text)}`"
        short = "\n" not in span.text and len(cure) <= _LONGEST_CURE
        help = f"quote it: {cure}" if short else "quote the whole text"
        sink.error("Y114", span, message, label="cut at the comma", help=help)
        return
    span = lost[0].span.to(lost[-1].span)
    message = f"{names} {'has' if len(lost) == 1 else 'have'} no value"
    sink.error("Y114", span, message, help="write `key: value`; quote a text or formula that holds `,` or begins with `{`")


def _colon(fault: _Fault) -> _Finding:
    """A `: ` where no key can stand."""
    number = fault.line_of(fault.at)
    line = fault.source.line_text(number)
    match = _KEY_AND_TEXT.fullmatch(line)
    column = fault.at - fault.source.line_start(number)
    if match is not None and match.start("text") <= column:
        cure = f"`{match['key']}: {quoted(match['text'])}`"
        help = f"quote the text: {cure}" if len(cure) <= _LONGEST_CURE else "quote the whole text"
        return _Finding("`: ` inside an unquoted text", help, fault.at, "read as a second key")
    if ": " in line[:column] or line[:column].rstrip().endswith(('"', "'", "]", "}")):
        return _Finding("`: ` where no key can stand", "put quotes around the whole text or the whole key", fault.at)
    first = fault.at - len(line[:column].lstrip())
    above = number - 1
    while above > 1 and not fault.source.line_text(above).strip():
        above -= 1
    text = fault.source.line_text(above)
    indentation = len(text) - len(text.lstrip())
    if text.strip() and indentation == first - fault.source.line_start(number):
        missing = "a space is missing after the `:`" if ":" in text else "a `:` is missing in this line"
        return _Finding(missing, "write `key: value`", fault.source.line_start(above) + indentation, "this is no `key: value`")
    help = "line it up with the key it belongs beside, or quote the text above together with this line"
    return _Finding("this key is indented deeper than the text above allows", help, first)


def _no_colon(fault: _Fault) -> _Finding:
    help = "write `key: value`, or indent the line to go on with the text above"
    return _Finding("a `:` is missing in this line", help, fault.since, "this is no `key: value`")


def _flow(fault: _Fault) -> _Finding:
    """Something other than a comma or the closing bracket inside brackets."""
    opening = fault.source.text[fault.since : fault.since + 1]
    closing = "]" if opening == "[" else "}"
    number = fault.line_of(fault.since)
    notes = (f"the `{opening}` of line {number} is still open here",)
    if fault.token == "<stream end>":
        help = f"close it with `{closing}`, or quote a text that holds `{opening}`"
        return _Finding(f"`{opening}` is never closed", help, fault.since)
    if fault.line_of(fault.at) != number and fault.char not in "[{?":
        help = f"close line {number} with `{closing}`, or put a `,` before this"
        return _Finding(f"`,` or `{closing}` is missing before this", help, fault.first_of_line(), notes=notes)
    if fault.char in "[]{}?":
        help = f"quote the whole text: inside `{opening}…{closing}` it may not hold `,` `[` `]` `{{` `}}` `?` unquoted"
        message = f"`{fault.char}` inside an unquoted text between `{opening}` and `{closing}`"
        return _Finding(message, help, fault.at, notes=notes)
    if fault.char == ":":
        return _Finding("`: ` inside an unquoted text", "quote the whole text", fault.at, "read as a second key", notes=notes)
    help = "put a `,` before it, or quote the whole text; use the other kind of quotes outside"
    return _Finding(f"`,` or `{closing}` is missing before this", help, fault.at, notes=notes)


def _block(fault: _Fault) -> _Finding:
    """Something that fits neither the list or mapping around it nor an inner one."""
    neighbours = f"line it up with its neighbours, which begin on line {fault.line_of(fault.since)}"
    if fault.token in ("<block mapping start>", "<block sequence start>"):
        return _Finding("this line is indented unlike the lines around it", neighbours, fault.at)
    if fault.char == "-" and fault.token == "-":
        return _Finding("a list item where `key: value` is expected", f"{neighbours}, or indent it below its key", fault.at)
    if fault.char == ":":
        return _lone_colon(fault)
    if fault.token == "?" and fault.char != "?":
        help = "begin it with `- `, or put keys and list items at places of their own"
        return _Finding("a key where a list item is expected", help, fault.at)
    if going_on := _goes_on(fault, fault.at):
        return going_on
    if fault.char in "]}":
        return _Finding(f"this `{fault.char}` closes nothing", "take it away, or quote the whole text", fault.at)
    if fault.at == fault.first_of_line():
        return _Finding("this line is indented unlike the lines around it", neighbours, fault.at)
    return _Finding("this fits neither the text before it nor the lines around it", "quote the whole text", fault.at)


def _goes_on(fault: _Fault, at: int) -> _Finding | None:
    """Tell of a text that goes on behind its closing quote or bracket."""
    before = fault.source.text[:at].rstrip(" ")
    closing = before[-1:]
    if not closing or closing not in "'\"]})":
        return None
    help = "put quotes around the whole text; inside them use the other kind"
    if closing == "'" and len(before) == at:
        help = "between single quotes `'` is written `''`; or use double quotes outside"
    return _Finding(f"the text goes on after the closing `{closing}`", help, at, "not part of the value")


def _after_end(fault: _Fault) -> _Finding:
    """Something after the only document."""
    if fault.token in ("<block mapping start>", "<block sequence start>"):
        return _Finding("this line is indented less than the first one", "begin all top keys in the first column", fault.at)
    if fault.char == ":" or _goes_on(fault, fault.at):
        return _block(fault)
    return _Finding("the document ended above, and this comes after it", "keep one document in a file", fault.at)


def _first_character(fault: _Fault) -> _Finding:
    char = fault.char
    if char == "\t":
        where = "in the indentation" if fault.at <= fault.first_of_line() else "before a text"
        return _Finding(f"a tab {where}", "use spaces", fault.at, "a tab")
    if char == "`":
        return _Finding("an unquoted text cannot begin with a backquote", "quote the whole text", fault.at)
    return _Finding(f"an unquoted text cannot begin with `{char}`", "quote the whole text", fault.at)


def _lone_colon(fault: _Fault) -> _Finding:
    help = "write the key, or quote a text that begins with `:`"
    return _Finding("there is no key before this `:`", help, fault.at, code="Y108")


def _no_node(fault: _Fault) -> _Finding:
    if fault.char == ":":
        return _lone_colon(fault)
    shown = fault.char if fault.char.strip() else ""
    what = f"`{shown}` stands where a value is expected" if shown else "a value is missing here"
    return _Finding(what, "write the value, or quote the whole text", fault.at)


def _list_on_key_line(fault: _Fault) -> _Finding:
    help = "begin the list on a line of its own below the key, or quote a text that begins with `-`"
    return _Finding("a list item cannot stand here", help, fault.at)


def _question_mark(fault: _Fault) -> _Finding:
    return _Finding("a text cannot begin with `? `", "quote the whole text", fault.at)


def _open_quote(fault: _Fault) -> _Finding:
    quote = fault.source.text[fault.since : fault.since + 1]
    help = f"close it with `{quote}`; inside, `'` is written `''`" if quote == "'" else f"close it with `{quote}`"
    return _Finding("this quote is never closed", help, fault.since)


def _escape(fault: _Fault) -> _Finding:
    at = fault.source.text.rfind("\\", 0, fault.at + 1)
    help = "write `\\\\` for a backslash, or use single quotes, where it stands for itself"
    return _Finding("this `\\` begins no escape that is known", help, max(at, 0))


def _block_header(fault: _Fault) -> _Finding:
    if going_on := _goes_on(fault, fault.since):
        return going_on
    sign = fault.source.text[fault.since : fault.since + 1]
    help = f"quote a text or formula that begins with `{sign}`; else begin the text on the next line"
    return _Finding(f"`{sign}` at the beginning of a value announces a block of text below", help, fault.since)


def _marker(fault: _Fault) -> _Finding:
    sign = fault.source.text[fault.since : fault.since + 1]
    message = f"`{sign}` at the beginning of a text has a meaning of its own"
    return _Finding(message, f"quote a text that begins with `{sign}`", fault.since)


def _tag(fault: _Fault) -> _Finding:
    help = "quote a text that begins with `!`; formulas say `not`"
    return _Finding("`!` at the beginning of a text makes it a tag", help, fault.since, code="Y109")


def _directive(fault: _Fault) -> _Finding:
    start = fault.source.line_start(fault.line_of(min(fault.since, fault.at)))
    return _Finding("a line cannot begin with `%`", "take the line away, or quote or indent the text", start)


_TELLERS: tuple[tuple[str, Callable[[_Fault], _Finding]], ...] = (
    ("mapping values are not allowed", _colon),
    ("could not find expected ':'", _no_colon),
    ("while parsing a flow mapping", _flow),
    ("while parsing a flow sequence", _flow),
    ("expected <block end>", _block),
    ("expected '<document start>'", _after_end),
    ("cannot start any token", _first_character),
    ("expected the node content", _no_node),
    ("sequence entries are not allowed", _list_on_key_line),
    ("mapping keys are not allowed", _question_mark),
    ("found unexpected end of stream", _open_quote),
    ("found unexpected document separator", _open_quote),
    ("while scanning a double-quoted scalar", _escape),
    ("while scanning a block scalar", _block_header),
    ("undefined tag handle", _tag),
    ("while scanning a tag", _tag),
    ("while parsing a tag", _tag),
    ("while scanning an alias", _marker),
    ("while scanning an anchor", _marker),
    ("directive", _directive),
    ("incompatible YAML document", _directive),
    ("duplicate tag handle", _directive),
)
"""What PyYAML's words begin with, and who tells the matter; the first that fits."""
