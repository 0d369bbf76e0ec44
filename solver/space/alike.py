"""Positions that the rules do not tell apart: found in the lowered rules, without meeting a position.

A permutation of the variables' parts under which every move becomes a move, the end the end and the goal the goal takes a
position into one from which the same can be forced: a board in a mirror, say, whatever its author called its squares.
Such permutations are guessed from how often and where each part is read, and kept where the whole of the rules, written
down with them, is the same text but for the order of what has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from tablelaw.solver.ir import LOOSE, Model, Move, Term, flat, walk
from tablelaw.solver.space.pack import Packing

LARGEST = 16
"""At most so many images of a position are looked at; of a larger group part is left out."""
EFFORT = 1_500_000
"""So many parts of the rules are visited at most."""
BITS = 12
Images = tuple[int, ...]
"""For each slot the one that takes its place."""


@dataclass(slots=True)
class _Node:
    """A part of the rules: what it is, and what it is made of, in order or not. `slot`: it stands for that slot."""

    label: int
    parts: list[int]
    loose: bool
    slot: int = -1


@dataclass(slots=True)
class _Text:
    """The rules as nodes, each after its parts; the last one is all of it."""

    slots: int
    nodes: list[_Node] = field(default_factory=list)
    labels: dict[object, int] = field(default_factory=dict)
    known: dict[tuple[int, ...], int] = field(default_factory=dict)
    terms: dict[int, int] = field(default_factory=dict)
    effort: int = 0

    def node(self, label: object, parts: Iterable[int] = (), loose: bool = False, slot: int = -1) -> int:
        """The node of what is this and made of these; the same is one node, or images would be read at other places."""
        number = self.labels.setdefault(label, len(self.labels))
        made = sorted(parts) if loose else list(parts)
        found = self.known.setdefault((number, slot, *made), len(self.nodes))
        if found == len(self.nodes):
            self.nodes.append(_Node(number, made, loose, slot))
        return found

    def term(self, root: Term) -> int:
        """The node of a term."""
        for t in walk([root]):
            if t.uid in self.terms or (t.op == "var" and t.number < self.slots):
                continue
            if t.args:
                self.terms[t.uid] = self.node((t.op, t.truth), [self._of(a) for a in flat(t)], t.op in LOOSE)
            else:
                self.terms[t.uid] = self.node((t.op, t.number, t.lo, t.hi, t.truth))
        return self._of(root)

    def _of(self, t: Term) -> int:
        return t.number if t.op == "var" else self.terms[t.uid]

    def move(self, m: Move) -> int:
        """The node of a move."""
        inputs = [
            self.node(("input", i.number, i.lo, i.hi, i.drawn), [self.term(i.least), self.term(i.most)]) for i in m.inputs
        ]
        updates = [self.node("update", [i, self.term(t)]) for i, t in m.updates.items()]
        wrong = [self.node("illegal fault", [self.term(c)]) for c, _ in m.legality_faults]
        wrong += [self.node("fault", [self.term(c)]) for c, _ in m.faults]
        whole = [self.term(m.guard), self.term(m.draw_guard), self.term(m.actor)]
        made = [self.node("inputs", inputs), self.node("updates", updates, True), self.node("faults", wrong, True)]
        return self.node(("move", m.table), whole + made)

    # guessing

    def refined(self, colours: list[int]) -> list[int]:
        """Slots told apart by where the rules read and write them, until that tells nothing more."""
        kinds = len(set(colours))
        while kinds < self.slots and self.effort < EFFORT:
            colours = self._round(colours)
            if len(set(colours)) == kinds:
                break
            kinds = len(set(colours))
        return colours

    def _round(self, colours: list[int]) -> list[int]:
        self.effort += len(self.nodes)
        below: list[int] = []
        for x in self.nodes:
            parts = [below[p] for p in x.parts]
            if x.loose:
                parts.sort()
            below.append(hash((x.label, *parts)) if x.slot < 0 else colours[x.slot])
        above: list[list[int]] = [[] for _ in self.nodes]
        for k in range(len(self.nodes) - 1, -1, -1):
            x = self.nodes[k]
            if x.slot >= 0:
                break  # the slots come first
            if not above[k] and k < len(self.nodes) - 1:
                continue  # part of a longer sum
            seen = hash((below[k], *sorted(above[k])))
            for place, p in enumerate(x.parts):
                above[p].append(seen if x.loose else hash((seen, place)))
        return [hash((colours[i], *sorted(above[i]))) for i in range(self.slots)]

    def kept(self, images: Images) -> bool:
        """Are the rules, with each slot replaced by its image, the same rules?"""
        self.effort += len(self.nodes)
        numbers: dict[object, int] = {}
        ends = []
        for of in (range(self.slots), images):
            found: list[int] = []
            for x in self.nodes:
                parts = [found[p] for p in x.parts]
                if x.loose:
                    parts.sort()
                key = ("slot", of[x.slot]) if x.slot >= 0 else (x.label, *parts)
                found.append(numbers.setdefault(key, len(numbers)))
            ends.append(found[-1])
        return ends[0] == ends[1]

    def match(self, here: list[int], there: list[int]) -> Images | None:
        """A permutation that takes slots to slots of the same colour and keeps the rules; one is found or given up."""
        if sorted(here) != sorted(there):
            return None
        mine = _class(here)
        if mine is None:
            at = {c: i for i, c in enumerate(there)}
            images = tuple(at[c] for c in here)
            return images if self.kept(images) else None
        told = self.refined(_marked(here, mine[0]))
        for b in (i for i, c in enumerate(there) if c == here[mine[0]]):
            if self.effort >= EFFORT:
                break
            found = self.match(told, self.refined(_marked(there, b)))
            if found is not None:
                return found
        return None


def _class(colours: list[int]) -> list[int] | None:
    """The slots of the first colour that several have."""
    groups: dict[int, list[int]] = {}
    for i, c in enumerate(colours):
        groups.setdefault(c, []).append(i)
    return next((g for g in groups.values() if len(g) > 1), None)


def _marked(colours: list[int], slot: int) -> list[int]:
    return [hash((c, i == slot)) for i, c in enumerate(colours)]


def _written(model: Model, goal: Term) -> _Text:
    """The rules and the goal as nodes."""
    text = _Text(len(model.slots))
    for i, s in enumerate(model.slots):
        text.node(("slot", s.lo, s.hi, s.truth), slot=i)
    wrong = [text.node("end fault", [text.term(c)]) for c, _ in model.end_faults]
    ends = [text.term(goal), text.term(model.ended), text.node("end faults", wrong, True)]
    text.node("rules", [*ends, text.node("moves", [text.move(m) for m in model.moves], True)])
    return text


def kept(model: Model, goal: Term, among: Images) -> bool:
    """Are the rules and the goal the same with each slot replaced by its image?"""
    ranges = [(s.lo, s.hi, s.truth) for s in model.slots]
    return all(ranges[i] == ranges[j] for i, j in enumerate(among)) and _written(model, goal).kept(among)


def kept_of(model: Model, among: list[Images], terms: list[Term]) -> list[Images]:
    """Those of a group of permutations that keep the rules under which these terms mean the same too: a group as well."""
    text = _Text(len(model.slots))
    for i, s in enumerate(model.slots):
        text.node(("slot", s.lo, s.hi, s.truth), slot=i)
    text.node("asked", [text.term(t) for t in terms])
    return [moved for moved in among if text.kept(moved)]


def images(model: Model, goal: Term) -> list[Images]:
    """Permutations of the slots that keep the rules and the goal, but for the one that changes nothing; not always all."""
    text = _written(model, goal)
    used = {p for x in text.nodes for p in x.parts}
    colours = text.refined([hash((s.lo, s.hi, s.truth, -1 if i in used else i)) for i, s in enumerate(model.slots)])
    found: list[Images] = []
    while (group := _class(colours)) is not None and text.effort < EFFORT:
        here = text.refined(_marked(colours, group[0]))
        for b in group[1:]:
            other = text.match(here, text.refined(_marked(colours, b)))
            if other is not None:
                found.append(other)
        colours = here
    return _closed(found, len(model.slots))


def _closed(generators: list[Images], n: int) -> list[Images]:
    """All that these do one after the other, but for nothing at all. A generator that makes them too many is left out.

    What is left is a group, so that all images of a position have the same smallest one.
    """
    none = tuple(range(n))
    group, used = [none], list[Images]()
    for g in generators:
        larger = _group(none, [*used, g])
        if larger is not None:
            group, used = larger, [*used, g]
    return group[1:]


def _group(none: Images, generators: list[Images]) -> list[Images] | None:
    found = {none: None}
    for a in (order := [none]):
        for g in generators:
            both = tuple(g[i] for i in a)
            if both not in found:
                if len(found) == LARGEST:
                    return None
                found[both] = None
                order.append(both)
    return order


def one_of(pack: Packing, among: list[Images]) -> Callable[[int], int] | None:
    """The smallest of a packed position and its images, which form a group; None where there are none."""
    if not among:
        return None
    tables: dict[str, list[int]] = {}
    texts = []
    for k, moved in enumerate(among):
        to = {}
        for i, j in enumerate(moved):
            for b in range(pack.masks[i].bit_length()):
                to[pack.shifts[i] + b] = pack.shifts[j] + b
        parts = []
        for n, low in enumerate(range(0, pack.bits, BITS)):
            tables[f"T{k}_{n}"] = _table([1 << to[b] for b in range(low, min(low + BITS, pack.bits))])
            parts.append(f"T{k}_{n}[s >> {low} & {(1 << BITS) - 1}]")
        texts.append(" | ".join(parts))
    source = f"def one(s):\n    return min(s, {', '.join(texts)})\n"
    space: dict[str, Any] = {**tables}
    exec(compile(source, "<generated one>", "exec"), space)
    return cast("Callable[[int], int]", space["one"])


def _table(bits: list[int]) -> list[int]:
    """For every number the sum of what its bits stand for."""
    found = [0]
    for b in bits:
        found += [x | b for x in found]
    return found
