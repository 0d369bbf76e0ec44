"""From the text of a formula or an effect to Python's syntax tree, kept to the part that a rules file may use.

The text is parsed by the standard `ast` module and never run. Everything outside the whitelist becomes a diagnostic
with a cure; `Parsed.span` turns a node's place into a place of the rules file.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import Span
from tablelaw.spec.yaml_tree import Scalar, number_too_long

LONGEST = 20_000
DEEPEST = 100

_EXPRESSIONS = (
    ast.BoolOp, ast.And, ast.Or, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.BitXor, ast.BitOr, ast.BitAnd, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.IfExp, ast.Compare,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Call, ast.keyword, ast.Constant,
    ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Set, ast.SetComp, ast.GeneratorExp, ast.comprehension,
    ast.Tuple, ast.List, ast.Dict,
)  # fmt: skip
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.If, ast.For, ast.Expr, ast.Pass)

_CURES: dict[type[ast.AST], tuple[str, str]] = {
    ast.Pow: ("`**` is not part of a formula", "write the product out"),
    ast.Lambda: ("a formula makes no functions", "name the formula under `define:`"),
    ast.ListComp: ("a list is not built in a formula", "use a comprehension inside any, all, sum, count, min or max, or a set"),
    ast.DictComp: ("a map is not built in a formula", "assign its items in a `do`"),
    ast.NamedExpr: ("`:=` is not part of a formula", "name the formula under `define:`"),
    ast.JoinedStr: ("a formula holds no texts", "use names of a type"),
    ast.Is: ("`is` is not part of a formula", "write `==`"),
    ast.IsNot: ("`is not` is not part of a formula", "write `!=`"),
    ast.Slice: ("a part of a list is not taken", "use an index"),
    ast.Starred: ("`*` before a name is not part of a formula", "write the elements out"),
    ast.While: ("`while` is not part of an effect", "use `for` over a type, set or bag"),
    ast.AnnAssign: ("a `do` declares no types", "declare the variable under `state:`"),
    ast.Return: ("a `do` returns nothing", "assign to a variable"),
    ast.Import: ("nothing is imported in a rules file", "use `include:` for another rules file"),
    ast.ImportFrom: ("nothing is imported in a rules file", "use `include:` for another rules file"),
    ast.FunctionDef: ("a `do` defines nothing", "name formulas under `define:` and clauses under `effects:`"),
    ast.Delete: ("`del` is not part of an effect", "use `-=` to take an element out"),
    ast.LShift: ("`<<` is not part of a formula", "use `+=` to add, or `*`"),
    ast.RShift: ("`>>` is not part of a formula", "use `//`"),
    ast.Invert: ("`~` is not part of a formula", "write `not`"),
    ast.MatMult: ("`@` is not part of a formula", "write the product out"),
    ast.Break: ("`break` is not part of an effect", "put a condition after `if` around the statements"),
    ast.Continue: ("`continue` is not part of an effect", "put a condition after `if` around the statements"),
    ast.Assert: ("`assert` is not part of an effect", "write a `check` under `require:`, or a question `always`"),
    ast.Raise: ("`raise` is not part of an effect", "write a `check` under `require:`"),
    ast.ClassDef: ("a `do` defines nothing", "declare records under `types:`"),
    ast.Global: ("a `do` declares nothing", "declare the variable under `state:`"),
    ast.With: ("`with` is not part of an effect", "assign to variables"),
    ast.Try: ("`try` is not part of an effect", "put a condition after `if` around the statements"),
    ast.Match: ("`match` is not part of an effect", "write `if`, `elif` and `else`"),
    ast.Await: ("`await` is not part of a formula", "leave it out"),
    ast.Yield: ("a formula makes no functions", "name the formula under `define:`"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A parsed text: a formula (`tree`) or the statements of an effect (`body`)."""

    scalar: Scalar
    text: str
    shift: int
    starts: tuple[int, ...]
    tree: ast.expr | None
    body: tuple[ast.stmt, ...]

    def span(self, node: ast.AST) -> Span:
        """Where the node stands in the rules file."""
        start = self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self._offset(getattr(node, "end_lineno", None) or 1, getattr(node, "end_col_offset", None) or 0)
        return self.scalar.place(start, max(end, start))

    def _offset(self, line: int, column: int) -> int:
        start = self.starts[min(line, len(self.starts)) - 1]
        row = self.text[start:]
        if not row.isascii():
            column = len(row.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))
        return min(max(0, start + column - self.shift), len(self.scalar.text))


def _starts(text: str) -> tuple[int, ...]:
    return (0, *(i + 1 for i, c in enumerate(text) if c == "\n"))


