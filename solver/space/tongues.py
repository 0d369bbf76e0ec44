"""How generated code is written in Python and in C: the same statements, the same whole numbers.

In Python a packed state is one number `s`. In C it is words of 64 bits, `s0`, `s1`, …, and successors go into a buffer
(`native/search.c`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tablelaw.solver.ir import BIG, Term
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.images import image_text, image_words
from tablelaw.solver.space.pack import Packing

BINARY = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "eq": "==", "lt": "<", "le": "<="}
WORD = 64


class Python:
    """Source in Python; blocks by indentation."""

    def __init__(self, pack: Packing, prefix: str = "") -> None:
        self.pack = pack
        self.prefix = prefix  # of tables: several functions may stand in one text
        self.lines: list[str] = []
        self.tables: dict[tuple[int, ...], str] = {}
        self.one = ""

    # statements

    def stand_for(self, among: Sequence[tuple[int, ...]]) -> None:
        """Of the images of a successor under these the smallest stands for it: a function before all others."""
        if among:
            self.one = f"{self.prefix}one"
            images = ", ".join(image_text(self.pack, moved) for moved in among)
            self.lines += [f"def {self.one}(s):", f"    return min(s, {images})"]

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def begin(self, heading: str) -> None:
        """A function: `successors(s, out)`."""
        self.line(0, f"def {heading}:")

    def let(self, indent: int, name: str, text: str) -> None:
        self.line(indent, f"{name} = {text}")

    def when(self, indent: int, tests: Sequence[str]) -> None:
        """What follows, one level in, happens where all hold."""
        self.line(indent, "if " + " and ".join(tests) + ":")

    def otherwise(self, indent: int) -> None:
        self.line(indent, "else:")

    def loop(self, indent: int, name: str, least: str, most: str) -> None:
        self.line(indent, f"for {name} in range({least}, {most} + 1):")

    def part(self, indent: int, title: str) -> int:
        """The names that follow are its own; returns the level they stand on."""
        self.line(indent, f"# {title}")
        return indent

    def count(self, indent: int) -> None:
        """Choices are counted from here."""
        self.line(indent, "c = 0")

    def tag(self, indent: int, mover: str) -> None:
        """The next choice, and who makes it."""
        self.line(indent, "c += 1")
        self.line(indent, f"g = c << 5 | {mover}")

    def leave(self, indent: int) -> None:
        self.line(indent, "return")

    def leave_where_any(self, indent: int) -> None:
        self.line(indent, "if out: return")

    def give(self, indent: int, text: str) -> None:
        self.line(indent, f"return {text}")

    # terms

    def number(self, n: int) -> str:
        return str(n) if n >= 0 else f"({n})"

    def field(self, source: str, slot: int) -> str:
        """A slot's number in a packed state."""
        shift, mask, low = self.pack.shifts[slot], self.pack.masks[slot], self.pack.lows[slot]
        value = f"{source} >> {shift} & {mask}" if shift else f"{source} & {mask}"
        return f"({value}) + {low}" if low else value

    def term(self, t: Term, a: Sequence[str]) -> str:
        """A term of the terms whose texts are given."""
        match t.op:
            case "not":
                return f"(not {a[0]})"
            case "and":
                return "(" + " and ".join(a) + ")"
            case "or":
                return "(" + " or ".join(a) + ")"
            case "ite":
                return f"({a[1]} if {a[0]} else {a[2]})"
            case "floordiv" | "mod":
                sign = "//" if t.op == "floordiv" else "%"
                zero = t.args[1].lo <= 0 <= t.args[1].hi
                return f"({a[0]} {sign} {a[1]} if {a[1]} else 0)" if zero else f"({a[0]} {sign} {a[1]})"
        return f"({a[0]} {BINARY[t.op]} {a[1]})"

    def looked_up(self, numbers: tuple[int, ...], index: str) -> str:
        """One of some constants."""
        return f"{self.tables.setdefault(numbers, f'{self.prefix}K{len(self.tables)}')}[{index}]"

    def chosen(self, items: Sequence[str], index: str, lo: int) -> str:
        """One of some texts; the first stands for index `lo`."""
        return "(" + ", ".join(items) + f")[{index} - {lo}]" if lo else "(" + ", ".join(items) + f")[{index}]"

    def field_at(self, source: str, slots: Sequence[int], index: str, lo: int) -> str:
        """The number of one of some slots of the same kind."""
        mask, low = self.pack.masks[slots[0]], self.pack.lows[slots[0]]
        shift = self.looked_up(tuple(self.pack.shifts[i] for i in slots), f"{index} - {lo}" if lo else index)
        value = f"({source} >> {shift} & {mask})"
        return f"({value} + {low})" if low else value

    def source(self) -> str:
        """All of it, tables first."""
        return "\n".join([f"{name} = {table!r}" for table, name in self.tables.items()] + self.lines) + "\n"

    # successors

    def fault(self, indent: int, tagged: bool, weighed: bool) -> None:
        """A step that has a fault."""
        self.line(indent, f"out += {_fault(tagged, weighed)}")

    def broken(self, indent: int, tagged: bool, weighed: bool) -> None:
        """The position has a fault and no step at all."""
        self.line(indent, f"out[:] = {_fault(tagged, weighed)}")
        self.leave(indent)

    def successor(self, indent: int, changes: Sequence[tuple[int, str, str]], tag: str | None, weight: str | None) -> None:
        """The state with some slots changed: slot, old and new number."""
        sums = ["s"]
        for slot, old, new in changes:
            shift = self.pack.shifts[slot]
            sums.append(f"(({new} - {old}) << {shift})" if shift else f"({new} - {old})")
        if tag is not None:
            self.line(indent, f"out.append({tag})")
        whole = " + ".join(sums)
        self.line(indent, f"out.append({self.one}({whole}))" if self.one else f"out.append({whole})")
        if weight is not None:
            self.line(indent, f"out.append({weight})")


