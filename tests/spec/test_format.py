"""The canonical form of a rules file: nothing is lost, nothing changes its meaning, and doing it twice changes nothing."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablelaw.spec.commented import read_commented
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.format import WIDTH, format_text
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence, parse_yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/rules.yaml"))
HEAD = "tablelaw: 1\ngame: x\ntitle: X\nplayers: 2\n"


def read(text: str) -> Mapping:
    """Read a text without errors."""
    sink = Diagnostics()
    node = parse_yaml(Source("rules.yaml", text), sink)
    assert [render(item) for item in sink] == []
    assert isinstance(node, Mapping)
    return node


def meaning(node: Node) -> object:
    """Turn nodes into what they say, the order of keys left out."""
    if isinstance(node, Scalar):
        return (type(node.value), node.value)
    if isinstance(node, Sequence):
        return [meaning(item) for item in node.items]
    return {(type(entry.key.value), entry.key.text): meaning(entry.value) for entry in node.entries}


def formatted(text: str) -> str:
    """Format a text, and hold the result to everything that always holds."""
    sink = Diagnostics()
    result = format_text(Source("rules.yaml", text), sink)
    assert [render(item) for item in sink] == []
    assert result is not None
    assert result.endswith("\n")
    assert not result.endswith("\n\n")
    assert not result.startswith("\n")
    assert meaning(read(result)) == meaning(read(text))
    assert comments(result) == comments(text)
    assert format_text(Source("rules.yaml", result), sink) == result
    same_texts(read(result), yaml.safe_load(result))
    return result


def comments(text: str) -> int:
    """Count the comments of a text."""
    return read_commented(Source("rules.yaml", text)).count


def same_texts(node: Node, value: object) -> None:
    """Hold a reader of YAML 1.1 to every text that we read."""
    if isinstance(node, Scalar):
        assert not isinstance(node.value, str) or value == node.value
    elif isinstance(node, Sequence):
        assert isinstance(value, list)
        for item, inner in zip(node.items, value, strict=True):
            same_texts(item, inner)
    else:
        assert isinstance(value, dict)
        for entry, (key, inner) in zip(node.entries, value.items(), strict=True):
            same_texts(entry.key, key)
            same_texts(entry.value, inner)


def body(text: str) -> str:
    """Format a text below the head of a small game, and give what comes below it."""
    result = formatted(HEAD + text)
    assert result.startswith(HEAD)
    return result[len(HEAD) :].lstrip("\n")


# what it does


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.parent.name for path in EXAMPLES])
def test_examples_keep_their_meaning(path: Path) -> None:
    """Every example can be formatted, and no line of the result is longer than it has to be.

    A fraction with many digits is one word, which no formatter can fold.
    """
    result = formatted(path.read_text("utf-8"))
    long = [row for row in result.splitlines() if len(row) > WIDTH and "#" not in row]
    assert [row for row in long if not re.fullmatch(r" *is: \d+/\d+", row)] == []


def test_keys_stand_in_the_order_of_the_forms() -> None:
    """Fixed keys are put in order at each level; free ones keep the order of the author."""
    text = """\
actions:
  roll:
    do: pot += 1
    by: turn
    require:
      - check: pot > 0
        says: Something.
        id: some
  hold: {do: pot = 0, by: turn}
  pass: {by: turn}
state:
  turn: {init: 0, type: Player}
  pot:
    type: 0..9
"""
    assert (
        body(text)
        == """\
state:
  turn: {type: Player, init: 0}
  pot:
    type: 0..9

actions:
  roll:
    by: turn
    require:
      - id: some
        says: Something.
        check: pot > 0
    do: pot += 1

  hold: {by: turn, do: pot = 0}
  pass: {by: turn}
"""
    )


def test_unknown_keys_come_last() -> None:
    """A key that the form does not know is kept, below the others."""
    assert formatted("colour: red\nplayers: 2\ngame: x\n") == "game: x\nplayers: 2\ncolour: red\n"


def test_comments_move_with_what_they_are_about() -> None:
    """Comments above, beside, at the head and at the end of a block keep their places."""
    text = """\
