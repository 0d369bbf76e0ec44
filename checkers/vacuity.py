"""What is in the rules and says nothing: asked of the reachable positions (`probe`), and of the text as well (`lint`).

A finding is true: all positions were met, or z3 proved it, under every setting tried in which the thing exists. Where
neither comes in the time given there is no finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tablelaw.checkers import lint_pieces, lint_text
from tablelaw.checkers.selection import Request
from tablelaw.solver import evaluate
from tablelaw.solver.board_probe import BoardProbe
from tablelaw.solver.boarded import has_board
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.probe import Found, Probe, Target
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.trace import changes, move_text, position_json
from tablelaw.spec.core import Agg, Const, Expr, If, Let, Op
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics
from tablelaw.spec.document import Clause, Document, Question, items, text
from tablelaw.spec.game import Action, Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.questions import Asked, Reader, step_needs
from tablelaw.spec.settings import Setting, broken, defaults, every_setting, holds, names_for
from tablelaw.spec.source import Span

SECONDS = 60.0
LOOK, SCAN, PROOF = 4.0, 8.0, 8.0
MOST_PLACES, MOST_BASES = 40, 400
MOST_DRAWS, MOST_POSITIONS = 64, 200
Key = tuple[str, str]


def lint(rules: Rules, setting: Setting, players: int, request: Request) -> list[Diagnostic]:
    """Everything that is allowed and looks like a mistake, in the order of the file."""
    found = Diagnostics(probe(rules, setting, players, request))
    found.extend(lint_text.unused(rules.document))
    found.extend(lint_text.without_source(rules.document))
    found.extend(lint_text.unknown_sources(rules.document))
    if rules.document.pieces is not None:
        games = [rules.game(s, n, Diagnostics()) for s, n in places(rules, setting, players)]
        found.extend(lint_pieces.odd_sides(rules.document, [g for g in games if g is not None]))
    return found.items


def probe(rules: Rules, setting: Setting, players: int, request: Request) -> list[Diagnostic]:
    """What has no effect in any reachable position; `setting` holds the options that are not to be varied."""
    budget = Budget(request.seconds or SECONDS, request.mebibytes, tell=request.tell)
    found = Diagnostics(options(rules, setting, players))
    found.extend(_Search(rules, setting, players, budget).findings())
    return found.items


# settings


def places(rules: Rules, fixed: Setting, players: int) -> list[tuple[Setting, int]]:
    """Where to look: the defaults, each option changed alone (with one it needs), and what some clause needs to exist."""
    doc, quiet = rules.document, Diagnostics()
    base = {**defaults(doc), **fixed}
    found: list[tuple[Setting, int]] = []

    def take(s: Setting, n: int = players) -> None:
        if (s, n) not in found and len(found) < MOST_PLACES and broken(doc, s, n, quiet) is None:
            found.append((s, n))

    take(base)
    for option in doc.options.values():
        if option.id in fixed or option.kind == "study":
            continue
        under = next((s for s, n in found if holds(option.only, names_for(doc, s, n), doc, quiet)), None)
        for v in option.values:
            if under is not None:
                take({**under, option.id: v.name})
    waiting = [c for c in doc.clauses().values() if not any(_exists(c, doc, s, n) for s, n in found)]
    for s in every_setting(doc, fixed, players) if waiting else []:
        if any(_exists(c, doc, s, players) for c in waiting):
            take(s)
            waiting = [c for c in waiting if not _exists(c, doc, s, players)]
    if len(rules.counts) > 1 and players == rules.counts[0]:
        take(base, rules.counts[-1])
    return found


def _exists(c: Clause, doc: Document, setting: Setting, players: int) -> bool:
    names, quiet = names_for(doc, setting, players), Diagnostics()
    return all(holds(o, names, doc, quiet) for o in c.only)


# what is asked


@dataclass(slots=True)
class Candidate:
    """Something that may say nothing: how to look for a position where it does say something."""

    code: str
    key: str
    span: Span | None
    message: str
    help: str
    target: Callable[[Scene], Target | None]
    asked: Callable[[Scene], Asked | None] | None = None
    notes: Callable[[Scene], tuple[str, ...]] | None = None
    within: frozenset[str] = frozenset()  # the actions that it is part of

    @property
    def id(self) -> Key:
        """The same thing has the same id in every setting."""
        return self.code, self.key


@dataclass(slots=True)
class Scene:
    """One setting and number of players, probed."""

    setting: Setting
    players: int
    game: Game
    probe: Probe
    reader: Reader
    candidates: dict[Key, Candidate] = field(default_factory=dict)


class _Search:
    """Looks for a use of each thing, setting by setting: in positions met, then by z3. What is left has none."""

    def __init__(self, rules: Rules, fixed: Setting, players: int, budget: Budget) -> None:
        self.rules, self.doc, self.budget = rules, rules.document, budget
        self.places = places(rules, fixed, players)
        self.settled: set[Key] = set()
        self.vacuous: dict[Key, tuple[Candidate, Scene]] = {}
        self.pairs: set[frozenset[str]] = set()

    def findings(self) -> Iterator[Diagnostic]:
        """The findings; where the time does not suffice only those that a position shows."""
        for n, (setting, players) in enumerate(self.places):
            scene = self._scene(setting, players) if self.budget.left() > 0 else None
            if scene is None:
                self.vacuous = {}
                break
            waiting = [c for c in scene.candidates.values() if c.id not in self.settled]
            if waiting or not n:
                for seconds in (LOOK / 10, LOOK):  # few things are left to look for in most settings
                    if not scene.probe.complete and (waiting or seconds < LOOK):
                        scene.probe.look_around(self.budget.part(seconds))
                    waiting = self._unmet(scene, waiting)
                yield from self._orders(scene)
                self._settle(scene, waiting)
        dead = {name for code, name in self.vacuous if code == "L103"}
        for c, scene in self.vacuous.values():
            if c.code != "L103" and c.within and c.within <= dead:
                continue  # of an action that never happens only that is told
            notes = c.notes(scene) if c.notes else ()
            yield Diagnostic(c.code, "warning", c.message, c.span, notes=notes, help=c.help)

    def _unmet(self, scene: Scene, waiting: list[Candidate]) -> list[Candidate]:
        left = [c for c in waiting if self._met(scene, c) is not True]
        self.settled |= {c.id for c in waiting if c not in left}
        return left

    def _settle(self, scene: Scene, left: list[Candidate]) -> None:
        """Sort out what has a use here, or may have one; the rest has been shown to have none here."""
        for n, c in enumerate(left):
            seconds = min(PROOF, self.budget.left() / (len(left) - n))
            if self._reached(scene, c, seconds) is False:
                self.vacuous.setdefault(c.id, (c, scene))
            else:
                self.settled.add(c.id)
        for key in self.settled:
            self.vacuous.pop(key, None)

    def _met(self, scene: Scene, c: Candidate) -> Found:
        target = c.target(scene)
        seconds = SCAN if scene.probe.complete else SCAN / 4
        return None if target is None else scene.probe.met(target, max(0.05, min(seconds, self.budget.left())))

    def _reached(self, scene: Scene, c: Candidate, seconds: float) -> Found:
        if seconds <= 0.05:
            return None
        target = c.target(scene)
        if target is not None:
            return scene.probe.proves_never(target, seconds)
        asked = None if c.asked is None else c.asked(scene)
        if asked is None:
            return None
        engines = scene.probe.engines
        engines.engine = "auto" if scene.probe.complete else "symbolic"
        return {"holds": True, "fails": False}.get(engines.ask(asked, self.budget.part(seconds)).verdict)

    # candidates

    def _scene(self, setting: Setting, players: int) -> Scene | None:
        quiet = Diagnostics()
        game = self.rules.game(setting, players, quiet)
        if game is None or quiet.has_errors:
            return None
        try:
            made = BoardProbe if has_board(game) else Probe
            scene = Scene(setting, players, game, made(game, self.budget.tell), Reader(game, quiet, evaluate.starts(game)[0]))
        except (Unlowerable, RecursionError):
            return None
        for c in (*self._actions(game), *self._effects(scene), *self._ends(game), *self._questions(scene)):
            scene.candidates.setdefault(c.id, c)
        return scene

    def _actions(self, game: Game) -> Iterator[Candidate]:
        for a in game.actions:
            # a rule that is constantly false is there so that `why` can name its sentence
            closed = [c.id for c in a.checks if _never_true(c.formula) and all(_never_true(x) for x in c.lifted)]
            if not closed:
                cure = "check `during` and the rules under `require:`; ask with `reach` for a position where it should be open"
                message = f"action `{a.name}` never happens"
                span = self._span(a.name) or a.span
                yield Candidate("L103", a.name, span, message, cure, _happens(a.name), notes=_blockers(a))
            for c in a.checks:
                span, within = self._span(c.id) or c.span, frozenset((a.name,))
                if not closed or closed == [c.id]:
                    cure = "see whether its formula is too weak; what another rule says as well is one clause that cites both"
                    message = f"check `{c.id}` forbids nothing"
                    yield Candidate("L102", c.id, span, message, cure, _matters(c.id), within=within)
                for left, words in antecedents(c.formula):
                    message = f"the left side of check `{c.id}` is true in no reachable position"
                    cure = f"check {words}; ask with `reach` whether it can be true"
                    key = f"{c.id} {left!r}"
                    yield Candidate("L101", key, left.span or span, message, cure, _reads(a.name, left), within=within)

    def _effects(self, scene: Scene) -> Iterator[Candidate]:
        counted = {name for q in self.doc.questions.values() for f in q.formulas.values() for name in lint_text.words(f.text)}
        cure = "check its condition and its effect, or cite its sentence among the remarks if it decides nothing"
        effects = scene.probe.effects()
        for name, clause in scene.game.clauses.items():
            # what a question counts (`times`) matters to it by taking effect, whatever it changes
            if clause.role == "effect" and name in effects and name not in counted:
                within = effects[name]
                message = f"clause `{name}` changes nothing"
                yield Candidate("L104", name, clause.span, message, cure, _matters(name), within=within)

    def _ends(self, game: Game) -> Iterator[Candidate]:
        cure = "check its `when`, and whether an end above it comes first; ask with `reach` whether it can be true"
        for e in game.ends:
            yield Candidate("L104", e.id, e.span, f"end `{e.id}` ends no play", cure, _decides(e.id))

    def _questions(self, scene: Scene) -> Iterator[Candidate]:
        for q in self.doc.questions.values():
            if q.kind not in ("always", "always-after") or not _asked_here(q, self.doc, scene):
                continue
            asked = scene.reader.question(q)
            if asked is None or asked.formula is None:
                continue
            lefts = antecedents(asked.formula) if q.kind == "always" else [(asked.formula, "the formula under `when`")]
            for left, words in lefts:
                message = f"the left side of question `{q.id}` is true in no reachable position"
                cure = f"check {words}; ask with `reach` whether it can be true"
                reach = replace(asked, kind="reach", formula=left, then=None, expected=None)
                span = left.span or q.span
                yield Candidate("L101", f"{q.id} {left!r}", span, message, cure, _question(left, asked.given), _asking(reach))

    def _span(self, name: str) -> Span | None:
        clause = self.doc.clauses().get(name)
        return None if clause is None else clause.span

    # the order of table actions

    def _orders(self, scene: Scene) -> Iterator[Diagnostic]:
        names = [a.name for a in scene.game.actions if a.by is None]
        for i, one in enumerate(names):
            for two in names[i + 1 :]:
                pair = frozenset((one, two))
                if pair in self.pairs or self.budget.left() <= 0:
                    continue
                found = _conflict(scene, one, two, min(SCAN, max(self.budget.left(), 0.05)))
                if found is None:
                    continue
                self.pairs.add(pair)
                action = scene.game.action(two)
                notes = (*found, *_chosen(self.doc, scene))
                message = f"the outcome depends on the order of `{one}` and `{two}`, and the table may take either first"
                cure = "say in `during` when each is due, or make an option of the two orders"
                span = self._span(two) or (action.span if action else None)
                yield Diagnostic("L106", "warning", message, span, notes=notes, help=cure)


def _chosen(doc: Document, scene: Scene) -> tuple[str, ...]:
    normal = defaults(doc)
    changed = [f"{k}={v}" for k, v in scene.setting.items() if normal.get(k) != v]
    return (f"under {', '.join(changed)}",) if changed else ()


def _never_true(e: Expr) -> bool:
    return isinstance(e, Const) and e.value is False


def _asked_here(q: Question, doc: Document, scene: Scene) -> bool:
    names, quiet = names_for(doc, scene.setting, scene.players), Diagnostics()
    own = {k.text: text(v) for k, v in items(q.node.get("options"))}
    seats = text(q.node.get("players"))
    return (
        all(scene.setting.get(k) == v for k, v in own.items())
        and (not seats.isdecimal() or int(seats) == scene.players)
        and all(holds(o, names, doc, quiet) for o in q.only)
    )


def _happens(name: str) -> Callable[[Scene], Target | None]:
    return lambda scene: scene.probe.happens(name)


def _matters(name: str) -> Callable[[Scene], Target | None]:
    return lambda scene: scene.probe.matters(name)


def _decides(name: str) -> Callable[[Scene], Target | None]:
    return lambda scene: scene.probe.decides(name)


def _reads(action: str, formula: Expr) -> Callable[[Scene], Target | None]:
    return lambda scene: scene.probe.reads(action, formula)


def _question(formula: Expr, given: State | None) -> Callable[[Scene], Target | None]:
    return lambda scene: scene.probe.question(formula) if given is None else None


def _asking(asked: Asked) -> Callable[[Scene], Asked | None]:
    return lambda scene: asked


def _blockers(action: Action) -> Callable[[Scene], tuple[str, ...]]:
    return lambda scene: _forbidding(scene, action)


def _forbidding(scene: Scene, action: Action) -> tuple[str, ...]:
    """Which of an action's rules alone forbid it always."""
    p = scene.probe

    def never(target: Target) -> bool:
        return p.proves_never(target, 2.0) is False

    if never(p.opens(action.name)):
        return ("its phase is never open for any choice",)
    alone = [c.id for c in action.checks if never(p.opens(action.name, (c.id,)))]
    if alone:
        return (f"forbidden in every position by {', '.join(f'`{c}`' for c in alone)}",)
    return (f"no position passes all of {', '.join(f'`{c.id}`' for c in action.checks)}",) if action.checks else ()


