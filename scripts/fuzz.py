"""Feeds damaged rules files to the reader and the checker, and reports what no author should ever see.

    python scripts/fuzz.py --count 10000 --seed 1 [--jobs 2] [--seconds 10] [--keep DIR]

Each input is a mutation of an example or of a file under `tests/bad`. A fault is an exception that is not told as a
diagnostic, an input that takes longer than `--seconds`, or one that needs more than 1.5 GiB.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEMORY = 3 * 2**29


class Hang(BaseException):
    """The input takes too long; no handler of the program may catch this."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: its kind, the last lines of the traceback, the input."""

    kind: str
    where: str
    seed: int
    text: bytes


# mutations


def corpus() -> list[bytes]:
    """The texts that mutations start from."""
    files = sorted(ROOT.glob("examples/*/rules.yaml")) + sorted(ROOT.glob("tests/bad/*.yaml"))
    return [f.read_bytes() for f in files] + [s.encode() for s in SEEDS]


HEAD = "tablelaw: 1\ngame: g\ntitle: G\nplayers: 2\n"
BODY = "actions:\n  go:\n    by: turn\n    require:\n      - {id: a, check: x == x}\n    do: turn = after(turn)\n"
SEEDS = [
    HEAD + "types:\n  A: [a, b, c]\n  B: {u: {count: 2}, v: {count: 3}}\n  R: {record: {f: A, g: B}}\n  N: 0..9\n"
    "state:\n  turn: {type: Player, init: 0}\n  x: {type: 'bag[B, 9]', init: supply(B)}\n  y: {type: 'maybe[R]', init: none}\n"
    "  z: {type: 'map[A, set[N]]', init: '{1, 2}'}\n  l: {type: 'list[N, 4]', init: [1, 2]}\n"
    + BODY.replace("x == x", "'size(parts(x)) > 0 and (y == none or y.f == a) and all(n in z[k] for k in A for n in N)'"),
    HEAD + "constants: {T: [1, 2, 3], M: {a: 1}, F: 1/3}\ntypes: {A: [a, b]}\n"
    "state: {turn: {type: Player}, x: {type: 0..9, init: {any: [1, 2]}}}\n"
    + BODY
    + "    chance: {d: die(6), e: 'one_of({1: 1/2, 2: 1/2})', r: 'roll(2, A)'}\n"
    "effects:\n  e(p in Player):\n    - {id: z, when: p == turn, do: x += 1}\n",
    HEAD + "state: {turn: {type: Player}, x: {type: 0..9}}\n" + BODY + 'questions: {"q-{n}": {for: {n: 1..9}, reach: x == n}, '
    "f: {force: {who: turn, goal: x > 3}, exactly-when: can(go)}}\n"
    "scenarios: {s: {given: {x: 3}, play: [go, '...'], then: [x == 3]}}\n",
]