# The rules of X.
# Second line.

game: x   # its name
# about the version
tablelaw: 1
state: # what is kept
  # about pot
  pot: {type: 0..9}    # how much
  # about nothing more
# about players
players: 2
# the end
"""
    assert (
        formatted(text)
        == """\
# The rules of X.
# Second line.

# about the version
tablelaw: 1
game: x   # its name
# about players
players: 2

state:  # what is kept
  # about pot
  pot: {type: 0..9}    # how much
  # about nothing more
# the end
"""
    )


def test_comments_inside_brackets_open_them() -> None:
    """A list in brackets that holds a comment is written on lines of its own."""
    text = "types:\n  F: [ # two\n  a, # first\n  # above b\n  b # last\n  # none\n  ]\n"
    assert body(text) == "types:\n  F:   # two\n    - a  # first\n    # above b\n    - b  # last\n    # none\n"


def test_comments_stay_in_the_block_that_their_column_shows() -> None:
    """A comment below a block belongs to it if it is indented like it, else to what comes next."""
    text = """\
types:
  A: 0..1
    # deeper than anything
constants:
  B:
    - 1
    # of the list
  # of the constants
  C: 2
 # of the state
state:
  a: {type: A}
"""
    assert (
        body(text)
        == """\
types:
  A: 0..1
  # deeper than anything

constants:
  B:
    - 1
    # of the list
  # of the constants
  C: 2

# of the state
state:
  a: {type: A}
"""
    )


def test_comments_beside_a_dash_go_above_it() -> None:
    """Where no line has room for a comment it stands on the line above."""
    text = "end:\n  - # about it\n    when: a # true\n    # the name\n    id: over\n"
    assert body(text) == "end:\n  # about it\n  # the name\n  - id: over\n    when: a  # true\n"


def test_comments_keep_their_column_where_there_is_room() -> None:
    """Comments that the author has put below each other stay so."""
    text = "constants:\n  A: 1          # one\n  LONGER: 2     # two\n  B: 'c'        # three\n"
    assert body(text) == "constants:\n  A: 1          # one\n  LONGER: 2     # two\n  B: c          # three\n"


def test_a_comment_at_the_head_of_a_block_scalar_stays_there() -> None:
    """`|` may have a comment beside it; what begins with `#` below it is part of the text."""
    text = "actions:\n  a:\n    do: | # effects\n      x = 1\n      # no comment\n      y = 2\n    by: turn\n"
    assert body(text) == "actions:\n  a:\n    by: turn\n    do: |  # effects\n      x = 1\n      # no comment\n      y = 2\n"


def test_empty_lines() -> None:
    """One empty line of the author is kept, more become one, and one parts sections and actions."""
    text = "actions:\n\n  a:\n    by: turn\n  b:\n    by: turn\n\n\n    do: x = 1\nconstants: {A: 1}\ntypes: {B: 0..1}\n\n\n"
    assert (
        body(text)
        == """\
types: {B: 0..1}
constants: {A: 1}

actions:
  a:
    by: turn

  b:
    by: turn

    do: x = 1
