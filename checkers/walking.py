"""One play on both sides: the rules and another program, compared after each step or at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.foreign import Trouble
from tablelaw.checkers.guest import Guest, Said, Sent
from tablelaw.checkers.host import WRONG, Apart, Faulty, Host
from tablelaw.solver.evaluate import Move
from tablelaw.solver.sampling import Dice, Taken
from tablelaw.solver.trace import move_text
from tablelaw.spec.values import Value


@dataclass(slots=True)
class Found:
    """A difference with the play that shows it. `apart` is one of what the rules and the program say; or the program was in
    `trouble`; or the rules themselves are at a loss (`faulty`). `said` is what the program said after so many sent steps, and
    `played` are these steps among those `taken`."""

    start: Any
    taken: tuple[Taken, ...]
    sent: tuple[Sent, ...]
    played: tuple[Taken, ...]
    row: Any
    said: dict[int, Said]
    apart: Apart | None = None
    trouble: Trouble | None = None
    faulty: str = ""
    looked: bool = True
    """Was the program asked after every step (else at the end alone)?"""
    again: bool = True
    """Does it show when the play is played again?"""
    note: str = ""
    """What is to be known of playing it again, or of the time."""
    shrunk: bool = False

    @property
    def sign(self) -> tuple[object, ...]:
        """What is the same of two findings of one sort."""
        if self.apart is not None:
            return self.apart.sign
        return ("trouble", self.trouble.kind) if self.trouble is not None else ("faulty",)


@dataclass(slots=True)
class Counts:
    """What has been compared."""

    plays: int = 0
    positions: int = 0
    moves: int = 0
    ends: int = 0
    cut: int = 0
    given_up: int = 0
    """Plays in which the time was over."""


@dataclass(slots=True)
class Walker:
    """Plays of one game on both sides. `told` are the options that the program is told of."""

    host: Host
    guest: Guest
    told: dict[str, str]
    given: bool
    """Is the start of each play told to the program as a position?"""
    counts: Counts = field(default_factory=Counts)
    tell: Callable[[str], None] | None = None
    """Hears of each step of a play at random."""
    ended: Found | None = None
    """The first play that came to its end without a difference."""

    # at random

    def play(self, start: Any, dice: Dice, limit: int, at_end: bool) -> Found | None:
        """A play at random, compared after every step (else at its end). Raises `OutOfTime`."""
        host, row = self.host, start
        walk = Walk(self, start, look=not at_end)
        self.counts.plays += 1
        if (found := walk.begin()) is not None:
            return found
        try:
            while len(walk.taken) < limit:
                if self.tell is not None and walk.taken:
                    self.tell(f"step {len(walk.taken):,}")
                row = walk.row
                choices = host.legal(row)
                if not choices:
                    if self.ended is None and host.over(row):
                        self.ended = walk.found()
                    break
                choice = choices[dice.below(len(choices))]
                drawn: tuple[Value, ...] = ()
                for k in range(len(host.player.actions[choice[0]].draws)):
                    drawn = (*drawn, dice.weighed(*host.player.chance(row, choice, k, drawn)))
                if (found := walk.go((choice, drawn))) is not None:
                    return found
            else:
                self.counts.cut += 1
        except Faulty as fault:
            return walk.found(faulty=str(fault))
        except WRONG as fault:
            return walk.found(faulty=f"the rules have no value for what is drawn: {fault}")
        return walk.observe() if at_end else None

    # along a play

    def along(self, start: Any, taken: tuple[Taken, ...], look: bool = True) -> Found | None:
        """A play that is known, compared after every step (else at its end)."""
        walk = Walk(self, start, look)
        if (found := walk.begin()) is not None:
            return found
        try:
            for step in taken:
                choices = self.host.legal(walk.row)
                if not self.host.told(step[0], choices):
                    continue  # it was taken unseen
                if (found := walk.go(step)) is not None:
                    return found
        except Faulty as fault:
            return walk.found(faulty=str(fault))
        return None if look else walk.observe()

    def forbidden(self, start: Any, taken: tuple[Taken, ...], text: str) -> Found | None:
        """Does the program take a move that the rules forbid after this play? Asked by sending it."""
        line = self.host.line(text)
        if line is None or line.action is None:
            return None
        walk = Walk(self, start, look=False)
        if walk.begin() is not None:
            return None
        for step in taken:
            if self.host.told(step[0], self.host.legal(walk.row)) and walk.go(step) is not None:
                return None
        if walk.observe() is not None:
            return None
        choices = self.host.legal(walk.row)
        move = Move(line.action, line.args, choices[0][1] if choices else None)
        try:
            refused = self.guest.play(self.host.game, (move, line.draw))
        except Trouble as trouble:
            return walk.found(trouble=trouble)
        self.counts.moves += 1
        if refused is not None:
            return None
        walk.said[len(walk.played)].moves = (*self.host.texts(walk.row), text)
        return walk.found(Apart("takes", "the move is illegal", "it takes the move", extra=(text,)))


@dataclass(slots=True)
class Walk:
    """A play in progress on both sides."""

    walker: Walker
    start: Any
    look: bool
    row: Any = None
    taken: list[Taken] = field(default_factory=list)
    played: list[Taken] = field(default_factory=list)
    """The steps of `taken` that the program was told of."""
    said: dict[int, Said] = field(default_factory=dict)

    def found(self, apart: Apart | None = None, trouble: Trouble | None = None, faulty: str = "", row: Any = None) -> Found:
        """A finding here."""
        host = self.walker.host
        sent = tuple(host.sent(t) for t in self.played)
        where = self.row if row is None else row
        taken, played = tuple(self.taken), tuple(self.played)
        return Found(self.start, taken, sent, played, where, dict(self.said), apart, trouble, faulty, self.look)

    def begin(self) -> Found | None:
        """Set up both sides. Raises `Unsupported`."""
        host, self.row = self.walker.host, self.start
        try:
            row, unseen = host.settle(self.start)
            state = host.player.state(self.start) if self.walker.given else None
            self.walker.guest.new(host.game, self.walker.told, state)
        except Faulty as fault:
            self.taken += fault.taken
            return self.found(faulty=str(fault))
        except Trouble as trouble:
            return self.found(trouble=trouble)
        return self._there(row, unseen)

    def _there(self, row: Any, unseen: list[Taken]) -> Found | None:
        self.row = row
        self.taken += unseen
        return self.observe() if self.look else None

    def go(self, step: Taken) -> Found | None:
        """Take a step on both sides; first by the rules, so that the program is not asked for what they do not have."""
        host, before = self.walker.host, self.row
        try:
            after = host.step(self.row, *step)
        except Faulty as fault:
            self.taken += fault.taken
            return self.found(faulty=str(fault))
        try:
            row, unseen = host.settle(after)
        except Faulty as fault:
            self.taken += (step, *fault.taken)
            return self.found(faulty=str(fault))
        sent = host.sent(step)
        self.taken.append(step)
        self.played.append(step)
        try:
            refused = self.walker.guest.play(host.game, sent)
        except Trouble as trouble:
            return self.found(trouble=trouble, row=before)
        if refused is not None:
            self.said[len(self.played)] = Said(refused=refused)
            apart = Apart("refuses", "the move is legal", f"it is not: {refused}", (move_text(host.game, sent[0]),))
            return self.found(apart, row=before)
        return self._there(row, unseen)

    def observe(self) -> Found | None:
        """Ask the program about the position, and compare."""
        guest, host, counts = self.walker.guest, self.walker.host, self.walker.counts
        said = Said()
        self.said[len(self.played)] = said
        try:
            waits = host.waits(self.row)
            guest.outcome(said)
            if not waits:
                guest.legal(said)
            apart = host.apart(self.row, said)
        except Trouble as trouble:
            return self.found(trouble=trouble)
        except Faulty as fault:
            return self.found(faulty=str(fault))
        counts.positions += said != Said()
        counts.moves += len(said.moves or ())
        counts.ends += said.ended is True
        return None if apart is None else self.found(apart)