# implications


def antecedents(e: Expr) -> list[tuple[Expr, str]]:
    """The left sides of the implications that a formula is made of, each a formula, with the author's words for it."""
    found: list[tuple[Expr, str]] = []
    match e:
        case Op("and", args):
            found = [x for a in args for x in antecedents(a)]
        case Op("or", args):
            # of `not a or not b` the last is what is said; what is not negated is said as well
            negated = [a.args[0] for a in args if isinstance(a, Op) and a.op == "not"]
            left = negated[:-1] if len(negated) == len(args) else negated
            if not left and step_needs([args[0]])[0]:
                left = [Op("not", (args[0],), type=args[0].type, span=args[0].span)]
            whole = left[0] if len(left) == 1 else Op("and", tuple(left), type=e.type, span=left[0].span) if left else None
            if whole is not None:
                found = [(whole, _words(left[0].span))]
        case If(test, _, Const(True)):
            found = [(test, _words(test.span))]
        case If(test, Const(True), _):
            found = [(Op("not", (test,), type=test.type, span=test.span), _words(test.span))]
        case Agg("all", binders, body):
            found = [(Agg("any", binders, left, type=e.type, span=left.span), words) for left, words in antecedents(body)]
        case Let(names, values, body):
            inner = antecedents(body)
            found = [(Let(names, values, left, type=left.type, span=e.span or left.span), words) for left, words in inner]
    return [(left, words) for left, words in found if not isinstance(left, Const)]