"""
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"a b"', "a b"),
        ("'a b'", "a b"),
        ("'a: b'", '"a: b"'),
        ("'a #b'", '"a #b"'),
        ("'a#b'", "a#b"),
        ("'- a'", '"- a"'),
        ("'-a'", "-a"),
        ("'{p for p in Player}'", '"{p for p in Player}"'),
        ("'map[K, V]'", "map[K, V]"),
        ("'is it so?'", "is it so?"),
        ("'1'", '"1"'),
        ("1", "1"),
        ("'0.5'", '"0.5"'),
        ("'true'", '"true"'),
        ("no", '"no"'),
        ("1_000", '"1_000"'),
        ("2004-01-01", '"2004-01-01"'),
        ("''", '""'),
        ("", ""),
        ("~", "~"),
        ("'say \"x\"'", 'say "x"'),
        ("'\"x\" is said'", "'\"x\" is said'"),
        ('"a\\tb"', '"a\\tb"'),
        ("' a'", '" a"'),
        ("'a:'", '"a:"'),
        ("'*'", '"*"'),
        ("a\n    b", "a b"),
        ("|-\n    a", "a"),
        ("|\n    a", "|\n    a"),
        ('"a\\nb\\n"', "|\n    a\n    b"),
        ('"  a\\nb"', "|2-\n      a\n    b"),
        (">-\n    a\n    b", "a b"),
        (">\n    a\n\n    b", ">\n    a\n\n    b"),
    ],
)
def test_scalars_in_a_block(before: str, after: str) -> None:
    """Quotes stand only where some reader needs them, and blocks only where the text has lines."""
    assert body(f"constants:\n  A: {before}\n").removeprefix("constants:\n  A:").strip() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"a, b"', '"a, b"'),
        ('"a b"', "a b"),
        ('"f(x)"', "f(x)"),
        ('"x[0]"', '"x[0]"'),
        ('"why?"', '"why?"'),
        ('"-1 + x"', '"-1 + x"'),
        ('"x - 1"', "x - 1"),
        ("-1", "-1"),
        ('"{a}"', '"{a}"'),
    ],
)
def test_scalars_in_brackets(before: str, after: str) -> None:
    """Inside brackets more has to be quoted."""
    assert body(f"constants: {{A: {before}}}\n") == f"constants: {{A: {after}}}\n"


def test_long_brackets_are_opened() -> None:
    """What the author wrote in brackets stays so as long as one line holds it."""
    names = [f"name_{n:02}" for n in range(20)]
    assert body(f"types:\n  T: [{', '.join(names)}]\n") == "types:\n  T:\n" + "".join(f"    - {name}\n" for name in names)
    assert body(f"types:\n  T: [{', '.join(names[:10])}]\n") == f"types:\n  T: [{', '.join(names[:10])}]\n"


def test_long_texts_are_folded() -> None:
    """A long text on one line is folded; one that is folded already keeps its lines."""
    words = " ".join(f"word{n}" for n in range(40))
    result = formatted(f"says: {words}\n")
    assert result.startswith("says: >-\n  word0 word1")
    assert all(len(row) <= WIDTH for row in result.splitlines())
    own = f"says: >-\n  {words[:59]}\n  {words[60:]}\n"
    assert formatted(own) == own


def test_aliases_are_unfolded() -> None:
    """An alias may not stand before what it repeats, so the value is written out; its comments stay with the first."""
    text = """\
state:
  a: &v {type: 0..1} # one
  b: *v # two
constants:
  T: &t # names
    - p # first
    - q
  C: *t # again
"""
    assert (
        body(text)
        == """\
constants:
  T:    # names
    - p  # first
    - q
  C:    # again
    - p
    - q

state:
  a: {type: 0..1}    # one
  b: {type: 0..1}  # two