PIECES = [
    "0..10**9",
    "0..1099511627776",
    "map[Player, map[Player, map[Player, 0..9]]]",
    "set[set[set[Player]]]",
    "bag[Player, 10000]",
    "list[list[list[list[Player, 256], 256], 256], 256]",
    "map[0..4095, map[0..4095, bool]]",
    "maybe[maybe[Player]]",
    "9" * 4000,
    "-1",
    "1e400",
    "0x" + "f" * 99,
    "sum(1 for a in N for b in N for c in N for d in N for e in N for f in N for g in N)",
    "not " * 90 + "x",
    "(" * 150 + "1" + ")" * 150,
    " + ".join(["x"] * 300),
    "x" + "[0]" * 120,
    "-" * 400 + "1",
    " if x else ".join(["x"] * 80),
    "x" * 30000,
    "{" + ", ".join(map(str, range(3000))) + "}",
    "parts(supply(B))",
    "supply(A)",
    "999999999 * " * 300 + "1",
    "1/0",
    "x[none]",
    "none.f",
    "{n}",
    "\u202e",
    "\u2028",
    "\x00",
    "\ud7ff",
    "\U0001f600",
    "é",
    "²",
    "\t",
    "\r",
    "&a [*a]",
    "&a {b: *a}",
    "*a",
    "!!python/object:os.system x",
    "<<: *a",
    "{any: N}",
    "{any: {}}",
    "[]",
    "{}",
    "''",
    '""',
    "~",
    "null",
    "yes",
    "no",
    "|",
    ">",
    "- ",
    "? ",
    ": ",
    "# ",
    "%",
    "@",
    "`",
    "---\n",
    "...\n",
    "old(x)",
    "times('go')",
    "ended()",
    "can(go)",
    "can(go, n=1)",
    "actor",
    "who",
    "option('o')",
    "f'{x}'",
    "lambda: x",
    "[x for x in N]",
    "x := 1",
    "await x",
    "yield x",
    "x if x",
    "b'x'",
    "1.5",
    "1j",
    "...",
    "**x",
    "f(**x)",
    "f(*x)",
    "x.y.z",
    "x()()",
    "x(x)(x)",
    "x[1:2]",
    "x[1, 2]",
    "a.b(c)",
    "if x:\n  x = 1\nelse:\n  x = 2",
    "while x: x = 1",
    "x, y = 1, 2",
    "x = y = 1",
    "for x in N:\n  for y in N:\n    x += y",
    "reset()",
    "reset(x)",
    "go()",
    "include: rules.yaml",
    "include: /dev/zero",
    "include: ''",
    "include: [a, b]",
    "replaces: a",
    "excepts: a",
    "proposed: true",
    "only: {o: a}",
    "only: true",
    "only: \"option('o')\"",
    "players: 1..12",
    "players: 99999999999",
    "players: 2..²",
    "by: table",
    "by: 0",
    "for: {n: 0..99999}",
    "roll(10**6, A)",
    "die(10**9)",
    "die([])",
    "one_of({})",
    "one_of({1: 2})",
    "draw(x)",
    "abs(-x)",
    "min()",
    "max(x)",
    "size(0)",
    "size(N)",
    "after(9)",
]