def _words(span: Span | None) -> str:
    return "it" if span is None else f"`{' '.join(span.source.text[span.start : span.end].split())[:60]}`"


# the order of table actions


def _conflict(scene: Scene, one: str, two: str, seconds: float) -> tuple[str, str, str] | None:
    """A position with both enabled, and what comes of the two orders, by the evaluator."""
    p, game, looked = scene.probe, scene.game, 0
    both = set()
    for s in p.where(p.happens(one), seconds / 2):
        both.add(s)
    for s in p.where(p.happens(two), seconds / 2) if both else ():
        if not isinstance(s, int) or s not in both:
            continue
        looked += 1
        if looked > MOST_POSITIONS:
            return None
        state = p.position(s)
        found = evaluate.moves(game, state)
        for a in [m for m in found if m.action == one]:
            for b in [m for m in found if m.action == two]:
                ab, ba = _after(game, state, (a, b)), _after(game, state, (b, a))
                if ab is None or ba is None or ab == ba:
                    continue
                x = next(iter(ab - ba), None) or next(iter(ab))
                y = next(iter(ba - ab), None) or next(iter(ba))
                return (
                    f"in {_told(position_json(game, state))}",
                    f"{move_text(game, a)}, then {move_text(game, b)}: {_told(changes(game, state, x))}",
                    f"{move_text(game, b)}, then {move_text(game, a)}: {_told(changes(game, state, y))}",
                )
    return None