"""
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("game: &a # one\n  x\ntitle: *a # two\n", "game: x  # one\ntitle: x  # two\n"),
        ("%YAML 1.2 # one\n--- # two\ngame: x\n... # three\n# four\n", "# one\n# two\ngame: x\n# three\n# four\n"),
        ("? # one\n  game # two\n: # three\n  x # four\n", "# one\n# two\n# three\ngame: x  # four\n"),
        ("{game: x, # one\n# two\n title: y} # three\n", "game: x  # one\n# two\ntitle: y  # three\n"),
        ("end:\n- when: x\n-\n  # one\n  when: y\n", "end:\n  - when: x\n  # one\n  - when: y\n"),
        (
            "end: # one\n- # two\n  - a\n  # three\n  - # four\n    - b\n",
            "end:  # one\n  # two\n  - - a\n    # three\n    # four\n    - - b\n",
        ),
        ("constants: [ # one\n] # two\n", "# one\nconstants: []  # two\n"),
        ("constants:\n  a:\n    # one\n    1\n", "constants:\n  # one\n  a: 1\n"),
        ("title: x\n\n# one\n\ngame: y\n", "# one\n\ngame: y\ntitle: x\n"),
    ],
)
def test_comments_in_odd_places(before: str, after: str) -> None:
    """Wherever YAML lets a comment stand it is kept, on the line above if its own place is gone."""
    assert re.sub(r" +#", " #", formatted(before)) == re.sub(r" +#", " #", after)
    assert formatted(before).count("#") == before.count("#")


def test_line_breaks_and_byte_order_marks() -> None:
    """Lines end in one way, and no mark stands at the beginning."""
    assert formatted("\ufeffgame: x # a\r\ntitle: y\r\n") == "game: x  # a\ntitle: y\n"


def test_long_keys() -> None:
    """A key too long for YAML to see its colon is written with a question mark."""
    key = "f(" + ", ".join(f"x{n} in Player" for n in range(100)) + ")"
    assert body(f"define:\n  ? {key}\n  : x1\n") == f"define:\n  ? {key}\n  : x1\n"


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "a: [1\n", "a: 1\na: 2\n", "a: !x 1\n", "- a\n", "word\n", "a: {b: c, d e}\n"]
)
def test_texts_with_errors_are_left_alone(text: str) -> None:
    """What cannot be read is not formatted, and the reason is told."""
    sink = Diagnostics()
    assert format_text(Source("rules.yaml", text), sink) is None
    assert sink.has_errors


# anything


class Scrambler:
    """Writes nodes in another way: other order of keys, other styles, comments and empty lines here and there."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.made = 0

    def some(self, share: float) -> bool:
        """Throw a coin."""
        return self.chance.random() < share

    def comment(self) -> str:
        """Make a comment that no other equals."""
        self.made += 1
        return f"# c{self.made}: {self.chance.choice(['x', 'a: b', '- a', '{', '# d', '|'])}"

    def beside(self, share: float = 0.15) -> str:
        """Make a comment for the end of a line, or none."""
        return " " * self.chance.randint(1, 30) + self.comment() if self.some(share) else ""

    def above(self, indent: int) -> list[str]:
        """Make lines that stand above something."""
        rows = []
        while self.some(0.2):
            rows.append("" if self.some(0.4) else " " * max(0, indent + self.chance.choice([0, 0, -1])) + self.comment())
        return rows

    def word(self, node: Scalar, flow: bool) -> str:
        """Write a scalar on one line."""
        if not isinstance(node.value, str):
            return node.text
        if node.plain and self.some(0.7) and not (flow and set(node.text) & set(",[]{}?:#")) and "\n" not in node.text:
            return node.text if not (flow and node.text[0] in "-") else json.dumps(node.text)
        if self.some(0.5) and "\n" not in node.text:
            return "'" + node.text.replace("'", "''") + "'"
        return json.dumps(node.text, ensure_ascii=False)

    def lines(self, node: Scalar, indent: int) -> list[str]:
        """Write a scalar with the lines that follow it."""
        text = node.text
        if "\n" in text.rstrip("\n") and self.some(0.8) and not text.endswith("\n\n") and text[0] not in " \n":
            mark = "|" if text.endswith("\n") else "|-"
            return [mark + self.beside(), *(" " * indent + row if row else "" for row in text.removesuffix("\n").split("\n"))]
        return [self.word(node, False) + self.beside()]

    def flow(self, node: Node, indent: int) -> str:
        """Write a value in brackets, perhaps on several lines."""
        if isinstance(node, Scalar):
            return self.word(node, True)
        entries = [("", item) for item in node.items] if isinstance(node, Sequence) else self.order(node)
        inside = ""
        for number, (key, value) in enumerate(entries):
            inside += ", " if number else ""
            inside += self.around(indent) + (f"{key}: " if key else "") + self.flow(value, indent) + self.around(indent, 0.03)
        return "{" + inside + "}" if isinstance(node, Mapping) else "[" + inside + "]"

    def around(self, indent: int, share: float = 0.06) -> str:
        """Make a break between two values in brackets, perhaps with comments."""
        if not self.some(share):
            return ""
        rows = [self.beside(0.3), *([self.comment()] if self.some(0.3) else []), ""]
        return ("\n" + " " * indent).join(rows)

    def order(self, node: Mapping) -> list[tuple[str, Node]]:
        """Give the entries in some order."""
        entries = [(self.word(entry.key, True), entry.value) for entry in node.entries]
        if self.some(0.5):
            self.chance.shuffle(entries)
        return entries

    def block(self, node: Node, indent: int) -> list[str]:
        """Write a mapping or list on lines of its own."""
        assert not isinstance(node, Scalar)
        rows: list[str] = []
        space = " " * indent
        if isinstance(node, Mapping):
            for key, value in self.order(node):
                rows += self.above(indent)
                rows += self.under(f"{space}{key}:", value, indent, self.chance.choice([1, 2, 4]), isinstance(value, Sequence))
        else:
            for item in node.items:
                rows += self.above(indent)
                if not isinstance(item, Scalar) and self.opens(item) and self.some(0.8):
                    inner = self.block(item, indent + 2)
                    if inner[0].startswith(space + "  ") and inner[0][indent + 2] not in " #":
                        rows += [space + "- " + inner[0][indent + 2 :], *inner[1:]]
                    else:
                        rows += [space + "-", *inner]
                else:
                    rows += self.under(space + "-", item, indent, 2, False)
        return rows + (self.above(indent) if self.some(0.3) else [])

    def opens(self, node: Node) -> bool:
        """Say whether a value can be written on lines of its own."""
        return bool(node.items) if isinstance(node, Sequence) else isinstance(node, Mapping) and bool(node.entries)

    def under(self, lead: str, value: Node, indent: int, step: int, indentless: bool) -> list[str]:
        """Write a value behind or below its key or dash."""
        if isinstance(value, Scalar):
            if not value.text and value.plain:
                return [lead + self.beside()]
            head, *rest = self.lines(value, indent + step)
            return [f"{lead} {head}", *rest]
        if not self.opens(value) or (self.some(0.3 if not value.flow else 0.6) and flat(value)):
            return [f"{lead} {self.flow(value, indent + step)}{self.beside()}"]
        deeper = indent if indentless and self.some(0.3) else indent + step
        return [lead + self.beside(), *self.block(value, deeper)]


