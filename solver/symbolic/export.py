"""A proof's invariant as text that another program reads: slots are `s0`, `s1`, …, what else it speaks of `x0`, `x1`, …."""

from __future__ import annotations

import z3

from tablelaw.solver.symbolic.machine import Machine


def invariant_text(formula: z3.ExprRef, machine: Machine) -> dict[str, object]:
    """The formula over the slots in SMT-LIB, with the sorts of the other constants (for any value of these it holds)."""
    known = {x.get_id(): i for i, x in enumerate(machine.row)}
    pairs = [(x, z3.Const(f"s{i}", x.sort())) for i, x in enumerate(machine.row)]
    extra: list[str] = []
    for x in _constants(formula):
        if x.get_id() not in known:
            pairs.append((x, z3.Const(f"x{len(extra)}", x.sort())))
            extra.append(str(x.sort()))
    slots = [f"{s.name}{''.join(f'[{p}]' for p in s.path)}" for s in machine.model.slots]
    return {"slots": slots, "extra": extra, "formula": z3.substitute(formula, *pairs).sexpr()}


def _constants(formula: z3.ExprRef) -> list[z3.ExprRef]:
    seen: set[int] = set()
    found: list[z3.ExprRef] = []
    stack = [formula]
    while stack:
        x = stack.pop()
        if x.get_id() in seen:
            continue
        seen.add(x.get_id())
        if z3.is_const(x) and x.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found.append(x)
        stack.extend(x.children())
    return found
