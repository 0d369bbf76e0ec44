"""Claims answered: is the move legal, what does it lead to, is it true here, can it ever come, and under which rules not."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext
from dataclasses import dataclass, field

from tablelaw.checkers import explain
from tablelaw.checkers.branches import Branch, Stopped, TooMany, played
from tablelaw.checkers.claims import KINDS, Claim, Typed, typed
from tablelaw.checkers.closest import closest
from tablelaw.checkers.leading import NEAREST, Answer, Outcomes, read_values
from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request, other_settings
from tablelaw.checkers.session import Session
from tablelaw.solver import account, evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.evaluate import State
from tablelaw.solver.plain_rows import NoRow, Rows
from tablelaw.solver.replay import place_along, retaken, value_along
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Step, Trace, first_step, position_json
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.questions import Asked, Reader, step_needs
from tablelaw.spec.reckon import value
from tablelaw.spec.settings import Setting
from tablelaw.spec.types import Bool
from tablelaw.spec.yaml_nodes import Node

OTHERS, OTHER_ENGINE, OTHER_ENGINES = 8.0, 2.0, 10.0
"""Seconds for other options, and for other options where engines are asked: each and all."""


@dataclass(slots=True)
class Asker:
    """Answers claims about one position of one game. `history` is the play that led there, if moves were given."""

    rules: Rules
    game: Game
    node: Node | None
    history: Trace
    request: Request
    sink: Diagnostics
    others: bool = True
    games: dict[tuple[tuple[str, str], ...], Game | None] = field(default_factory=dict)

    @property
    def state(self) -> State:
        """The position that is asked about."""
        return self.history.steps[-1].state

    @property
    def moved(self) -> bool:
        """Were moves played first?"""
        return len(self.history.steps) > 1

    def answer(self, claim: Claim) -> Answer | None:
        """The answer; None when the claim cannot be read (the sink knows)."""
        began = time.monotonic()
        meaning = typed(claim, self.game, self.sink) if self._exists(claim) else Typed((), None)
        if meaning is None:
            return None
        if claim.form == "move":
            return self._move(claim)
        if claim.form in KINDS:
            answer = self._engine(claim, meaning)
        elif claim.form == "gives":
            answer = self._gives(claim, meaning)
        else:
            answer = self._formula(claim, meaning)
        if claim.form not in KINDS:  # there the engines say it
            answer.result.verdict.seconds = time.monotonic() - began
        if self.others:
            self._differs(answer, meaning)
        return answer.done()

    def readable(self, claim: Claim) -> bool:
        """Can the claim be read? If not, the sink knows why."""
        return not self._exists(claim) or typed(claim, self.game, self.sink) is not None

    def position(self) -> Node | None:
        """The position as it is read under other options: what was written, or what the moves have changed since the start."""
        if not self.moved:
            return self.node
        start = evaluate.starts(self.game)[0]
        whole = position_json(self.game, self.state)
        changed = {v.name: whole[v.name] for v in self.game.variables if self.state[v.name] != start[v.name]}
        return explain.position_node(json.dumps(changed), "position", Diagnostics())

    def _result(self, verdict: Verdict) -> Result:
        result = Result("ask", "ask", dict(self.game.setting), self.game.players, verdict, None, self.game)
        if self.request.explained:
            result.account = account.Account([account.Entry("engine", "no engine was needed: looked at by the evaluator")])
        return result

    # a move

    def _exists(self, claim: Claim) -> bool:
        if claim.form != "move":
            return True
        name = claim.text.partition("->")[0].partition("(")[0].strip()
        return self.game.action(name) is not None or name not in self.rules.document.actions

    def _move(self, claim: Claim) -> Answer | None:
        found = explain.why(self.rules, self.game, self.position(), claim.text, self.sink)
        if found is None:
            return None
        if self.moved:
            found.left_out = []
        result = found.result
        result.question = result.kind = "ask"
        return Answer(claim, result, found, nearest=found.nearest, values=[t for _, t in found.values]).done()

    # true here

    def _formula(self, claim: Claim, meaning: Typed) -> Answer:
        e = meaning.formula
        assert e is not None
        verdict = Verdict("fails", "proved", bound="in this position", engine="evaluate", trace=self.history)
        answer = Answer(claim, self._result(verdict))
        here = place_along(self.game, self.history, len(self.history.steps) - 1)
        try:
            found = value(e, here)
        except Fault as fault:
            verdict.verdict, verdict.known_by, verdict.bound = "unknown", None, None
            verdict.reason = f"it has no value here: {fault.message}"
            return answer
        if not isinstance(e.type, Bool):
            verdict.verdict, verdict.value = "value", shown(found, e.type)
            return answer
        verdict.verdict = "holds" if found else "fails"
        answer.values = read_values(e, here)
        if not found:
            last = Trace(self.history.steps[:-1])

            def good(state: State) -> bool:
                after = Trace([*last.steps, Step(state, self.history.steps[-1].move)])
                return bool(value(e, place_along(self.game, after, len(after.steps) - 1)))

            answer.nearest = closest(self.game, self.state, good, NEAREST)
        return answer

    # after a move

    def _gives(self, claim: Claim, meaning: Typed) -> Answer:
        verdict = Verdict("unknown", engine="evaluate")
        answer = Answer(claim, self._result(verdict))
        Outcomes(self.game, self.history, answer).tell(meaning)
        return answer

    # what may follow

    def _engine(self, claim: Claim, meaning: Typed) -> Answer:
        with account.recording() if self.request.explained else nullcontext() as told:
            verdict = self._asked(self.game, claim, meaning, self._given(), self.request.seconds, self.request.cores)
        answer = Answer(claim, self._result(verdict))
        answer.result.account = told
        return answer

    def _given(self) -> State | None:
        return self.state if self.node is not None or self.moved else None

    def _asked(self, game: Game, claim: Claim, meaning: Typed, given: State | None, seconds: float, cores: bool) -> Verdict:
        kind = KINDS[claim.form]
        assert claim.formula is not None
        texts = {kind: claim.formula.text}
        asked = Asked("ask", kind, claim.formula.span, formula=meaning.formula, given=given, texts=texts)
        engines = Engines(game, self.request.engine, cores, reductions=self.request.reductions)

        def work() -> Verdict:
            try:
                return engines.ask(asked, Budget(seconds, self.request.mebibytes, 0, self.request.tell))
            except OutOfBudget as spent:
                return Verdict("unknown", reason=f"out of budget: {spent.reason}", engine=engines.engine)

        about = None if self.request.kept is None else self._about(game, kind, claim.formula.text, given, cores)
        if about is None or self.request.kept is None:
            return work()
        with account.perhaps_kept() as noticed:
            return self.request.kept.answer(about, game, noticed.marked(work))

    def _about(self, game: Game, kind: str, formula: str, given: State | None, cores: bool) -> dict[str, object] | None:
        """All that an answer hangs on, but for this program; None where the position cannot be written as data."""
        try:
            row = None if given is None else Rows(game).row(given)
        except NoRow:
            return None
        return {
            "what": "claim", "rules": self.rules.digest, "setting": dict(game.setting), "players": game.players, "kind": kind,
            "formula": formula, "given": row, "engine": self.request.engine, "cores": cores,
            "reductions": self.request.reductions.key(),
        }  # fmt: skip

    def unreachable(self) -> str | None:
        """The invariant of the game that the position breaks, so that no play leads there."""
        if self.node is None:
            return None
        return Session(self.rules, Request(), Diagnostics()).broken_invariant(self.game, self.state)

    # other rules

    def _differs(self, answer: Answer, meaning: Typed) -> None:
        """The fewest changes of options under which the answer is another one."""
        verdict = answer.result.verdict
        mine = (verdict.verdict, verdict.value)
        if mine[0] == "unknown" or (mine == ("value", None)):
            return
        looks, counts = step_needs([meaning.formula])
        if self.moved and (counts or (looks and answer.claim.form != "gives")):
            verdict.notes.append("other options were not looked at, for the claim speaks of the moves before")
            return
        found: list[dict[str, str]] = []
        notes: list[str] = []
        open_under: list[str] = []
        answer.result.differs = found
        setting: Setting = dict(self.game.setting)
        engine = answer.claim.form in KINDS
        last = time.process_time() + (OTHER_ENGINES if engine else OTHERS)
        node = self.position()
        others = sorted(
            other_settings(self.rules, setting, self.game.players), key=lambda s: sum(s[k] != setting[k] for k in s)
        )
        for other in others:
            changed = {k: v for k, v in other.items() if v != setting[k]}
            if any(f.items() <= changed.items() for f in found):
                continue
            if time.process_time() > last:
                verdict.notes.append("not all other options were looked at in the time there is")
                break
            there = self._game(other)
            again = None if there is None else self._elsewhere(there, node, answer)
            words = ", ".join(f"{k}={v}" for k, v in changed.items())
            if again is None:
                notes.append(words)
            elif again[0] == "unknown":
                open_under.append(words)
            elif again != mine:
                found.append(changed)
        for said, which in (("not known", open_under), ("this cannot be asked", notes)):
            if which:
                verdict.notes.append(f"{said} under {'; '.join(which[:3])}{'; …' if len(which) > 3 else ''}")

    def _game(self, setting: Setting) -> Game | None:
        key = tuple(setting.items())
        if key not in self.games:
            self.games[key] = self.rules.game(setting, self.game.players, Diagnostics())
        return self.games[key]

    def _elsewhere(self, game: Game, node: Node | None, answer: Answer) -> tuple[str, str | None] | None:
        """The verdict and the value under other rules; None where position or claim cannot be read there."""
        claim, shown_here = answer.claim, answer.result.verdict
        quiet = Diagnostics()
        start = evaluate.starts(game)[0]
        state = Reader(game, quiet, start).position(node) if node is not None else start
        meaning = None if state is None or quiet.has_errors else typed(claim, game, quiet)
        if state is None or meaning is None:
            return None
        there = Asker(self.rules, game, node, Trace([first_step(state, game)]), self.request, quiet, others=False)
        if claim.form in KINDS:
            if shown_here.trace is not None and self._same_play(game, state, claim, meaning, shown_here.trace):
                return shown_here.verdict, shown_here.value
            given = state if node is not None else None
            found = there._asked(game, claim, meaning, given, OTHER_ENGINE, cores=False)
            return found.verdict, found.value
        brief = there._brief(claim, meaning)
        return brief.verdict, brief.value

    @staticmethod
    def _same_play(game: Game, start: State, claim: Claim, meaning: Typed, trace: Trace) -> bool:
        """Does the play that shows it here show it there too?"""
        again = retaken(game, start, trace)
        assert meaning.formula is not None
        try:
            return again is not None and bool(value_along(game, again, meaning.formula)) is (claim.form != "always")
        except Fault:
            return False

    def _brief(self, claim: Claim, meaning: Typed) -> Verdict:
        """The verdict alone."""
        e = meaning.formula
        assert e is not None
        try:
            begin = Branch(tuple(self.history.steps))
            courses = played(self.game, begin, meaning.lines) if claim.form == "gives" else [begin]
            found = {shown(value(e, place_along(self.game, b.trace, len(b.steps) - 1)), e.type) for b in courses}
        except Stopped:
            return Verdict("fails")
        except (TooMany, Fault):
            return Verdict("unknown")
        if isinstance(e.type, Bool):
            return Verdict("holds" if found == {"true"} else "fails")
        return Verdict("value", value=found.pop() if len(found) == 1 else None)
