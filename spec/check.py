"""From a document to a checked game, under one setting of options and one number of players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tablelaw.spec import types as ty
from tablelaw.spec.board_types import OF_THE_GRID
from tablelaw.spec.can import CanEntry
from tablelaw.spec.core import Binder, Const, Draw, Expr
from tablelaw.spec.declarations import CALLED, RESERVED, declare
from tablelaw.spec.definitions import type_definitions
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Action as DocAction
from tablelaw.spec.document import Clause, Document, get, items
from tablelaw.spec.document import Variable as DocVariable
from tablelaw.spec.force import Force, both, not_so, under
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Action, Check, End, Game, Variable
from tablelaw.spec.moves import move_scope, type_checks, type_draw, type_params
from tablelaw.spec.names import UNLIMITED, Names, TooLarge, open_variable
from tablelaw.spec.positions import Unreadable, read_value
from tablelaw.spec.settings import Setting, condition, holds, names_for
from tablelaw.spec.source import Span
from tablelaw.spec.statements import Effects
from tablelaw.spec.types import BOOL, Enum, Int, SetOf, Type
from tablelaw.spec.typetext import read_scalar
from tablelaw.spec.values import Value
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar

MOST_PLAYERS = 12
LARGEST_POSITION = 60_000
"""How many single values a position may be made of."""


def player_counts(doc: Document, sink: Diagnostics) -> range | None:
    """The numbers of players the game is for."""
    if doc.players is None:
        return None
    low, dots, high = doc.players.text.partition("..")
    try:
        first, last = int(low), int(high if dots else low)
    except ValueError:
        sink.error("S205", doc.players.span, f"`{doc.players.text}` is not a number of players", help="write `2`, or `2..5`")
        return None
    if not 1 <= first <= last <= MOST_PLAYERS:
        sink.error(
            "S205",
            doc.players.span,
            f"a game has 1 to {MOST_PLAYERS} players, the smaller number first",
            help="write `2`, or `2..5`",
        )
        return None
    return range(first, last + 1)


class Checker:
    """Checks one document under one setting."""

    def __init__(
        self,
        doc: Document,
        setting: Setting,
        players: int,
        sink: Diagnostics,
        adopted: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.doc, self.setting, self.players, self.sink = doc, setting, players, sink
        self.adopted, self.without = adopted, without
        self.names: Names = names_for(doc, setting, players)
        self.in_force: Force = {}

    def game(self) -> Game | None:
        """The checked game; None when something is wrong (the sink knows what)."""
        mine = Diagnostics()
        sink, self.sink = self.sink, mine
        try:
            game = self._game()
        except TooLarge:
            game = None
            cure = "use smaller types and ranges, and define fewer formulas by others"
            mine.error("E101", self.doc.span, "the formulas of this game are too many or too large to be checked", help=cure)
        self.names.level, self.names.limit = 0, UNLIMITED  # what is read later is bounded by itself
        self.sink = sink
        sink.extend(mine)
        return None if mine.has_errors else game

    def _game(self) -> Game:
        self._reserved()
        options = self._open_options()
        declare(self.doc, self.names, self.sink)
        self._force()
        variables = self._variables()
        self.names.defines = dict(self.doc.defines)
        excepting = self._excepting()
        self.names.actions = {
            a.clause.id: CanEntry(a, self.in_force, excepting) for a in self.doc.actions.values() if self.in_force[id(a.clause)]
        }
        self.names.happenings = frozenset(
            {*self.doc.actions, *(c for c, k in self.doc.clauses().items() if k.role == "effect")}
        )
        return self._typed((*options, *variables), excepting)

    def _typed(self, variables: tuple[Variable, ...], excepting: dict[str, list[Clause]]) -> Game:
        """The game of these variables, once all that its formulas may name is declared."""
        type_definitions(self.names, self.sink)
        initial = {v.name: v.init for v in variables if not v.any_of}
        told = [a for a in self.doc.actions.values() if a.clause.id in self.names.actions and self.in_force[id(a.clause)]]
        actions = [self._action(a, excepting, initial) for a in told]
        ends = [self._end(c) for c in self.doc.ends if self.in_force[id(c)]]
        in_force = {c.id: c for c in self.doc.every_clause() if self.in_force[id(c)] and not c.plain}
        self.names.stated = tuple(a for a in actions if a), tuple(e for e in ends if e)
        return Game(
            self.doc.game, self.doc.title, self.players, dict(self.setting), self.names, variables, *self.names.stated,
            self.doc, in_force, adopted=self.adopted, without=self.without,
        )  # fmt: skip

    def changed(self, game: Game, gone: str) -> Game:
        """The game of this document anew: with the same types and variables, and its names as they are now."""
        self.names.actions = {n: a for n, a in self.names.actions.items() if n != gone}
        self._force()
        return self._typed(game.variables, self._excepting())

    # names

    def _reserved(self) -> None:
        pieces = {k.text: k.span for k, _ in items(self.doc.pieces)}
        groups: list[tuple[str, dict[str, Span]]] = [
            ("the name of pieces", pieces),
            ("a type", {n: k.span for n, (k, _) in self.doc.types.items()}),
            ("a constant", {n: k.span for n, (k, _) in self.doc.constants.items()}),
            ("a variable", {v.name: v.span for v in self.doc.variables.values()}),
            ("a formula", {d.name: d.span for d in self.doc.defines.values()}),
        ]
        seen: dict[str, str] = {}
        for what, names in groups:
            for name, span in names.items():
                grid = pieces and what == "a type" and name in OF_THE_GRID
                if grid or name in RESERVED or (what == "a formula" and name in CALLED):
                    self.sink.error("R211", span, f"`{name}` has a meaning of its own", help="choose another name")
                elif name in seen:
                    self.sink.error("R211", span, f"`{name}` is {seen[name]} already", help="choose another name")
                seen.setdefault(name, what)

    def _open_options(self) -> list[Variable]:
        """A variable for each option left open, that may start at any of its values."""
        found = []
        for name in sorted(self.names.open):
            values = self.names.option_values[name]
            kind: Type = Enum(f"option `{name}`", values, values)
            start: frozenset[object] = frozenset(values)
            if self.names.numeric[name]:
                start = frozenset(map(int, values))
                kind = Int(min(map(int, values)), max(map(int, values)))
            variable = Variable(
                open_variable(name), kind, Const(start, type=SetOf(kind)), True, f"Option {name}.", self.doc.options[name].span
            )
            self.names.variables[variable.name] = kind
            found.append(variable)
        return found

    # clauses

    def _force(self) -> None:
        """Which clauses are in force: by `only`, `proposed` and `replaces`."""
        clauses = self.doc.every_clause()
        for c in clauses:
            exists: bool | Expr = (not c.proposed or c.id in self.adopted) and c.id not in self.without
            for only in c.only:
                exists = both(exists, condition(only, self.names, self.doc, self.sink))
            self.in_force[id(c)] = exists
        for c in clauses:
            if c.replaces and self.in_force[id(c)]:
                for other in clauses:
                    if other is not c and other.id == c.replaces:
                        self.in_force[id(other)] = both(self.in_force[id(other)], not_so(self.in_force[id(c)]))

    def _excepting(self) -> dict[str, list[Clause]]:
        found: dict[str, list[Clause]] = {}
        for a in self.doc.actions.values():
            for c in a.require:
                if c.excepts:
                    found.setdefault(c.excepts, []).append(c)
        return found

    # state

    def _variables(self) -> list[Variable]:
        found: list[Variable] = []
        typed: list[tuple[DocVariable, Type]] = []
        total = 0
        for v in self.doc.variables.values():
            if not holds(v.only, self.names, self.doc, self.sink):
                self.names.absent[v.name] = "it exists under other options only"
                continue
            kind = read_scalar(v.type, self.names, self.sink)
            self.names.variables[v.name] = ty.UNKNOWN if kind is None else kind
            if kind is None or isinstance(kind, ty.Unknown):
                self.names.faulty.add(v.name)
                continue
            total += ty.places(kind)[0]
            if total > LARGEST_POSITION:
                message = f"a position is made of more than {LARGEST_POSITION} single values"
                self.sink.error("T107", v.span, message, help="use smaller types")
                break
            typed.append((v, kind))
        for v, kind in typed:
            self.names.spend(10 + ty.places(kind)[0] // 10)
            any_node = get(v.init, "any") if isinstance(v.init, Mapping) and v.init.keys() == ("any",) else None
            target: Type = SetOf(kind) if any_node is not None else kind
            try:
                value = self._init(any_node or v.init, target, kind, v.name)
            except Unreadable:
                self.names.faulty.add(v.name)
                continue
            if any_node is not None and not value:
                self.sink.error("T112", any_node.span, f"`{v.name}` has no start", help="give at least one value after `any`")
                continue
            found.append(Variable(v.name, kind, Const(value, type=target), any_node is not None, v.says, v.span))
        return found

    def _init(self, node: Node | None, target: Type, kind: Type, name: str) -> Value:
        if node is None:
            return ty.default(kind)
        if target is not kind and isinstance(node, Scalar):
            named = self.names.types.get(node.text.strip()) or (self.names.player if node.text.strip() == "Player" else None)
            n = ty.cardinality(named) if named else None
            if named is not None and ty.fits(named, kind):
                if n is None or n > 10_000:
                    self.sink.error(
                        "T107",
                        node.span,
                        f"`{ty.show(named)}` has too many values for starts",
                        help="at most 10000 are allowed here",
                    )
                    raise Unreadable
                return frozenset(v for v in ty.domain(named) if ty.contains(kind, v))
        base = ty.default(kind) if target is kind else None
        return read_value(node, target, self.names, self.sink, base, f"the start of `{name}`", spread=True)

    # actions

    def _action(self, a: DocAction, excepting: dict[str, list[Clause]], initial: dict[str, Expr]) -> Action | None:
        name, note = a.clause.id, f"in action `{a.clause.id}`"
        by = formula(a.by, self.names, self.sink, {}, self.names.player, "`by`", note=note) if a.by else None
        during = formula(a.during, self.names, self.sink, {}, BOOL, "`during`", note=note) if a.during else None
        during = under(self.in_force[id(a.clause)], during, False)
        params = type_params(a, self.names, self.sink)
        if params is None:  # go on with what is known, so that faults elsewhere are told as well
            unknown = {key.text: ty.UNKNOWN for key, _ in a.params}
            params = tuple(Binder(n, Const(frozenset(), type=SetOf(t)), t) for n, t in unknown.items())
        checks = type_checks(a, params, self.in_force, excepting, self.names, self.sink)
        checks = self.names.changed(name, checks) if self.names.changed is not None else checks
        scope = move_scope(params, self.names, a.by is None)
        draws: list[Draw] = []
        for key, parsed in a.chance:
            if key.text in scope or key.text in self.names.variables or key.text in self.names.constants:
                self.sink.error("T110", key.span, f"`{key.text}` has a meaning already", help="give the draw a name of its own")
                continue
            draw = type_draw(key.text, parsed, scope, self.names, self.sink, note)
            if draw is not None:
                draws.append(draw)
            scope[key.text] = draw.type if draw is not None else ty.UNKNOWN
        effects = Effects(self.names, self.doc.effects, self.in_force, initial, self.sink).clauses(a.do, scope, note)
        return Action(name, by, during, params, checks, tuple(draws), effects, a.clause.span)

    def _end(self, c: Clause) -> End | None:
        note = f"in clause `{c.id}`"
        if c.when is None:
            return None
        when = formula(c.when, self.names, self.sink, {}, BOOL, "`when`", note=note)
        winners = (
            formula(c.winners, self.names, self.sink, {}, SetOf(self.names.player), "`winners`", note=note)
            if c.winners
            else None
        )
        return End(c.id, under(self.in_force[id(c)], when, False) or when, winners, c.span)


def check(
    doc: Document,
    setting: Setting,
    players: int,
    sink: Diagnostics,
    left_open: list[Setting] | None = None,
    adopted: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Game | None:
    """Check a document under one setting; every fault goes to the sink.

    `adopted`: ids of proposed clauses that are in force all the same; `without`: ids of clauses that are not.
    `left_open`: settings of which any may be in force; the options in which they differ become variables, and a play
    starts under any of them. Raises `LeftOpen` where such an option decides something that must be known before play.
    """
    checker = Checker(doc, setting, players, sink, adopted, without)
    if left_open:
        checker.names.open = frozenset(k for k in setting if len({s[k] for s in left_open}) > 1)
    game = checker.game()
    return None if game is None else replace(game, left_open=tuple(left_open or ()))


def changed(game: Game, change: Callable[[str, tuple[Check, ...]], tuple[Check, ...]], gone: str = "") -> Game | None:
    """The game with the checks of its actions changed, and without one action, wherever `can` asks for them too.

    None where it has a fault, or where the game is not as the rules state it: derived from another, with formulas of its own.
    """
    names = game.names
    if not names.stated or game.actions is not names.stated[0] or game.ends is not names.stated[1]:
        return None

    def checks(name: str, typed: tuple[Check, ...]) -> tuple[Check, ...]:
        return change(name, typed if names.changed is None else names.changed(name, typed))

    quiet = Diagnostics()
    checker = Checker(game.document, game.setting, game.players, quiet, game.adopted, game.without)
    checker.names = replace(names, bodies={}, questions={}, moves={}, pending=[], stated=(), changed=checks)
    found = checker.changed(game, gone)
    if quiet.has_errors:
        return None
    return replace(found, clauses=game.clauses, digest=game.digest, left_open=game.left_open)