def mutate(text: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """One to a few changes of a text."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        text = rng.choice(MUTATIONS)(text, pool, rng)[:400_000]
    return text


def _bytes(text: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    data = bytearray(text or b" ")
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(data))
        change = rng.randrange(4)
        if change == 0:
            data[at] = rng.randrange(256)
        elif change == 1:
            data.insert(at, rng.choice(b"{}[]:,#'\"|>-&*!?%@`\n\t \x00\\()=<.0"))
        elif change == 2 and len(data) > 1:
            del data[at : at + rng.randint(1, 8)]
        data = data or bytearray(b" ")
    return bytes(data)


def _lines(text: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(6)
    if change == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif change == 1:
        del lines[min(a, b) : min(a, b) + rng.randint(1, 6)]
    elif change == 2:
        lines[a:a] = lines[min(a, b) : min(a, b) + rng.randint(1, 12)]
    elif change == 3:
        lines[a] = b" " * rng.randint(1, 4) + lines[a]
    elif change == 4:
        lines[a] = lines[a][rng.randint(1, 4) :]
    else:
        other = rng.choice(pool).split(b"\n")
        c = rng.randrange(len(other))
        lines[a:a] = other[c : c + rng.randint(1, 12)]
    return b"\n".join(lines)


def _word(text: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """Put a piece, or a word of the text, in the place of a word."""
    words = text.split(b" ")
    at = rng.randrange(len(words))
    words[at] = rng.choice(PIECES).encode() if rng.random() < 0.7 else rng.choice(words)
    return b" ".join(words)


def _value(text: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """Put another value behind a key."""
    lines = text.split(b"\n")
    keyed = [i for i, line in enumerate(lines) if b": " in line]
    if not keyed:
        return text
    i = rng.choice(keyed)
    head = lines[i].split(b": ")[0]
    piece = rng.choice(PIECES)
    if rng.random() < 0.6:
        piece = '"' + piece.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    lines[i] = head + b": " + piece.encode("utf-8", "replace")
    return b"\n".join(lines)


def _section(text: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """Add entries that grow, to the sections that are there or as new ones."""
    for section in re.split(r"\n(?=[a-z])", rng.choice(GROWTHS)(rng)):
        head, _, rest = section.partition(":")
        key = head.encode()
        if re.search(rb"^" + key + rb":\n", text, re.M) and rest.startswith("\n"):
            text = re.sub(rb"^" + key + rb":\n", lambda m, r=rest: m[0] + r[1:].encode() + b"\n", text, count=1, flags=re.M)
        else:
            text = re.sub(rb"^" + key + rb":.*\n", b"", text, flags=re.M) + b"\n" + section.encode() + b"\n"
    return text


def _deep(rng: random.Random) -> str:
    n = rng.choice((10, 50, 70, 500, 5000))
    return "remarks: " + rng.choice(
        ("[" * n + "]" * n, "{a: " * n + "1" + "}" * n, "\n" + "".join(" " * i + "a:\n" for i in range(min(n, 500))))
    )


def _bomb(rng: random.Random) -> str:
    rows = ["constants:", "  A0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"  A{i}: &a{i} [{', '.join([f'*a{i - 1}'] * rng.randint(2, 9))}]" for i in range(1, rng.choice((3, 6, 12, 40)))]
    return "\n".join(rows)


def _defines(rng: random.Random) -> str:
    n, k = rng.choice((5, 20, 60, 200, 1500)), rng.randint(1, 4)
    op = rng.choice((" and ", " or ", " + ", " * ", " == "))
    base = rng.choice(("true", "1", "2", "x", "turn", "size(supply(A))", "old(turn)", "can(go)", "999999999"))
    rows = ["define:", f"  f0(): {base}"] + [f"  f{i}(): '{op.join([f'f{i - 1}()'] * k)}'" for i in range(1, n)]
    if rng.random() < 0.3:
        rows[1] = f"  f0(): f{n - 1}()"
    if rng.random() < 0.3:
        rows[1:] = reversed(rows[1:])
    return "\n".join(rows)


def _effects(rng: random.Random) -> str:
    n, k = rng.choice((5, 18, 25, 300)), rng.randint(1, 3)
    rows = ["effects:", "  e0(): [pass]"] + [f"  e{i}(): ['{'; '.join([f'e{i - 1}()'] * k)}']" for i in range(1, n)]
    return "\n".join(rows) + f"\nactions: {{big: {{by: 0, do: e{n - 1}()}}}}"


def _types(rng: random.Random) -> str:
    n = rng.choice((3, 10, 40, 400))
    shape = rng.choice(
        (
            "map[Player, T{}]",
            "set[T{}]",
            "maybe[T{}]",
            "list[T{}, 2]",
            "bag[T{}, 3]",
            "{{record: {{a: T{}, b: T{}}}}}",
            "[T{}, x{}]",
        )
    )
    rows = ["types:", "  T0: " + rng.choice(("0..1", "bool", "[p, q]", "0..999"))]
    rows += [
        f"  T{i}: " + (shape.format(i - 1, i - 1) if shape[0] in "{[" else '"' + shape.format(i - 1) + '"') for i in range(1, n)
    ]
    return "\n".join(rows) + f"\nstate: {{turn: {{type: Player}}, v: {{type: T{n - 1}}}}}"


def _cans(rng: random.Random) -> str:
    n, k = rng.choice((4, 15, 40, 120)), rng.randint(1, 3)
    rows = ["actions:", "  a0: {by: 0}"]
    rows += [f"  a{i}: {{by: 0, require: [{{id: c{i}, check: {' and '.join([f'can(a{i - 1})'] * k)}}}]}}" for i in range(1, n)]
    return "\n".join(rows)


def _options(rng: random.Random) -> str:
    n = rng.choice((2, 12, 60))
    rows = ["options:"] + [
        f"  o{i}: {{kind: reading, values: {rng.choice(('[a, b]', '1..9', '0..9999', '[1, 2]'))}, default: 1}}"
        for i in range(n)
    ]
    rows = [r.replace("[a, b], default: 1", "[a, b], default: a") for r in rows]
    return "\n".join(rows) + "\nconstraints: [\"option('o0') == option('o1')\"]"


def _many(rng: random.Random) -> str:
    n = rng.choice((100, 1000, 5000))
    return rng.choice(
        (
            "constants:\n" + "\n".join(f"  C{i}: C{i + 1} + 1" for i in range(n)) + f"\n  C{n}: 1",
            "types:\n" + "\n".join(f"  U{i}: 0..{i}" for i in range(n)),
            "state:\n" + "\n".join(f"  v{i}: {{type: 'map[Player, 0..9]'}}" for i in range(n)),
            "types: {E: [" + ", ".join(f"e{i}" for i in range(n)) + "]}",
            "constants: {L: [" + ", ".join(map(str, range(n * 5))) + "]}",
            'questions: {"q-{a}-{b}": {for: {a: 0..150, b: 0..150}, reach: x == a + b}}',
            "remarks:\n" + "\n".join(f"  - {{says: s{i}}}" for i in range(n)),
            "define:\n" + "\n".join(f"  d{i}(x in 0..9): x + {i}" for i in range(n)),
        )
    )


GROWTHS: list[Callable[[random.Random], str]] = [_deep, _bomb, _defines, _effects, _types, _cans, _options, _many]
MUTATIONS: list[Callable[[bytes, list[bytes], random.Random], bytes]] = [
    _bytes,
    _lines,
    _lines,
    _word,
    _value,
    _value,
    _section,
]


# running


def try_one(text: bytes, folder: Path, seconds: float) -> tuple[str, str] | None:
    """Read and check one text; the kind and place of its fault, if it has one."""
    from tablelaw.spec.core import Const
    from tablelaw.spec.diagnostics import Diagnostics, render
    from tablelaw.spec.load import check_everywhere, load
    from tablelaw.spec.questions import Reader
    from tablelaw.spec.values import Map

    path = folder / "rules.yaml"
    path.write_bytes(text)
    sink = Diagnostics()

    def alarm(*_: object) -> None:
        raise Hang

    previous = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        rules = load(str(path), sink)
        if rules is not None:
            check_everywhere(rules, sink)
            game = rules.game({}, rules.counts[0], sink)
            if game is not None:
                start = {v.name: v.init.value for v in game.variables if isinstance(v.init, Const)}
                reader = Reader(
                    game, sink, Map({n: next(iter(v)) if isinstance(v, frozenset) and v else v for n, v in start.items()})
                )
                for question in rules.document.questions.values():
                    reader.question(question)
                for scenario in rules.document.scenarios.values():
                    reader.scenario(scenario)
        for item in sink.items[:200]:
            render(item)
    except Hang:
        return "hang", _place(traceback.format_exc())
    except MemoryError:
        return "memory", _place(traceback.format_exc())
    except Exception as fault:
        return type(fault).__name__, _place(traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    return None


def _place(trace: str) -> str:
    rows = [r.strip() for r in trace.strip().split("\n")]
    files = [r for r in rows if r.startswith("File")]
    return " | ".join([*files[-3:], rows[-1]])[:600]


def inputs(count: int, seed: int) -> Iterator[tuple[int, bytes]]:
    """The inputs of a run: number k of seed s is always the same."""
    pool = corpus()
    for k in range(count):
        rng = random.Random(seed * 1_000_003 + k)
        yield k, mutate(rng.choice(pool), pool, rng)


def run(count: int, seed: int, seconds: float, first: int = 0, step: int = 1) -> tuple[list[Finding], float]:
    """Try inputs one after the other; the faults found, and the longest time that an input took."""
    findings: list[Finding] = []
    slowest = 0.0
    with tempfile.TemporaryDirectory() as name:
        for k, text in inputs(count, seed):
            if k % step != first:
                continue
            begin = time.monotonic()
            fault = try_one(text, Path(name), seconds)
            slowest = max(slowest, time.monotonic() - begin)
            if fault is not None:
                findings.append(Finding(*fault, k, text))
    return findings, slowest


def _worker(job: tuple[int, int, float, int, int]) -> tuple[list[Finding], float, int]:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    count, seed, seconds, first, step = job
    found = run(count, seed, seconds, first, step)
    return (*found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def main() -> int:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--keep", type=Path, help="folder for the inputs that fail")
    args = parser.parse_args()
    begin = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        results = pool.map(_worker, [(args.count, args.seed, args.seconds, j, args.jobs) for j in range(args.jobs)])
    findings = [f for found, _, _ in results for f in found]
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for f in findings:
        kinds.setdefault((f.kind, f.where), []).append(f)
    for (kind, where), same in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{len(same)} x {kind} (input {same[0].seed}): {where}")
        if args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            smallest = min(same, key=lambda f: len(f.text))
            (args.keep / f"{kind}-{hashlib.sha256(where.encode()).hexdigest()[:8]}.yaml").write_bytes(smallest.text)
    slowest, memory = max(s for _, s, _ in results), max(m for _, _, m in results)
    took = time.monotonic() - begin
    print(f"{args.count} inputs in {took:.0f} s, {len(findings)} faults, slowest {slowest:.1f} s, most memory {memory} MiB")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
