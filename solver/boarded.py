"""What can be seen of a game's rules about its boards, without a search."""

from __future__ import annotations

from collections.abc import Iterator

from tablelaw.spec.core import Assign, Bind, Branch, Call, Effect, Expr, Fire, Loop, Var
from tablelaw.spec.game import Game
from tablelaw.spec.types import BagOf, CellType, EdgeType, LayoutType, ListOf, MapOf, Maybe, PartType, Record, SetOf, Type


def has_board(game: Game) -> bool:
    """Does a position of the game hold a layout?"""
    return any(_board(v.type) for v in game.variables)


def _board(kind: Type) -> bool:
    match kind:
        case LayoutType():
            return True
        case MapOf(_, inner) | Maybe(inner):
            return _board(inner)
        case Record(_, fields):
            return any(_board(f) for _, f in fields)
    return False


def keeps_places(game: Game) -> bool:
    """Does a position hold a bag, set or list of what names squares?"""
    return any(_collects(v.type) for v in game.variables)


def _collects(kind: Type) -> bool:
    match kind:
        case SetOf(elem) | BagOf(elem, _) | ListOf(elem, _):
            return _place(elem)
        case MapOf(_, inner) | Maybe(inner):
            return _collects(inner)
        case Record(_, fields):
            return any(_collects(f) for _, f in fields)
    return False


def _place(kind: Type) -> bool:
    match kind:
        case CellType() | EdgeType() | PartType():
            return True
        case SetOf(elem) | BagOf(elem, _) | ListOf(elem, _) | Maybe(elem):
            return _place(elem)
        case Record(_, fields):
            return any(_place(f) for _, f in fields)
    return False


def never_falls(game: Game, e: Expr) -> bool:
    """Is it plain that no step lowers the number: is it how many pieces lie, and are pieces only ever laid?"""
    if not (isinstance(e, Call) and e.name == "size" and isinstance(e.args[0], Var) and isinstance(e.args[0].type, LayoutType)):
        return False
    table = e.args[0].name
    return all(_laid(x, table) for a in game.actions for x in assignments(a.effects))


def _laid(e: Assign, table: str) -> bool:
    if e.name != table:
        return True
    new = e.value
    return (
        not e.path
        and isinstance(new, Call)
        and new.name == "place"
        and isinstance(new.args[0], Var)
        and new.args[0].name == table
    )


def assignments(effects: tuple[Effect, ...]) -> Iterator[Assign]:
    """Every assignment of some effects."""
    for e in effects:
        match e:
            case Assign():
                yield e
            case Branch(_, yes, no):
                yield from assignments((*yes, *no))
            case Loop(_, _, _, body) | Fire(_, _, body) | Bind(_, _, body):
                yield from assignments(body)
