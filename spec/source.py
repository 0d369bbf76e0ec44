"""Texts and the places in them; the one module that turns offsets into lines and columns."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from tablelaw.spec.diagnostics import Diagnostic

MAX_SOURCE_BYTES = 4 * 1024 * 1024
"""How large a file may be unless the caller says otherwise."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_WIDE_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """One text with the name people know it by; two sources are the same only if they are the same object."""

    name: str
    text: str
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Note once where the lines begin."""
        starts = (0, *(match.end() for match in _LINE_BREAK.finditer(self.text)))
        object.__setattr__(self, "_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Give the line and column of a character, both counted from 1; offsets outside the text are pulled in."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line_start(self, line: int) -> int:
        """Give the offset at which a line (counted from 1) begins."""
        return self._starts[min(max(line, 1), len(self._starts)) - 1]

    def line_text(self, line: int) -> str:
        """Give a line (counted from 1) without its line break; lines that do not exist are empty."""
        if not 1 <= line <= len(self._starts):
            return ""
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        return self.text[self._starts[line - 1] : end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        """Give a stretch of this text."""
        return Span(self, start, end)


@dataclass(frozen=True, slots=True)
class Span:
    """The characters of a source from `start` up to, not including, `end`."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line on which the span begins, counted from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column at which the span begins, in characters, counted from 1."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """Give the smallest span that covers both; a span of another source leaves this one as it is."""
        if other.source is not self.source:
            return self
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))

    def __str__(self) -> str:
        """Write the place as `file:line:column`."""
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"


def read_source(path: str | os.PathLike[str], *, max_bytes: int = MAX_SOURCE_BYTES) -> Source | Diagnostic:
    """Read a UTF-8 file whole, or say in a diagnostic why it cannot be read."""
    name = os.fspath(path)
    try:
        if Path(name).is_dir():
            return _file_error("Y101", f"`{name}` is a folder", "name a file, such as `rules.yaml` in it")
        with open(name, "rb") as stream:
            data = stream.read(max_bytes + 1)
    except FileNotFoundError:
        return _file_error("Y101", f"there is no file `{name}`", "check the path; it is read from the current folder")
    except PermissionError:
        return _file_error("Y101", f"`{name}` may not be read", "the permissions of the file do not allow it")
    except (OSError, ValueError):
        return _file_error("Y101", f"`{name}` cannot be read", None)
    if len(data) > max_bytes:
        return _file_error("Y103", f"`{name}` is larger than {max_bytes:,} bytes", "split the file and `include` its parts")
    return decode_source(name, data)


def decode_source(name: str, data: bytes) -> Source | Diagnostic:
    """Read bytes as UTF-8 (a byte order mark is dropped); what is not UTF-8 gets a diagnostic at its place."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as failure:
        start, end = failure.start, failure.end
    if data.startswith(_WIDE_ENCODINGS):
        return _file_error("Y102", f"`{name}` is written in UTF-16", "save the file as UTF-8")
    offset = len(data[:start].decode("utf-8"))
    span = Span(Source(name, data.decode("utf-8", errors="replace")), offset, offset + 1)
    shown = " ".join(f"{byte:02x}" for byte in data[start:end])
    return Diagnostic("Y102", "error", "the file is not UTF-8 here", span, f"byte {shown}", help="save the file as UTF-8")


def _file_error(code: str, message: str, cure: str | None) -> Diagnostic:
    return Diagnostic(code, "error", message, None, help=cure)


_STREAMS = {"/dev/stdout": "stdout", "/dev/fd/1": "stdout", "/dev/stderr": "stderr", "/dev/fd/2": "stderr"}
"""What is open already: opened again by its name, a file would lose what is written besides."""


def stream_of(path: str | os.PathLike[str]) -> TextIO | None:
    """The stream of this process that a path names."""
    return getattr(sys, _STREAMS.get(os.fspath(path), ""), None)


def write_whole(path: Path, pieces: str | Iterable[str]) -> None:
    """Write a file at once: beside it first, then in its place, so that it is never half-written.

    A link stays a link, a device or pipe what it is.
    """
    pieces = (pieces,) if isinstance(pieces, str) else pieces
    if (stream := stream_of(path)) is not None:
        stream.writelines(pieces)
        stream.flush()
        return
    if path.exists() and not path.is_file():  # a device or a pipe is written to; what it is called stays what it is
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        return
    path = path.resolve()
    handle, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}-", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_mask()
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