def parse_formula(scalar: Scalar, sink: Diagnostics) -> Parsed | None:
    """Parse a formula; None (and a diagnostic) when it is not one."""
    if not _acceptable(scalar, sink, "a formula"):
        return None
    flat = scalar.text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    hash_at = _comment(flat)
    if hash_at is not None:
        sink.error(
            "E103", scalar.place(hash_at, len(flat)), "a formula holds no comment", help="put the comment outside, after ` #`"
        )
        return None
    stripped = flat.lstrip()
    lead = len(flat) - len(stripped)
    tree = _parse(stripped, "eval", scalar, -lead, sink)
    if not isinstance(tree, ast.Expression):
        return None
    parsed = Parsed(scalar, stripped, -lead, (0,), tree.body, ())
    return parsed if _allowed(tree.body, parsed, _EXPRESSIONS, sink) else None


def parse_effects(scalar: Scalar, sink: Diagnostics) -> Parsed | None:
    """Parse the statements of a `do`; None (and a diagnostic) when it is not one."""
    if not _acceptable(scalar, sink, "an effect"):
        return None
    text = scalar.text.replace("\r", "\n")
    lead = len(text) - len(text.lstrip(" ")) if "\n" not in text.strip() else 0
    tree = _parse(text[lead:], "exec", scalar, -lead, sink)
    if not isinstance(tree, ast.Module):
        return None
    parsed = Parsed(scalar, text[lead:], -lead, _starts(text[lead:]), None, tuple(tree.body))
    ok = [_allowed(stmt, parsed, _EXPRESSIONS + _STATEMENTS, sink) for stmt in tree.body]
    return parsed if all(ok) else None


def _acceptable(scalar: Scalar, sink: Diagnostics, what: str) -> bool:
    if scalar.plain and number_too_long(scalar.text):
        # the same finding as when the file was read, unless this is a piece of a larger text
        sink.error("Y112", scalar.span, "this number is too long", help="if it is meant as a text, quote it")
        return False
    if len(scalar.text) > LONGEST:
        sink.error("E101", scalar.span, f"{what} of more than {LONGEST} characters", help="split it with `define:`")
        return False
    if not scalar.text.strip():
        sink.error("E102", scalar.span, f"{what} is missing here", help="write it, or leave the key out")
        return False
    return True


def _comment(text: str) -> int | None:
    quote = ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "#":
            return i
    return None


def _parse(text: str, mode: str, scalar: Scalar, shift: int, sink: Diagnostics) -> ast.AST | None:
    starts = _starts(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode=mode)
    except SyntaxError as fault:
        line = min(max(fault.lineno or 1, 1), len(starts))
        row = text[starts[line - 1] :].split("\n", 1)[0]
        stop = starts[line - 1] + min(max((fault.offset or len(row) + 1) - 1, 0), len(row))
        at, message, cure = _syntax(text, stop, mode, scalar)
        at = min(at - shift, len(scalar.text))
        sink.error(
            "E102", scalar.place(at, min(at + 1, len(scalar.text))), message, label="not understood from here", help=cure
        )
    except (ValueError, RecursionError, MemoryError, OverflowError):
        sink.error(
            "E101", scalar.span, "this text is nested too deeply or holds too long a number", help="split it with `define:`"
        )
    return None