def _after(game: Game, state: State, order: tuple[Move, ...]) -> frozenset[State] | None:
    """The states after the moves in this order, one that is no more legal left out; None where there are too many."""
    states = {state}
    try:
        for move in order:
            following: set[State] = set()
            for s in states:
                if move not in evaluate.moves(game, s):
                    following.add(s)
                    continue
                draws = evaluate.draws(game, s, move)
                if len(draws) > MOST_DRAWS:
                    return None
                following |= {evaluate.apply(game, s, move, d).state for d, _ in draws}
            states = following
    except Fault:
        return None
    return frozenset(states)


def _told(row: dict[str, object]) -> str:
    told = ", ".join(f"{k}: {v}" for k, v in row.items()).replace("'", "")
    return told[:200] if told else "nothing is changed"


# options


def options(rules: Rules, fixed: Setting, players: int) -> Iterator[Diagnostic]:
    """Options whose values all mean the same, and values that mean the same as the default, whatever else is chosen."""
    doc = rules.document
    meanings: dict[tuple[tuple[str, str], ...], object] = {}
    bases = [s for s, n in places(rules, fixed, players) if n == players]
    for option in doc.options.values():
        if option.id in fixed:
            continue
        others = [v for v in option.values if v.name != option.default][:24]
        same: list[str] = []
        for v in others:
            verdict = _means_the_same(rules, option.id, v.name, option.default, bases, players, meanings)
            if verdict is None:
                return
            if verdict:
                same.append(v.name)
        if others and len(same) == len(others) and len(others) + 1 == len(option.values):
            yield Diagnostic(
                "L105", "warning", f"option `{option.id}` changes nothing", option.span,
                help="let a clause depend on it by `only` or `option('…')`, or take it away",
            )  # fmt: skip
            continue
        for v in option.values if not option.numeric else ():
            if v.name in same:
                yield Diagnostic(
                    "L105", "warning", f"value `{v.name}` of option `{option.id}` means the same as `{option.default}`", v.span,
                    help="let a clause depend on it by `only` or `option('…')`, or take it away",
                )  # fmt: skip


