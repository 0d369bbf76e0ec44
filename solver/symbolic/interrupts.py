"""Ctrl-C while z3 works: z3 leaves the signal alone, and a thread that hears of it tells z3 to stop.

Left to itself z3 takes the signal and may lose it. With the parameter `ctrl_c` off, Python's own handler stays in place
and wakes the thread through the wake-up file descriptor; z3 then returns and `KeyboardInterrupt` is raised as usual.

Where Python would raise it while an object of z3 is being freed, it is lost; so the thread keeps that Ctrl-C was pressed,
and the next question to z3 raises it again.
"""

from __future__ import annotations

import signal
import socket
import threading
from typing import Any

import z3

from tablelaw.solver import queries

_listening: list[socket.socket] = []


_pressed = threading.Event()


def ask(solver: Any, *assumptions: Any) -> Any:
    """z3's answer; raises `KeyboardInterrupt` when Ctrl-C was pressed before or during the work."""
    raise_if_pressed()
    solver.set("ctrl_c", False)
    answer = solver.check(*assumptions)
    raise_if_pressed()
    queries.tell(lambda: _text(solver, assumptions, str(answer)), str(answer))
    return answer


def _text(solver: Any, assumptions: tuple[Any, ...], answer: str) -> str:
    """A question in SMT-LIB 2: everything asserted, what is assumed among it."""
    whole = z3.Solver()
    whole.add(*solver.assertions(), *assumptions)
    lines = [x for x in whole.to_smt2().splitlines() if not x.startswith((";", "(set-info"))]
    return "\n".join([f"; z3 said: {answer}", "(set-logic ALL)", f"(set-info :status {answer})", *lines]) + "\n"


def raise_if_pressed() -> None:
    """Raise `KeyboardInterrupt` when Ctrl-C was pressed and nobody has heard of it."""
    if _pressed.is_set():
        _pressed.clear()
        raise KeyboardInterrupt


def listen() -> None:
    """Begin to hear Ctrl-C, where this is the main thread and nobody else listens; once is enough."""
    if _listening or threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    if before != -1:  # an event loop listens already; it will see to Ctrl-C itself
        signal.set_wakeup_fd(before)
        return
    _listening.extend((ours, theirs))
    threading.Thread(target=_hear, args=(ours,), daemon=True, name="ctrl-c").start()


def _hear(ours: socket.socket) -> None:
    while heard := ours.recv(64):
        if any(_interrupts(number) for number in heard):
            _pressed.set()
            z3.main_ctx().interrupt()


def _interrupts(number: int) -> bool:
    """Is this signal taken as Ctrl-C is?"""
    return number == signal.SIGINT or bool(getattr(signal.getsignal(number), "interrupts", False))
