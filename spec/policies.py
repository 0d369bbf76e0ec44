"""How players choose, in questions of chance: best, worst, all moves alike, or a list of moves in order of preference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tablelaw.spec import types as ty
from tablelaw.spec.core import Binder, Const, Expr, Local, Op
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
        found = [self._preferred(k, v) for k, v in entries]
        return tuple(x for x in found if x is not None)

    def _preferred(self, node: Node, condition: Node | None) -> Preferred | None:
        from tablelaw.spec.questions import Preferred

        word = node.text.strip() if isinstance(node, Scalar) else ""
        name, _, inside = word.partition("(")
        action = self.game.action(name.strip())
        if action is None or action.by is None or (inside and not inside.endswith(")")):
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
            typed = self._formula(value, node, kinds[key], f"`{key}`")
            if typed is None:
                return None
            args.append((key, typed))
        test: Expr | None = None
        if condition is not None:
            if not isinstance(condition, Scalar):
                self.sink.error("Q103", condition.span, "a condition was expected here", help="write `stop: pot >= 20`")
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
        return None if isinstance(found.type, Unknown) else found

    def _who(self, node: Node) -> frozenset[int]:
        seats: set[int] = set()
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
        actions.append(replace(a, checks=(Check("policy", rule, (), a.span), *a.checks)))
    return replace(game, actions=tuple(actions))


def _kind(action: Action, name: str) -> ty.Type:
    return next(b.type for b in action.params if b.name == name)


def _can(game: Game, action: Action, args: tuple[tuple[str, Expr], ...]) -> Expr:
    """Is the action open with these arguments: in the words of `can`."""
    from tablelaw.spec.core import Agg, Let

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