_LOOKALIKES: tuple[tuple[str, str, str], ...] = (
    (r"&&", "`&&` is not part of a formula", "write `and`"),
    (r"\|\|", "`||` is not part of a formula", "write `or`"),
    (r"!(?!=)", "`!` is not part of a formula", "write `not`"),
    (r"=>|->", "an arrow is not part of a formula", "write `not a or b` for `if a, then b`"),
    (r"<>", "`<>` is not part of a formula", "write `!=`"),
    (r"=<", "`=<` is not part of a formula", "write `<=`"),
    (r"\+\+|--(?=\s*$)", "`++` and `--` are not part of an effect", "write `+= 1` or `-= 1`"),
    (r"\.\.", "a range is not part of a formula", "name the range under `types:` and use its name"),
    (r"\?", "`?` is not part of a formula", "write `x if c else y`"),
)
"""Signs that other notations use: where they stand, what is wrong, what to write."""

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def _syntax(text: str, at: int, mode: str, scalar: Scalar) -> tuple[int, str, str]:
    """Where a text stops being a formula, what is most likely wrong, and the cure; `at` is where Python stopped."""
    bare = _QUOTED.sub(lambda m: " " * len(m[0]), text)
    end = bare.find("\n", at)
    upto = bare[: end if end >= 0 else len(bare)]
    first = 0 if mode == "eval" else upto.rfind("\n") + 1
    for pattern, message, cure in _LOOKALIKES:
        found = re.search(pattern, upto[first:])
        if found:
            return first + found.start(), message, cure
    bracket = _bracket(bare)
    if bracket is not None:
        place, sign = bracket
        message = f"`{sign}` is never closed" if sign in "([{" else f"`{sign}` closes nothing"
        cure = "close it, or take it away"
        source = scalar.span.source.text
        before = source[max(0, scalar.span.start - 20) : scalar.span.start].rstrip()
        if scalar.style == "plain" and ("," in source[scalar.span.end : scalar.span.end + 1] or before.endswith(",")):
            cure = "quote the whole formula: between `{…}` or `[…]` of YAML a comma ends the text"
        return place, message, cure
    single = re.search(r"(?<![=!<>+\-*/%])=(?!=)", bare)
    if mode == "eval" and single and "(" not in bare[: single.start()]:
        return single.start(), "a formula compares with `==`; `=` assigns, in a `do` only", "write `==`"
    if re.search(r"(?<!\w)(?:if|elif|else|for)\b[^:\n]*$", upto[first:]) and mode == "exec":
        return at, "this is not an effect", "a line that begins with `if`, `elif`, `else` or `for` ends with `:`"
    if mode == "eval" and re.match(r"\s*if\b", bare):
        return 0, "a formula does not begin with `if`", "write `x if c else y`"
    if mode == "eval" and at >= len(bare.rstrip()):
        return at, "this formula ends too early", "write what follows its last word"
    return at, "this is not a formula" if mode == "eval" else "this is not an effect", "formulas follow Python's grammar"


def _bracket(bare: str) -> tuple[int, str] | None:
    """The first bracket that closes nothing, or the last that is left open."""
    opened: list[tuple[int, str]] = []
    for i, c in enumerate(bare):
        if c in "([{":
            opened.append((i, c))
        elif c in ")]}":
            if not opened or opened[-1][1] != _BRACKETS[c]:
                return i, c
            opened.pop()
    return opened[-1] if opened else None


def _fraction(number: float) -> str:
    shown = Fraction(repr(number)) if number == number and abs(number) < 1e9 else None
    return f"write it as a fraction, `{shown}`" if shown is not None else "write it as a fraction, such as `1/4`"


def _allowed(root: ast.AST, parsed: Parsed, allowed: tuple[type[ast.AST], ...], sink: Diagnostics) -> bool:
    """Walk without recursion; report each node that is not allowed, and too deep nesting."""
    ok = True
    stack: list[tuple[ast.AST, ast.AST, int]] = [(root, root, 0)]
    while stack:
        node, near, depth = stack.pop()
        place = node if hasattr(node, "lineno") else near
        if depth > DEEPEST:
            sink.error("E101", parsed.scalar.span, "this text is nested too deeply", help="split it with `define:`")
            return False
        if not isinstance(node, allowed):
            message, cure = _CURES.get(type(node), ("this is not part of the language of rules", "see `tablelaw explain E103`"))
            sink.error("E103", parsed.span(place), message, help=cure)
            ok = False
            continue
        if isinstance(node, ast.Constant) and not isinstance(node.value, (int, str, bool)) and node.value is not None:
            cure = _fraction(node.value) if isinstance(node.value, float) else "use numbers and names"
            what = (
                "a number with a decimal point is not used here"
                if isinstance(node.value, float)
                else "this is not a number or name of the game"
            )
            sink.error("E103", parsed.span(place), what, help=cure)
            ok = False
        if isinstance(node, ast.Call) and not isinstance(node.func, ast.Name):
            sink.error("E103", parsed.span(place), "only a plain name is called", help="use a built-in or a `define:`")
            ok = False
            continue
        if isinstance(node, (ast.keyword, ast.Dict)) and (
            node.arg is None if isinstance(node, ast.keyword) else None in node.keys
        ):
            sink.error("E103", parsed.span(place), "`**` is not part of a formula", help="write the arguments out")
            ok = False
        if isinstance(node, ast.For) and node.orelse:
            sink.error("E103", parsed.span(place), "`for` has no `else` here", help="write the statements after the loop")
            ok = False
        if isinstance(node, ast.comprehension) and node.is_async:
            sink.error("E103", parsed.span(place), "`async` is not part of a formula", help="leave it out")
            ok = False
        stack.extend((child, place, depth + 1) for child in ast.iter_child_nodes(node))
    return ok
