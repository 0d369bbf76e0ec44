"""Pictures as SVG, without any package: curves by logarithms, and bars of ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

Point = tuple[float, float]
WIDE, HIGH, EDGE = 760, 440, 80
COLOURS = ("#1b6ca8", "#c8553d", "#3d7a45", "#8457a3", "#a0761b", "#3a3f44", "#c2477f", "#2a9d8f")
PER_LINE = 2
"""So many names of curves stand side by side above a picture."""


def curves(title: str, across: str, up: str, lines: Mapping[str, Sequence[Point]], log_across: bool = True) -> str:
    """Points joined by lines; upwards by logarithms, across too unless it is told otherwise."""
    points = [p for some in lines.values() for p in some] or [(1.0, 1.0), (10.0, 10.0)]
    of = log10 if log_across else float
    left, right = (f(of(x) for x, _ in points) for f in (min, max))
    low, high = (f(log10(y) for _, y in points) for f in (min, max))
    top = 20 + 16 * -(-max(1, len(lines)) // PER_LINE) + 10

    def place(x: float, y: float) -> Point:
        along = (of(x) - left) / ((right - left) or 1)
        rise = (log10(y) - low) / ((high - low) or 1)
        return EDGE + along * (WIDE - 2 * EDGE), HIGH - EDGE - rise * (HIGH - EDGE - top)

    parts = _head(title, HIGH)
    for x in _ticks(left, right) if log_across else [float(n) for n in range(ceil(left), floor(right) + 1)]:
        at, _ = place(x, 10**low)
        parts.append(f'<path d="M{at:.0f} {top}V{HIGH - EDGE}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.0f}" y="{HIGH - EDGE + 18}" text-anchor="middle">{_number(x)}</text>')
    for y in _ticks(low, high):
        _, at = place(10**left if log_across else left, y)
        parts.append(f'<path d="M{EDGE} {at:.0f}H{WIDE - EDGE}" stroke="#ddd"/>')
        parts.append(f'<text x="{EDGE - 6}" y="{at + 4:.0f}" text-anchor="end">{_number(y)}</text>')
    for k, (name, some) in enumerate(lines.items()):
        spots, colour = [place(*p) for p in some], COLOURS[k % len(COLOURS)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in spots]
        x, at = EDGE + (k % PER_LINE) * (WIDE // PER_LINE - EDGE), 20 + 16 * (k // PER_LINE)
        parts.append(f'<path d="M{x} {at - 4}h24" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 30}" y="{at}">{escape(name)}</text>')
    parts.append(f'<text x="{WIDE // 2}" y="{HIGH - 14}" text-anchor="middle">{escape(across)}</text>')
    parts.append(f'<text x="{EDGE - 62}" y="{top - 10}">{escape(up)}</text></svg>')
    return "\n".join(parts) + "\n"


def bars(title: str, ratios: Sequence[tuple[str, float]]) -> str:
    """Ratios by logarithms, to the right of 1 or to the left of it."""
    name, wide, step = 400, 900, 18
    high = 60 + step * len(ratios)
    most = max([abs(log10(r)) for _, r in ratios] or [1.0]) or 1.0
    middle, reach = name + (wide - name) / 2, (wide - name) / 2 - 44
    parts = _head(title, high, wide)
    for k, (what, ratio) in enumerate(ratios):
        y, end = 40 + step * k, middle + reach * log10(ratio) / most
        colour = COLOURS[0] if ratio >= 1 else COLOURS[1]
        parts.append(f'<text x="{name - 8}" y="{y + 11}" text-anchor="end">{escape(what)}</text>')
        parts.append(f'<rect x="{min(middle, end):.1f}" y="{y}" width="{abs(end - middle):.1f}" height="13" fill="{colour}"/>')
        anchor, gap = ("start", 4) if ratio >= 1 else ("end", -4)
        parts.append(f'<text x="{end + gap:.1f}" y="{y + 11}" text-anchor="{anchor}">{ratio:.2g}</text>')
    parts.append(f'<path d="M{middle:.1f} 32V{high - 14}" stroke="#3a3f44"/>')
    parts.append(f'<text x="{middle + 6:.1f}" y="24">faster than the other →</text>')
    parts.append(f'<text x="{middle - 6:.1f}" y="24" text-anchor="end">← slower</text></svg>')
    return "\n".join(parts) + "\n"


def _head(title: str, high: int, wide: int = WIDE) -> list[str]:
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">'
    return [start, f"<title>{escape(title)}</title>", f'<rect width="{wide}" height="{high}" fill="#fff"/>']


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten between two logarithms."""
    return [10.0**n for n in range(ceil(low - 0.001), floor(high + 0.001) + 1)]


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 1 else f"{x:g}"