def _means_the_same(
    rules: Rules, option: str, one: str, two: str, bases: list[Setting], players: int,
    meanings: dict[tuple[tuple[str, str], ...], object],
) -> bool | None:  # fmt: skip
    compared = False
    for base in bases:
        found = []
        for v in (one, two):
            setting = {**base, option: v}
            key = tuple(setting.items())
            if key not in meanings:
                if len(meanings) > MOST_BASES:
                    return None
                meanings[key] = _meaning(rules, setting, players)
            found.append(meanings[key])
        if found[0] is None or found[1] is None:
            continue
        compared = True
        if found[0] != found[1]:
            return False
    return compared


def _piece(p: Pieces) -> object:
    return p.kinds, p.faces, p.attributes, p.turning, p.free, p.allowed


def _meaning(rules: Rules, setting: Setting, players: int) -> object:
    """A game and its questions with every option read and every name known: equal texts mean the same."""
    doc, quiet = rules.document, Diagnostics()
    names = names_for(doc, setting, players)
    if any(setting[o.id] != o.default and not holds(o.only, names, doc, quiet) for o in doc.options.values()):
        return None  # an option that is not there has its default
    if broken(doc, setting, players, quiet) is not None:
        return None
    game = rules.game(setting, players, quiet)
    if game is None or quiet.has_errors:
        return None
    reader = Reader(game, quiet, evaluate.starts(game)[0])
    asked = [reader.question(q) for q in doc.questions.values() if all(holds(o, names, doc, quiet) for o in q.only)]
    staged = [s.id for s in doc.scenarios.values() if all(holds(o, names, doc, quiet) for o in s.only)]
    pieces = {name: _piece(p) for name, p in game.names.pieces.items()}
    return pieces, repr(
        (
            [(v.name, v.type, v.init, v.any_of) for v in game.variables],
            [(a.name, a.by, a.during, a.params, a.draws, a.effects) for a in game.actions],
            [(c.id, c.formula, c.lifted) for a in game.actions for c in a.checks],
            [(e.id, e.when, e.winners) for e in game.ends],
            [(q.id, q.formula, q.then, q.where, q.exactly_when, q.who, q.given, q.expected) for q in asked if q],
            staged,
        )
    )
