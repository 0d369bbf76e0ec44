"""Figures that stand on parts, and a face that may be none: what random games on boards keep of these, and say of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

Texts = list[Callable[[], str]]


@dataclass
class Figures:
    """Formulas and effects about `standing`, a bag of records that hold a part, and about `spare`, a face or none."""

    r: random.Random
    has_figures: bool = field(default=False, kw_only=True)
    has_spare: bool = field(default=False, kw_only=True)
    set_of_parts: bool = field(default=False, kw_only=True)

    # what is written elsewhere

    def chance(self, p: float) -> bool:
        raise NotImplementedError

    def risky(self) -> bool:
        raise NotImplementedError

    def kind(self) -> str:
        raise NotImplementedError

    def part(self) -> str:
        raise NotImplementedError

    def placed_kind(self) -> str:
        raise NotImplementedError

    def player(self) -> str:
        raise NotImplementedError

    def const_face(self) -> str:
        raise NotImplementedError

    def cell(self, d: int = 1) -> str:
        raise NotImplementedError

    def rotation(self) -> str:
        raise NotImplementedError

    # declarations

    def figure_state(self, state: dict[str, object], types: dict[str, object]) -> None:
        """Variables for figures and a spare face, now and then."""
        if self.chance(0.3):
            self.has_figures = True
            types["Figure"] = {"record": {"owner": "Player", "hue": "Hue", "part": "Part"}}
            start: object = "bag()"
            if self.chance(0.3):
                start = {self.figure("(0, 0)"): self.r.randint(1, 2)}
            state["standing"] = {"type": "bag[Figure, 3]", "init": start}
            if self.chance(0.3):
                self.set_of_parts = True
                state["held"] = {"type": "set[Part]", "init": "{}"}
        if self.chance(0.3):
            self.has_spare = True
            state["spare"] = {"type": "maybe[Tile]", "init": self.r.choice(("none", self.const_face()))}

    def figure_defines(self) -> dict[str, object]:
        """Formulas of features."""
        if not self.has_figures:
            return {}
        return {
            "weight(p in Player, f in Feature)": "count(s for s in standing if s.owner == p and s.part in f)",
            "taken(f in Feature)": self.r.choice(
                (
                    "any(s.part in f for s in standing)",
                    "any(weight(p, f) > 0 for p in Player)",
                    "not all(s.part not in f for s in standing)",
                )
            ),
        }

    def figure_effects(self) -> dict[str, object]:
        """A list of clauses that takes a feature."""
        if not self.has_figures:
            return {}
        body = self.r.choice(
            (
                "for s in standing:\n    if s.part in f:\n        standing -= s\n        n = min(3, n + k)",
                "for s in standing:\n    if s.part in f and s.hue == red:\n        standing[s] = 0",
                "for s in standing:\n    score[s.owner] = min(3, 2 * score[s.owner] + k)\n"
                "    if s.part in f:\n        standing -= s",
            )
        )
        return {
            "back(f in Feature, k in Few)": [{"id": "home", "says": "They go home.", "when": "size(standing) > 0", "do": body}]
        }

    # formulas

    def figure(self, cell: str = "") -> str:
        """A figure, on a square known before play where one is given."""
        part = f"part({cell}, {self.placed_kind()})" if cell else self.part()
        return f"Figure(owner={0 if cell else self.player()}, hue={self.r.choice(('red', 'blue'))}, part={part})"

    def of_figure(self, s: str) -> str:
        r = self.r
        return r.choice(
            (
                f"{s}.owner == {self.player()}", f"{s}.hue == {r.choice(('red', 'blue'))}", f"{s}.part.kind == {self.kind()}",
                f"{s}.part.cell == {self.cell(0)}", f"{s}.part.side != none", f"{s}.part.cell in table",
            )
        )  # fmt: skip

    def of_taken(self, f: str) -> list[str]:
        """What may be said of a feature besides."""
        if not self.has_figures:
            return []
        return [f"taken({f})", f"weight({self.player()}, {f}) > {self.r.randint(0, 1)}"]

    def figure_truths(self) -> Texts:
        r = self.r
        found: Texts = []
        if self.has_figures:
            found += [
                lambda: f"{r.choice(('any', 'all'))}({self.of_figure('s')} for s in standing)",
                lambda: f"({self.figure()} in standing)",
                lambda: "(standing == bag())",
                lambda: f"{r.choice(('any', 'all'))}(taken(f) for f in features(table, {self.kind()}))",
                lambda: f"any(s.part in f for s in standing for f in features(table, {self.kind()}))",
                lambda: f"all(standing[s] == 1 for s in standing if {self.of_figure('s')})",
            ]
            if self.risky():
                found.append(lambda: f"taken(feature(table, {self.part()}))")
                found.append(lambda: "any(p == 0 and min(q for q in out) == 0 for s in standing for p in {s.owner})")
        if self.set_of_parts:
            found += [lambda: f"({self.part()} in held)", lambda: "any(p.cell.x == 0 for p in held)"]
        if self.has_spare:
            found += [lambda: "(spare == none)", lambda: f"(spare == {self.const_face()})"]
            look: Texts = [
                lambda: f"fits(table, {self.cell()}, spare, {self.rotation()})",
                lambda: "size(rotations(spare)) > 1",
                lambda: "(hand[spare] > 0)",
            ]
            found.append(lambda: r.choice(look)() if self.risky() else f"(spare != none and {r.choice(look)()})")
        return found

    def figure_numbers(self) -> Texts:
        r = self.r
        if not self.has_figures:
            return []
        return [
            lambda: "size(standing)",
            lambda: f"standing[{self.figure()}]",
            lambda: f"count(s for s in standing if {self.of_figure('s')})",
            lambda: f"sum({r.choice(('1', 's.owner', '2 * s.owner + 1'))} for s in standing)",
            lambda: f"sum(weight({self.player()}, f) for f in features(table, {self.kind()}))",
            lambda: "size({s.part for s in standing})",
        ]

    # effects

    def figure_assignments(self) -> list[Callable[[], list[str]]]:
        r = self.r
        found: list[Callable[[], list[str]]] = []
        if self.has_figures:
            put = [f"standing += {self.figure()}"]
            one = f"        standing += Figure(owner={self.player()}, hue=red, part=p)"
            some = f"{{p for p in parts(table, {self.cell(0)})}}"
            found += [
                lambda: put if self.risky() else ["if size(standing) < 3:", *("    " + x for x in put)],
                lambda: [f"for p in {some}:", "    if size(standing) < 3:", one],
                lambda: ["for s in standing:", f"    if {self.of_figure('s')}:", "        standing -= s"],
                lambda: [f"standing -= {self.figure()}"] if self.risky() else ["reset(standing)"],
                lambda: [
                    f"for f in features(table, {self.kind()}):",
                    "    if taken(f):",
                    f"        back(f, {r.randint(0, 2)})",
                ],
            ]
        if self.set_of_parts:
            found.append(lambda: [f"held {r.choice(('+=', '-='))} {self.part()}"])
            found.append(lambda: ["held = {s.part for s in standing}"])
        if self.has_spare:
            found.append(lambda: [f"spare = {r.choice(('none', self.const_face()))}"])
            take = ["hand += spare", "spare = none"]
            found.append(
                lambda: take if self.risky() else ["if spare != none and size(hand) < 2:", *("    " + x for x in take)]
            )
        return found

    def figure_params(self) -> list[tuple[str, str]]:
        """Parameters besides: the sort of the name, and what it ranges over."""
        found: list[tuple[str, str]] = []
        if self.has_figures:
            found += [("figure", "standing"), ("figure", "{s for s in standing}")]
        if self.has_spare:
            found += [("rotation", "rotations(spare)" if self.risky() else "{q for q in Rotation if spare != none}")]
        return found