def flat(node: Node) -> bool:
    """Say whether everything in a value can be written in brackets."""
    if isinstance(node, Scalar):
        return bool(node.text) or not node.plain
    return all(flat(item) for item in (node.items if isinstance(node, Sequence) else [entry.value for entry in node.entries]))


ENTRIES = [entry for path in EXAMPLES for entry in read(path.read_text("utf-8")).entries]


def scramble(seed: int, longest: int) -> None:
    """Write a few sections of the examples in some other way, and format that."""
    chance = random.Random(seed)
    scrambler = Scrambler(chance)
    found = {entry.key.text: entry for entry in chance.sample(ENTRIES, 5) if len(entry.span.text) < longest}
    if not found:
        return
    root = Mapping(tuple(found.values()), next(iter(found.values())).span, False)
    text = "\n".join(scrambler.block(root, 0)) + "\n"
    assert meaning(read(text)) == meaning(root)
    result = formatted(text)
    assert [number for number in range(1, scrambler.made + 1) if result.count(f"# c{number}:") != 1] == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_scrambled_rules_are_put_in_order(seed: int) -> None:
    """Whatever way rules are written in, nothing is lost and the result is canonical."""
    scramble(seed, 2500)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_long_scrambled_rules_are_put_in_order(seed: int) -> None:
    """The same of longer texts, and of more of them."""
    scramble(seed, 10_000)


TREES = st.recursive(
    st.one_of(
        st.text(st.sampled_from("ab :#-?,[]{}'\"\n\t\\&*!|>%@`é1.0_~=<"), max_size=12),
        st.integers(-9, 99),
        st.booleans(),
        st.none(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text("ab: #-?{,'\"1", max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.text("abc-:", min_size=1, max_size=4), TREES, min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from([None, '"', "'", "|", ">"]),
)
def test_any_value_keeps_its_meaning(tree: dict[str, object], flow: bool, style: str | None) -> None:
    """Texts of any characters, as another writer of YAML puts them, say the same after formatting."""
    text = yaml.safe_dump(tree, default_flow_style=flow, default_style=style, allow_unicode=True, sort_keys=False)
    formatted(re.sub(r"!!\w+ ", "", text))
