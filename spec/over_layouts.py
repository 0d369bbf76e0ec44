"""Reads what questions over all layouts need besides their formulas: which layout, how many pieces, which symmetries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablelaw.spec import types as ty
from tablelaw.spec.board_types import SIDE
from tablelaw.spec.core import Agg, Call, Const, Expr, Field, Local, Make, Op, Var, children
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Question, elements, text
from tablelaw.spec.formulas import parse_piece, static_value
from tablelaw.spec.mirrors import mirror_images
from tablelaw.spec.source import Span
from tablelaw.spec.types import CellType, EdgeType, LayoutType, PartType, Type
from tablelaw.spec.typetext import split_range
from tablelaw.spec.yaml_nodes import Node, Scalar

if TYPE_CHECKING:
    from tablelaw.spec.game import Game

OF_STATES = ("players", "translation", "rotation", "reflection")
OF_LAYOUTS = ("translation", "rotation", "reflection")
_OF_A_PLAY = ("old", "times", "ended", "winners")


def asks_layouts(q: Question) -> bool:
    """Is the question about all layouts?"""
    return q.kind in ("some-layout", "every-layout") or (q.kind == "count" and text(q.node.get("count")) == "layouts")


def up_to(q: Question, sink: Diagnostics, allowed: tuple[str, ...]) -> tuple[str, ...] | None:
    """The symmetries named, each once; None (and told) when one is unknown."""
    found: list[str] = []
    for node in elements(q.node.get("up_to")):
        name = text(node)
        if name not in allowed:
            near = did_you_mean(name, allowed)
            cure = f"did you mean `{near}`?" if near else "one of " + ", ".join(f"`{a}`" for a in allowed)
            what = "no symmetry of layouts" if name in OF_STATES else "no symmetry"
            sink.error("Q103", node.span, f"`{name}` is {what}", help=cure)
            return None
        found.append(name)
    return tuple(dict.fromkeys(found))


class Overview:
    """Reads one question over all layouts."""

    def __init__(self, game: Game, sink: Diagnostics, q: Question) -> None:
        self.game, self.sink, self.q = game, sink, q

    def fields(self, formulas: dict[str, Expr]) -> dict[str, Any]:
        """`of`, `sizes` and `up_to`; empty (and told) when something is amiss."""
        q = self.q
        if q.node.get("given") is not None:
            cure = "leave `given` out; say under `where` what the layout is like"
            self._error("Q103", q.node.get("given"), "a question about all layouts begins from no position", cure)
            return {}
        found = self._layout()
        if found is None:
            return {}
        of, kind = found
        assert kind.pieces is not None
        sizes = self._sizes(kind)
        if not kind.pieces.symmetric:
            cure = "write a `contact` that asks the same of both sides, as in `mine == theirs`, or choose an option that does"
            message = "questions about all layouts need a symmetric contact, for nobody says which piece was laid first"
            self._error("Q113", q.node.get("of"), message, cure)
            return {}
        if sizes is None or not all([self._reads(k, e, of, kind) for k, e in formulas.items()]):
            return {}
        names = up_to(q, self.sink, OF_LAYOUTS)
        if names is None or not self._symmetric(kind, names, formulas):
            return {}
        return {"of": of, "sizes": sizes, "up_to": names}

    def _error(self, code: str, node: Node | Span | None, message: str, cure: str) -> None:
        span = node if isinstance(node, Span) else self.q.span if node is None else node.span
        self.sink.error(code, span, message, help=cure)

    def _layout(self) -> tuple[str, LayoutType] | None:
        """The variable that the question is about."""
        known = {v.name: v.type for v in self.game.variables if isinstance(v.type, LayoutType)}
        node = self.q.node.get("of")
        name = text(node)
        if node is None:
            if len(known) == 1:
                return next(iter(known.items()))
            cure = "add `of:` with one of " + ", ".join(f"`{n}`" for n in known) if known else _NO_LAYOUT
            self._error("Q103", None, f"question `{self.q.id}` does not say of which layout", cure)
            return None
        kind = known.get(name)
        if kind is None:
            near = did_you_mean(name, known)
            cure = f"did you mean `{near}`?" if near else f"write `of: {next(iter(known))}`" if known else _NO_LAYOUT
            other = any(v.name == name for v in self.game.variables)
            self._error("Q103", node, f"`{name}` is not a layout" if other else f"no layout is called `{name}`", cure)
            return None
        return name, kind

    # sizes

    def _sizes(self, kind: LayoutType) -> tuple[int, ...] | None:
        node = self.q.node.get("size")
        if not isinstance(node, Scalar):
            message = f"question `{self.q.id}` does not say of how many pieces"
            self._error("Q103", node, message, "add `size: 4`, or `size: 2..9`")
            return None
        numbers = []
        for piece, start in split_range(node.text) or [(node.text, 0)]:
            parsed = parse_piece(node, start, start + len(piece), self.sink)
            found = static_value(parsed, self.game.names, self.sink, "`size`") if parsed is not None else None
            if found is None:
                return None
            if isinstance(found.value, bool) or not isinstance(found.value, int):
                self._error("Q103", node, "`size` is a number of pieces", "write `size: 4`, or `size: 2..9`")
                return None
            numbers.append(found.value)
        low, high = numbers[0], numbers[-1]
        if not 1 <= low <= high <= kind.limit:
            if low > high:
                self._error("Q103", node, f"{low} to {high} is no range of sizes", f"write `size: {high}..{low}`")
            elif low < 1:
                self._error("Q103", node, "a layout has one piece at least", f"write a size from 1 to {kind.limit}")
            elif kind.width is None:
                self._error("Q103", node, f"no layout has {high} pieces", f"it takes {kind.limit}, as its type says")
            else:
                cure = f"the board has {kind.limit} squares"
                self._error("Q103", node, f"{high} pieces do not fit on the board", cure)
            return None
        return tuple(range(low, high + 1))

    # what the formulas read

    def _reads(self, key: str, e: Expr, of: str, kind: LayoutType) -> bool:
        """Does the formula read the layout alone, and nothing that depends on where on the grid it lies?"""
        parsed = self.q.formulas[key]
        for part in moving(e):
            trouble = _beyond(part, of) or _fixed(part, kind)
            if trouble is not None:
                inside = part.span is not None and part.span.source is parsed.scalar.span.source
                written = inside and parsed.scalar.span.start <= part.span.start <= parsed.scalar.span.end  # type: ignore[union-attr]
                self._error("Q113", part.span if written else parsed.scalar.span, *trouble)
                return False
        return True

    # symmetries

    def _symmetric(self, kind: LayoutType, names: tuple[str, ...], formulas: dict[str, Expr]) -> bool:
        """Can layouts that differ by these alone be counted as one?"""
        pieces = kind.pieces
        assert pieces is not None
        turned = [n for n in names if n != "translation"]
        if not turned:
            return True
        where = {text(n): n for n in elements(self.q.node.get("up_to"))}
        node = where[turned[0]]
        if "rotation" in names and not pieces.free:
            message = f"pieces of `{pieces.name}` are not turned, so a layout turned is none of theirs"
            self._error("Q114", where["rotation"], message, _leave_out("rotation"))
            return False
        if "rotation" in names and kind.width != kind.height:
            message = f"a board of {kind.width} by {kind.height} squares looks different when it is turned"
            self._error("Q114", where["rotation"], message, _leave_out("rotation"))
            return False
        if "reflection" in names:
            if "rotation" not in names:
                cure = "write `up_to: [translation, rotation, reflection]`, or leave `reflection` out"
                self._error("Q114", node, "`reflection` goes together with `rotation`, for mirrors may stand any way", cure)
                return False
            images = mirror_images(pieces)
            if isinstance(images, str):
                message = f"the mirror image of `{images}` is no piece of `{pieces.name}`"
                self._error("Q114", where["reflection"], message, _leave_out("reflection"))
                return False
        for key, e in formulas.items():
            for part in walk(e):
                if _names_a_direction(part):
                    message = (
                        f"`{key}` names a direction, so it need not be true of a layout turned when it is true of the layout"
                    )
                    self._error("Q114", node, message, "name no direction, or " + _leave_out(*turned))
                    return False
        return True


_NO_LAYOUT = "declare pieces under `pieces:`, and a variable of type `layout[…]`"


def _leave_out(*names: str) -> str:
    return "leave " + " and ".join(f"`{n}`" for n in names) + " out of `up_to`"


def walk(e: Expr) -> Iterator[Expr]:
    """The formula and all within it."""
    yield e
    for c in children(e):
        yield from walk(c)


def moving(e: Expr) -> Iterator[Expr]:
    """The same, without coordinates of which only the distance or the order matters."""
    if isinstance(e, Op) and e.op in ("sub", "eq", "ne", "lt", "le"):
        axes = [_along(a) for a in e.args]
        if len({a[0] if a else None for a in axes}) == 1 and axes[0] is not None:
            for part in (p for a in axes if a for p in a[1]):
                yield from moving(part)
            return
    yield e
    for c in children(e):
        yield from moving(c)


def _along(e: Expr) -> tuple[str, list[Expr]] | None:
    """`x` or `y` where the formula is a coordinate of a square, and the formulas inside it."""
    if isinstance(e, Field) and e.name in ("x", "y") and isinstance(e.base.type, CellType):
        return e.name, [e.base]
    if isinstance(e, Agg) and e.kind in ("min", "max"):
        inner = _along(e.body)
        domains = [b.domain for b in e.binders]
        if inner is not None and not any(isinstance(d, Type) and _holds_a_square(d) for d in domains):
            found = [*inner[1], *(d for d in domains if isinstance(d, Expr)), *(t for b in e.binders for t in b.tests)]
            return inner[0], found
    return None


def _beyond(e: Expr, of: str) -> tuple[str, str] | None:
    """What the formula reads besides the layout."""
    if isinstance(e, Var) and e.name != of:
        cure = f"ask about `{of}` alone; nothing else has a value here"
        return f"a question about all layouts reads the layout alone, and this reads `{e.name}`", cure
    if (isinstance(e, Call) and e.name in _OF_A_PLAY) or (isinstance(e, Local) and e.name == "actor"):
        written = f"`{e.name}`"
        return f"{written} belongs to a play, and these layouts come from none", f"ask about `{of}` alone"
    return None


def _fixed(e: Expr, kind: LayoutType) -> tuple[str, str] | None:
    """What the formula says of a fixed place of the grid."""
    cure = "speak of the squares of the layout, as in `any(… for c in table)`"
    if isinstance(e, Const) and _holds_a_square(e.type) and e.value != frozenset():
        return "this names a place of the grid, and where a layout lies does not matter here", cure
    if isinstance(e, Make) and isinstance(e.type, CellType):
        return "this names a place of the grid, and where a layout lies does not matter here", cure
    if isinstance(e, Field) and e.name in ("x", "y") and isinstance(e.base.type, CellType):
        return (
            f"`.{e.name}` tells where on the grid a square lies, which does not matter here",
            f"compare it with the `.{e.name}` of another square",
        )
    if isinstance(e, Agg) and any(isinstance(b.domain, Type) and _holds_a_square(b.domain) for b in e.binders):
        return "this walks over the whole grid, and where a layout lies does not matter here", cure
    if isinstance(e, Call) and (
        e.name == "inside" or (e.name in ("frontier", "open_edges", "fits", "place") and kind.width is not None)
    ):
        return f"`{e.name}` asks for the border, and where on the board a layout lies does not matter here", cure
    return None


def _holds_a_square(kind: Type) -> bool:
    match kind:
        case CellType() | EdgeType() | PartType():
            return True
        case ty.SetOf() | ty.Maybe() | ty.BagOf() | ty.ListOf():
            return _holds_a_square(kind.elem)
        case ty.MapOf():
            return _holds_a_square(kind.key) or _holds_a_square(kind.value)
        case ty.Record():
            return any(_holds_a_square(t) for _, t in kind.fields)
    return False


def _names_a_direction(e: Expr) -> bool:
    return (isinstance(e, Const) and _names_a_side(e.type)) or (isinstance(e, Field) and e.name == "rotation")


def _names_a_side(kind: Type) -> bool:
    match kind:
        case ty.Enum():
            return kind.family == SIDE.family
        case ty.SetOf() | ty.Maybe() | ty.BagOf() | ty.ListOf():
            return _names_a_side(kind.elem)
    return False
