"""How players choose, in questions of chance: best, worst, all moves alike, or a list of moves in order of preference."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Const, Expr, If, Items, Let, Local, Op
from tablelaw.spec.diagnostics import did_you_mean
from tablelaw.spec.document import Question, elements, items, text
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Action, Check, Game
from tablelaw.spec.types import BOOL, BagOf, Unknown
from tablelaw.spec.typetext import split_top
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from tablelaw.spec.questions import Preferred, Reader

MODES = ("best", "worst", "uniform")
_CURE = "write `best`, `worst`, `uniform`, or a list of moves such as `[roll, stop]`"

_OTHERS = {
    "odds": {"at": "say with `before` what must not come first, with `within` in how many steps"},
    "expected": {
        "within": "say with `at` when the number is looked at",
        "before": "say with `at` when the number is looked at",
    },
}


class PlayReader:
    """Reads `play` and `who` of a question."""

    def __init__(self, reader: Reader, q: Question) -> None:
        self.reader, self.q, self.game, self.sink = reader, q, reader.game, reader.sink

    def fields(self) -> dict[str, Any]:
        """`play` and `players`; what is amiss is told."""
        for key, cure in _OTHERS[self.q.kind].items():
            other = self.q.node.get(key)
            if other is not None:
                self.sink.error("Q103", other.span, f"`{self.q.kind}` takes no `{key}`", help=cure)
        node = self.q.node.get("play")
        found: dict[str, Any] = {"play": self._play(node)}
        who = self.q.node.get("who")
        if who is not None:
            found["players"] = self._who(who)
            if (isinstance(node, Scalar) and node.text.strip() == "uniform") or isinstance(node, (Sequence, Mapping)):
                self.sink.error(
                    "Q103", who.span, "`who` says for whom the play is best or worst; this way of playing is everybody's",
                    help="leave `who` out, or write `play: best`",
                )  # fmt: skip
        return found

    def _play(self, node: Node | None) -> str | tuple[Preferred, ...]:
        if node is None:
            return ""
        if isinstance(node, Scalar) and node.text.strip() in MODES:
            return node.text.strip()
        if isinstance(node, Scalar):
            near = did_you_mean(node.text.strip(), MODES)
            self.sink.error(
                "Q103", node.span, f"`{node.text[:40]}` is no way of playing", help=f"did you mean `{near}`?" if near else _CURE
            )
            return ""
        entries: list[tuple[Node, Node | None]] = []
        if isinstance(node, Sequence):
            for n in node.items:
                if isinstance(n, Mapping):
                    entries += [(k, v) for k, v in items(n)]
                else:
                    entries.append((n, None))
        else:
            entries = list(items(node))
        if not entries:
            self.sink.error("Q103", node.span, "this list of moves is empty, so that nobody would play", help=_CURE)
        found = [self._preferred(k, v) for k, v in entries]
        return tuple(x for x in found if x is not None)

    def _preferred(self, node: Node, condition: Node | None) -> Preferred | None:
        from tablelaw.spec.questions import Preferred

        word = node.text.strip() if isinstance(node, Scalar) else ""
        name, _, inside = word.partition("(")
        action = self.game.action(name.strip())
        if action is not None and inside and not inside.endswith(")"):
            self.sink.error(
                "Q103", node.span, f"`{word[:40]}` opens a bracket that is not closed", help=f"write `{name.strip()}(…)`"
            )
            return None
        if action is None or action.by is None:
            if action is not None and action.by is None:
                self.sink.error(
                    "Q103", node.span, f"`{name.strip()}` is an action of the table, which nobody chooses",
                    help="list moves of players alone; the table acts whenever it can",
                )  # fmt: skip
                return None
            known = [a.name for a in self.game.actions if a.by is not None]
            near = did_you_mean(name.strip(), known)
            cure = f"did you mean `{near}`?" if near else "moves of players are " + ", ".join(f"`{k}`" for k in known[:12])
            self.sink.error("Q103", node.span, f"`{word[:40]}` is no move of a player", help=cure)
            return None
        kinds = {b.name: b.type for b in action.params}
        args: list[tuple[str, Expr]] = []
        for piece, _ in split_top(inside[:-1]) if inside else ():
            key, equals, value = (p.strip() for p in piece.partition("="))
            if not equals or key not in kinds:
                near = did_you_mean(key, kinds)
                takes = "it takes " + ", ".join(f"`{k}`" for k in kinds) if kinds else "it takes none"
                self.sink.error(
                    "Q107",
                    node.span,
                    f"`{name}` has no value called `{key}`",
                    help=f"did you mean `{near}`?"
                    if near
                    else f"{takes}, as in `{name}({next(iter(kinds), 'n')}=…)`"
                    if kinds
                    else takes,
                )
                return None
            if key in dict(args):
                self.sink.error("Q107", node.span, f"`{key}` is given twice", help="give one value, or write the move twice")
                return None
            typed = self._formula(value, node, kinds[key], f"`{key}`")
            if typed is None:
                return None
            if isinstance(typed, Const) and isinstance(kinds[key], ty.Int) and not ty.contains(kinds[key], typed.value):
                self.sink.error(
                    "Q107", node.span, f"`{key}` of `{name}` is never {typed.value}", help=f"it is {ty.show(kinds[key])}"
                )
                return None
            args.append((key, typed))
        test: Expr | None = None
        if condition is not None:
            if not isinstance(condition, Scalar):
                self.sink.error("Q103", condition.span, "a condition was expected here", help="write `stop: pot >= 20`")
                return None
            names = self.game.names
            declared = {*names.variables, *names.constants, *names.defines, *names.enum_names}
            chosen = [n for n in kinds if n not in declared and re.search(rf"\b{n}\b", condition.text)]
            if chosen:
                self.sink.error(
                    "Q107", condition.span, f"the condition is about the position, not about `{chosen[0]}` of the move",
                    help=f"say which in the brackets of the move: `{name.strip()}({chosen[0]}=…)`",
                )  # fmt: skip
                return None
            test = self._formula(condition.text, condition, BOOL, "the condition")
            if test is None:
                return None
        return Preferred(action.name, tuple(args), test)

    def _formula(self, words: str, at: Node, kind: ty.Type, what: str) -> Expr | None:
        scalar = Scalar(words, "plain", at.span, [at.span.start] * (len(words) + 1))
        parsed = parse_formula(scalar, self.sink)
        if parsed is None or parsed.tree is None:
            return None
        target = BagOf(kind.elem) if isinstance(kind, BagOf) else kind
        found = formula(parsed, self.game.names, self.sink, {}, target, what, "question", f"in question `{self.q.id}`")
        if isinstance(found.type, Unknown):
            return None
        return found if self._of_positions(found, at, "a way of playing") else None

    def positions(self, parts: dict[str, Expr]) -> None:
        """Tell where a question of chance asks for more than positions and counts."""
        for key in (self.q.kind, "before", "at"):
            if key in parts:
                self._of_positions(parts[key], self.q.formulas[key].scalar, f"`{key}`", counts=True)

    def _of_positions(self, e: Expr, at: Node, what: str, counts: bool = False) -> bool:
        """Does a formula read no more than the position (and how often things have happened)?"""
        from tablelaw.spec.questions import step_needs

        looks, counted = step_needs([e])
        word = "`old` and `actor`" if looks else f"`times('{min(counted)}')`" if counted and not counts else ""
        if word:
            self.sink.error(
                "Q103", at.span, f"{what} reads the position that is there; {word} would ask what went before",
                help="keep what matters of it in a variable, and ask for that",
            )  # fmt: skip
        return not word

    def _who(self, node: Node) -> frozenset[int]:
        seats: set[int] = set()
        if isinstance(node, Sequence) and not node.items:
            self.sink.error("Q103", node.span, "`who` names nobody", help="write for example `who: [0]`")
        for n in elements(node) if isinstance(node, Sequence) else [node]:
            seat = text(n)
            if not seat.isdecimal() or int(seat) >= self.game.players:
                self.sink.error(
                    "Q103", n.span, f"`{seat}` is not a seat of this game", help=f"seats are 0 to {self.game.players - 1}"
                )
            else:
                seats.add(int(seat))
        return frozenset(seats)


def policed(game: Game, play: tuple[Preferred, ...]) -> Game:
    """The game in which every player takes the first move of a list that is legal and whose condition holds."""
    tests: list[Expr] = []
    found: dict[str, list[Expr]] = {}
    for p in play:
        action = game.action(p.action)
        assert action is not None
        mine = [Op("eq", (Local(n, type=_kind(action, n)), v), type=BOOL) for n, v in p.args]
        here = [*([p.condition] if p.condition is not None else []), *(_not(t) for t in tests)]
        found.setdefault(p.action, []).append(_all([*mine, *here]))
        tests.append(_all([*([p.condition] if p.condition is not None else []), _can(game, action, p.args)]))
    actions = []
    for a in game.actions:
        if a.by is None:
            actions.append(a)
            continue
        ways = found.get(a.name, [])
        rule: Expr = Op("or", tuple(ways), type=BOOL) if len(ways) > 1 else ways[0] if ways else Const(False, type=BOOL)
        params = tuple(_narrowed(b, [p for p in play if p.action == a.name]) for b in a.params)
        actions.append(replace(a, params=params, checks=(Check("policy", rule, (), a.span), *a.checks)))
    return replace(game, actions=tuple(actions))


def _narrowed(param: Binder, ways: list[Preferred]) -> Binder:
    """A parameter over squares or sides of a board, which may be hundreds: only those that the list names are tried."""
    given = [(p.condition, v) for p in ways for name, v in p.args if name == param.name]
    if not isinstance(param.domain, Expr) or not isinstance(param.type, (ty.CellType, ty.EdgeType)) or len(given) < len(ways):
        return param
    kind = ty.SetOf(param.type)
    none = Const(frozenset(), type=kind)
    named = [Items((v,), type=kind) for _, v in given]
    where = [x if c is None else If(c, x, none, type=kind) for (c, _), x in zip(given, named, strict=True)]
    several: Expr = where[0] if where else none
    for x in where[1:]:
        several = Op("union", (several, x), type=kind)
    item = Local("_item", type=param.type)
    inside = Op("in", (item, param.domain), type=BOOL)
    return replace(param, domain=Agg("set", (Binder("_item", several, param.type, (inside,)),), item, type=kind))


def _kind(action: Action, name: str) -> ty.Type:
    return next(b.type for b in action.params if b.name == name)


def _can(game: Game, action: Action, args: tuple[tuple[str, Expr], ...]) -> Expr:
    """Is the action open with these arguments: in the words of `can`."""
    given = dict(args)
    body = _all([Op("or", (c.formula, *c.lifted), type=BOOL) if c.lifted else c.formula for c in action.checks])
    for b in reversed(action.params):
        if b.name in given and isinstance(b.domain, (ty.Int, ty.Enum)):
            same = Op("eq", (Local(b.name, type=b.type), given[b.name]), type=BOOL)
            body = Agg("any", (Binder(b.name, b.domain, b.type, (same,)),), body, type=BOOL)
        elif b.name in given:
            local = Local(b.name, type=b.type)
            inside = [Op("in", (local, b.domain), type=BOOL)] if isinstance(b.domain, Expr) else []
            body = Let((b.name,), (given[b.name],), _all([*inside, body]), type=BOOL)
        else:
            body = Agg("any", (Binder(b.name, b.domain, b.type),), body, type=BOOL)
    if action.by is not None:
        body = Let(("actor",), (action.by,), body, type=BOOL)
    return _all([*([action.during] if action.during is not None else []), body])


def _not(e: Expr) -> Expr:
    return Op("not", (e,), type=BOOL)


def _all(parts: list[Expr]) -> Expr:
    kept = [p for p in parts if not (isinstance(p, Const) and p.value is True)]
    if not kept:
        return Const(True, type=BOOL)
    return kept[0] if len(kept) == 1 else Op("and", tuple(kept), type=BOOL)