def _fault(tagged: bool, weighed: bool) -> str:
    return "(0, -1, 0)" if weighed else "(0, -1)" if tagged else "(-1,)"


class C(Python):
    """Source in C; raises `Unlowerable` where a number may not fit into a word."""

    def __init__(self, pack: Packing, prefix: str) -> None:
        super().__init__(pack, prefix)
        if max(pack.masks, default=0) >= BIG:
            raise Unlowerable("a number may be too large for a word")
        self.words = max(1, -(-pack.bits // WORD))
        self.open: list[int] = []

    def line(self, indent: int, text: str) -> None:
        while self.open and indent <= self.open[-1]:
            self.lines.append("    " * self.open.pop() + "}")
        self.lines.append("    " * indent + text)

    def stand_for(self, among: Sequence[tuple[int, ...]]) -> None:
        if not among:
            return
        self.one = f"{self.prefix}_one"
        names = range(self.words)
        self.lines.append(f"static inline void {self.one}(u64 *s) {{")
        self.lines.append("    u64 " + ", ".join(f"s{k} = s[{k}], b{k} = s{k}" for k in names) + ";")
        for moved in among:
            less = "0"
            for k in names:  # the last word matters most
                less = f"t{k} < b{k}" if less == "0" else f"t{k} < b{k} || (t{k} == b{k} && ({less}))"
            self.lines += ["    {", *self._image(moved), f"        const int less = {less};"]
            self.lines += [*(f"        b{k} = less ? t{k} : b{k};" for k in names), "    }"]
        self.lines += [*(f"    s[{k}] = b{k};" for k in names), "}"]

    def _image(self, moved: tuple[int, ...]) -> list[str]:
        """Statements that put an image into `t0`, `t1`, …"""
        return [f"        const u64 t{k} = {text};" for k, text in enumerate(image_words(self.pack, moved, self.words))]

    def count_images(self, among: Sequence[tuple[int, ...]]) -> None:
        """A function that tells how many images a state has, itself one of them."""
        names = range(self.words)
        self.lines.append(f"static u64 {self.prefix}_images(const u64 *s) {{")
        self.lines.append("    const u64 " + ", ".join(f"s{k} = s[{k}]" for k in names) + ";")
        self.lines.append("    u64 still = 1;")  # of a group: all, divided by how many change nothing
        for moved in among:
            alike = " & ".join(f"(t{k} == s{k})" for k in names)
            self.lines += ["    {", *self._image(moved), f"        still += {alike};", "    }"]
        self.lines += [f"    return {len(among) + 1} / still;", "}"]

    def _block(self, indent: int, text: str) -> None:
        self.line(indent, text + " {")
        self.open.append(indent)

    def begin(self, heading: str) -> None:
        """A function: `static void successors(const u64 *s, Out *out)`; states it is given are taken apart into words."""
        self._block(0, heading)
        for name in ("s", "n"):
            if f"const u64 *{name}" in heading:
                words = ", ".join(f"{name}{k} = {name}[{k}]" for k in range(self.words))
                self.line(1, f"const u64 {words};")

    def let(self, indent: int, name: str, text: str) -> None:
        self.line(indent, f"const i64 {name} = {text};")

    def when(self, indent: int, tests: Sequence[str]) -> None:
        self._block(indent, "if (" + " && ".join(tests) + ")")

    def otherwise(self, indent: int) -> None:
        self._block(indent, "else")

    def loop(self, indent: int, name: str, least: str, most: str) -> None:
        self._block(indent, f"for (i64 {name} = {least}, {name}_most = {most}; {name} <= {name}_most; {name}++)")

    def part(self, indent: int, title: str) -> int:
        self._block(indent, "")
        return indent + 1

    def count(self, indent: int) -> None:
        self.line(indent, "u32 c = 0;")

    def tag(self, indent: int, mover: str) -> None:
        self.line(indent, f"const u32 g = ++c << 5 | (u32)({mover});")

    def leave(self, indent: int) -> None:
        self.line(indent, "return;")

    def leave_where_any(self, indent: int) -> None:
        self.line(indent, "if (out->count + out->faults) return;")

    def give(self, indent: int, text: str) -> None:
        self.line(indent, f"return {text};")

    def number(self, n: int) -> str:
        if abs(n) >= BIG:
            raise Unlowerable("a number may be too large for a word")
        return f"{n}LL" if n >= 0 else f"({n}LL)"

    def field(self, source: str, slot: int) -> str:
        shift, mask, low = self.pack.shifts[slot], self.pack.masks[slot], self.pack.lows[slot]
        word, at = divmod(shift, WORD)
        value = f"{source}{word} >> {at}" if at else f"{source}{word}"
        if at + mask.bit_length() > WORD:
            value = f"({value} | {source}{word + 1} << {WORD - at})"
        value = f"(i64)({value} & {mask}ULL)"
        return f"{value} + {self.number(low)}" if low else value

    def term(self, t: Term, a: Sequence[str]) -> str:
        if t.unbounded:
            raise Unlowerable("a number may be too large for a word")
        match t.op:
            case "not":
                return f"(!{a[0]})"
            case "and":
                return "(" + " && ".join(a) + ")"
            case "or":
                return "(" + " || ".join(a) + ")"
            case "ite":
                return f"({a[0]} ? {a[1]} : {a[2]})"
            case "floordiv" | "mod":
                x, y = t.args
                if x.lo >= 0 and y.lo > 0:
                    return f"({a[0]} {'/' if t.op == 'floordiv' else '%'} {a[1]})"
                return f"{'quotient' if t.op == 'floordiv' else 'remainder_of'}({a[0]}, {a[1]})"
        return f"({a[0]} {BINARY[t.op]} {a[1]})"

    def chosen(self, items: Sequence[str], index: str, lo: int) -> str:
        *early, last = items
        if not early:
            return f"({last})"
        # the index stands once, however long it is (a block with a value, as gcc and clang have it)
        chain = "".join(f"at == {lo + k} ? {x} : " for k, x in enumerate(early))
        return f"({{ const i64 at = {index}; {chain}{last}; }})"

    def field_at(self, source: str, slots: Sequence[int], index: str, lo: int) -> str:
        shifts = [self.pack.shifts[i] for i in slots]
        mask, low = self.pack.masks[slots[0]], self.pack.lows[slots[0]]
        if any(at % WORD + mask.bit_length() > WORD for at in shifts):
            return self.chosen([f"({self.field(source, i)})" for i in slots], index, lo)
        at = f"{index} - {lo}" if lo else index
        words = {s // WORD for s in shifts}
        word = (
            f"{source}{words.pop()}" if len(words) == 1 else f"{source}[{self.looked_up(tuple(s // WORD for s in shifts), at)}]"
        )
        value = f"(i64)({word} >> {self.looked_up(tuple(s % WORD for s in shifts), at)} & {mask}ULL)"
        return f"({value} + {self.number(low)})" if low else value

    def source(self) -> str:
        self.line(0, "")
        rows = [f"static const i64 {name}[] = {{{', '.join(map(self.number, table))}}};" for table, name in self.tables.items()]
        return "\n".join([*rows, *self.lines]) + "\n"

    def fault(self, indent: int, tagged: bool, weighed: bool) -> None:
        self.line(indent, "out->faults++;")

    def broken(self, indent: int, tagged: bool, weighed: bool) -> None:
        self.line(indent, "out->count = 0, out->faults = 1;")
        self.leave(indent)

    def successor(self, indent: int, changes: Sequence[tuple[int, str, str]], tag: str | None, weight: str | None) -> None:
        sums: list[list[str]] = [[f"s{k}"] for k in range(self.words)]
        later: list[str] = []
        for slot, old, new in changes:
            word, at = divmod(self.pack.shifts[slot], WORD)
            mask, low = self.pack.masks[slot], self.pack.lows[slot]
            if at + mask.bit_length() <= WORD:
                sums[word].append(f"((u64)({new} - {old}) << {at})" if at else f"(u64)({new} - {old})")
                continue
            value, upper = f"(u64)({new} - {self.number(low)})", WORD - at
            later.append(f"to[{word}] = (to[{word}] & {(1 << at) - 1}ULL) | {value} << {at};")
            later.append(f"to[{word + 1}] = (to[{word + 1}] & ~{mask >> upper}ULL) | {value} >> {upper};")
        tagging = f", {tag}" if tag is not None else ""
        kind = "weighed_" if weight is not None else "tagged_" if tagging else ""
        told = tagging + (f", {weight}" if weight is not None else "")
        self._block(indent, f"for (u64 *to = {kind}room(out{told}); to; to = 0)")
        for k, texts in enumerate(sums):
            self.line(indent + 1, f"to[{k}] = {' + '.join(texts)};")
        for text in later:
            self.line(indent + 1, text)
        if self.one:
            self.line(indent + 1, f"{self.one}(to);")
