"""Claims as people make them at a table: a move, what it leads to, something true here, something that can or cannot come."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablelaw.solver import evaluate
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Document
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Line, Reader
from tablelaw.spec.source import Source
from tablelaw.spec.types import BOOL
from tablelaw.spec.yaml_nodes import Scalar

KINDS = {"never": "never", "always": "always", "can": "reach"}
"""The words that begin a claim about all that may follow, with the kind of question each asks."""
LONGEST_CLAIM = 20_000


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim cut into its parts. `form` is move, gives, formula, never, always or can."""

    text: str
    form: str
    moves: tuple[Scalar, ...] = ()
    formula: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """A claim as one game understands it."""

    lines: tuple[Line, ...]
    formula: Expr | None


def read_claim(text: str, doc: Document, name: str, sink: Diagnostics) -> Claim | None:
    """The parts of a claim; None (and told) where it has none."""
    source = Source(name, text)

    def piece(begin: int, end: int) -> Scalar:
        while begin < end and text[begin].isspace():
            begin += 1
        while end > begin and text[end - 1].isspace():
            end -= 1
        return Scalar(text[begin:end], "plain", source.span(begin, end), tuple(range(begin, end + 1)))

    whole = piece(0, len(text))
    if not whole.text or len(text) > LONGEST_CLAIM:
        what = "a claim is longer than anything that can be read" if whole.text else "there is no claim here"
        cure = "write a move, as `take(n=2)`, or a formula, as `turn == 0`"
        sink.error("Q109", source.span(0, min(len(text), 40)), what, help=cure)
        return None
    begin = whole.offsets[0]
    word = re.match(r"(never|always|can)(\s+|\s*:\s*)", whole.text)
    if word and not (word[1] == "can" and _asks_can(whole.text, doc)):
        rest = piece(begin + word.end(), len(text))
        if not rest.text:
            sink.error("Q109", whole.span, f"`{word[1]}` of what?", help=f"write `{word[1]} turn == 0`: a formula follows")
            return None
        return Claim(whole.text, word[1], formula=rest)
    cut = next((m for m in re.finditer(r"\bgives\b", text) if not _depth(text[: m.start()])), None)
    if cut is not None:
        moves = tuple(s for a, b in _between(text, 0, cut.start()) if (s := piece(a, b)).text)
        result = piece(cut.end(), len(text))
        if not moves or not result.text:
            sink.error(
                "Q109", source.span(cut.start(), cut.end()), "`gives` stands between a move and a formula",
                help="write `take(n=2) gives left == 3`",
            )  # fmt: skip
            return None
        return Claim(whole.text, "gives", moves, result)
    if _is_move(whole.text, doc):
        return Claim(whole.text, "move", (whole,))
    return Claim(whole.text, "formula", formula=whole)


def typed(claim: Claim, game: Game, sink: Diagnostics) -> Typed | None:
    """The claim with its moves and its formula typed; None (and told) where the game does not know what it names."""
    before = len(sink)
    reader = Reader(game, sink, evaluate.starts(game)[0])
    lines: list[Line] = []
    for scalar in claim.moves:
        line = reader.move_line(scalar)
        if line is None:
            return None
        if line.action is None:
            sink.error("Q107", line.span, "a claim is about a move that is named", help="write `take(n=2)`")
            return None
        lines.append(line)
    found: Expr | None = None
    if claim.formula is not None:
        parsed = parse_formula(claim.formula, sink)
        if parsed is None:
            return None
        target = BOOL if claim.form in KINDS else None
        found = formula(parsed, game.names, sink, reader._scope(), target, "the claim", "question")
    return None if len(sink) > before and sink.has_errors else Typed(tuple(lines), found)


def _asks_can(text: str, doc: Document) -> bool:
    """Is it the formula `can(action, …)`, blanks before its bracket?"""
    found = re.match(r"can\s*\(\s*([A-Za-z_][\w-]*)\s*[,)]", text)
    return found is not None and found[1] in doc.actions


def _is_move(text: str, doc: Document) -> bool:
    """An action with or without its arguments and a draw; or a name that is nearly an action and nothing else."""
    head = text.partition("->")[0].rstrip()
    found = re.fullmatch(r"([A-Za-z_][\w-]*)\s*(\(.*\))?(\s*\*\s*\d+)?", head, re.S)
    if found is None or (found[2] and not _one_bracket(found[2])):
        return False
    name = found[1]
    if name in doc.actions:
        return True
    known = name in doc.variables or name in doc.defines or name in doc.constants
    return bool(found[2]) and "=" in found[2].replace("==", "") and not known and did_you_mean(name, doc.actions) is not None


def _one_bracket(text: str) -> bool:
    """Does the bracket at the beginning close at the end?"""
    return all(_depth(text[:i]) > 0 for i in range(1, len(text))) and _depth(text) == 0


def _depth(text: str) -> int:
    return sum((c in "([{") - (c in ")]}") for c in text)


def _between(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """The stretches between semicolons."""
    cuts = [i for i in range(begin, end) if text[i] == ";" and not _depth(text[begin:i])]
    return list(zip([begin, *(c + 1 for c in cuts)], [*cuts, end], strict=True))
