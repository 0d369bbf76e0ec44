"""Layouts as text pictures, both ways: a row a line, words apart, `.` for an empty square."""

from __future__ import annotations

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.grid import Cell
from tablelaw.spec.layouts import Laid
from tablelaw.spec.source import Span
from tablelaw.spec.types import LayoutType
from tablelaw.spec.yaml_nodes import Scalar


def read_picture(node: Scalar, kind: LayoutType, sink: Diagnostics) -> list[tuple[Cell, Laid, Span]] | None:
    """The pieces that a picture shows, each with its place in the text; None (and told) where it shows none."""
    sink.error("T113", node.span, "this is not a picture of a layout", help="write squares with faces")
    return None
