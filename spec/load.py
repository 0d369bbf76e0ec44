"""Reads rules files: YAML, includes put together, forms looked at, the document built."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from tablelaw.spec.check import Checker, check, player_counts
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics
from tablelaw.spec.document import Builder, Document, elements
from tablelaw.spec.forms import RULES, validate
from tablelaw.spec.game import Game
from tablelaw.spec.names import LARGEST_GAME
from tablelaw.spec.settings import LeftOpen, Setting, broken, defaults
from tablelaw.spec.source import Source, read_source
from tablelaw.spec.yaml_nodes import Entry, Mapping, Node, Scalar, Sequence, parse_yaml

MOST_FILES = 50
MOST_SETTINGS = 100
MOST_VALUES = 24
_WHOLE = {"types", "constants", "define", "effects", "questions", "scenarios"}
"""Where an entry is not put together from two files: it stands in one of them."""
_OWN = {"game", "title", "tablelaw", "players", "says", "include"}


@dataclass(slots=True)
class Rules:
    """A rules file that could be read: its document and the hash of all its text."""

    path: str
    document: Document
    digest: str
    counts: range
    sources: tuple[Source, ...] = ()
    """The file and all that it includes, in the order in which they were read."""

    def game(
        self,
        setting: Setting,
        players: int,
        sink: Diagnostics,
        adopted: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> Game | None:
        """The checked game under a setting (options left out at their defaults).

        `adopted`: ids of proposed clauses taken in force; `without`: ids of clauses taken out.
        """
        whole = {**defaults(self.document), **setting}
        place = broken(self.document, whole, players, sink)
        if place is not None:
            asked = ", ".join(f"{k}={v}" for k, v in whole.items())
            sink.error("Q302", place, "these options do not go together", notes=(asked,), help="choose other values")
            return None
        game = check(self.document, whole, players, sink, None, adopted, without)
        return None if game is None else replace(game, digest=self.digest)

    def open_game(
        self,
        settings: list[Setting],
        players: int,
        adopted: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> Game | None:
        """One game for several settings, their options left open; None where an option must be known before play."""
        quiet = Diagnostics()
        try:
            game = check(self.document, settings[0], players, quiet, settings, adopted, without)
        except LeftOpen:
            return None
        return None if game is None or quiet.has_errors else replace(game, digest=self.digest)


class _Loader:
    def __init__(self, sink: Diagnostics) -> None:
        self.sink = sink
        self.sources: list[Source] = []
        self.seen: set[Path] = set()
        self.broken = False  # whether a file could not be read, so that what it declares is not known

    def tree(self, path: Path, shown: str, above: tuple[Path, ...], asked: Scalar | None) -> Mapping | None:
        """The nodes of a file with those it includes before it."""
        source = read_source(path)
        if isinstance(source, Diagnostic):
            self.broken = True
            self.sink.add(replace(source, span=asked.span) if asked is not None and source.span is None else source)
            return None
        source = Source(shown, source.text)
        self.sources.append(source)
        node = parse_yaml(source, self.sink)
        if node is None:
            self.broken = True
            return None
        if not isinstance(node, Mapping):
            self.sink.error("S203", node.span, "a rules file is keys with values", help="begin with `tablelaw: 1`")
            return None
        validate(node, RULES, self.sink, part=True)
        merged: Mapping | None = None
        here = (*above, path.resolve())
        for item in elements(node.get("include")):
            if not isinstance(item, Scalar) or not item.text.strip():
                continue
            part = self._included(item, path, shown, here)
            if part is not None:
                merged = part if merged is None else self._merge(merged, part, ())
        return node if merged is None else self._merge(merged, node, ())

    def _included(self, item: Scalar, path: Path, shown: str, here: tuple[Path, ...]) -> Mapping | None:
        """The nodes of an included file; nothing when another file has included it before."""
        other = path.parent / item.text.strip()
        try:
            real = other.resolve()
            special = other.exists() and not other.is_file()
        except (OSError, RuntimeError, ValueError):
            self.broken = True
            self.sink.error(
                "Y101",
                item.span,
                f"`{item.text[:60]}` cannot be read",
                help="write the path of a rules file, from the folder of this one",
            )
            return None
        if special:
            self.broken = True
            self.sink.error("Y101", item.span, f"`{item.text[:60]}` is no file", help="name a file, such as `base.yaml`")
            return None
        if real in here:
            circle = " → ".join(p.name for p in (*here[here.index(real) :], other))
            self.sink.error(
                "S303", item.span, "this file includes itself", label="include in a circle", help=f"the circle is {circle}"
            )
            return None
        if real in self.seen:
            return None
        if len(self.sources) >= MOST_FILES:
            self.sink.error("S303", item.span, f"more than {MOST_FILES} files are included", help="put some of them together")
            return None
        self.seen.add(real)
        return self.tree(other, str(Path(shown).parent / item.text.strip()), here, item)

    def _merge(self, base: Mapping, over: Mapping, path: tuple[str, ...]) -> Mapping:
        entries = {e.key.text: e for e in base.entries}
        for e in over.entries:
            old = entries.get(e.key.text)
            if old is None or (not path and e.key.text in _OWN):
                entries[e.key.text] = e
            else:
                entries[e.key.text] = Entry(e.key, self._join(old, e, (*path, e.key.text)))
        return Mapping(tuple(entries.values()), over.span, False)

    def _join(self, old: Entry, new: Entry, path: tuple[str, ...]) -> Node:
        a, b = old.value, new.value
        if isinstance(b, Mapping) and len(path) == 2 and (said := b.get("replaces")) is not None:
            if isinstance(said, Scalar) and said.text.strip() == path[1].partition("(")[0].strip():
                return Mapping(tuple(e for e in b.entries if e.key.text != "replaces"), b.span, b.flow)
        if path[0] in _WHOLE and len(path) == 2 and not _grows(path, a, b):
            self._twice(new, old)
            return b
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            return self._merge(a, b, path)
        if path[-1] in ("do", "cite") or isinstance(a, Sequence) or isinstance(b, Sequence):
            return Sequence((*elements(a), *elements(b)), b.span, False)
        if isinstance(a, Scalar) and isinstance(b, Scalar) and (a.text == b.text or path[-1] == "says"):
            return b
        if len(path) >= 2 and path[0] == "options" and path[-1] == "default":
            return b
        self._twice(new, old)
        return b

    def _twice(self, new: Entry, old: Entry) -> None:
        place = f"first in {old.key.span.source.name}, line {old.key.span.line}"
        self.sink.error(
            "S301",
            new.key.span,
            f"`{new.key.text}` stands twice",
            notes=(place,),
            help="give it once, or say `replaces:` in the later one",
        )


def _grows(path: tuple[str, ...], a: Node, b: Node) -> bool:
    """Are they names of one enumeration, to which a later file adds some, or clauses that replace some of an effect?"""
    if path[0] == "effects" and isinstance(a, Sequence) and isinstance(b, Sequence):
        return all(isinstance(x, Mapping) and x.get("replaces") is not None for x in b.items)
    named = all(isinstance(x, Mapping) and x.get("record") is None for x in (a, b))
    return path[0] == "types" and (named or (isinstance(a, Sequence) and isinstance(b, Sequence)))


def load(path: str, sink: Diagnostics) -> Rules | None:
    """Read a rules file (or the `rules.yaml` of a folder); every fault goes to the sink."""
    file = Path(path)
    if file.is_dir():
        file, path = file / "rules.yaml", str(Path(path) / "rules.yaml")
    loader = _Loader(sink)
    root = loader.tree(file, path, (), None)
    if root is None or loader.broken:  # without a part of the rules, everything that it declares would seem unknown
        return None
    validate(root, RULES, sink)  # what is missing shows only when all files are put together
    version = root.get("tablelaw")
    if isinstance(version, Scalar) and version.value != 1:
        sink.error(
            "S207", version.span, f"this is `tablelaw: {version.text}`; version 1 is read here", help="write `tablelaw: 1`"
        )
    doc = Builder(sink).build(root)
    counts = player_counts(doc, sink)
    if counts is None:
        return None
    digest = hashlib.sha256("\0".join(s.text for s in loader.sources).encode()).hexdigest()[:16]
    return Rules(path, doc, digest, counts, tuple(loader.sources))


def check_everywhere(rules: Rules, sink: Diagnostics) -> None:
    """Check the document under its defaults and with each option at each other value, so that no fault hides.

    Each is checked once more with all proposed clauses in force. Of options with many values some are taken, and of very
    many options the first: a game is checked once more under the very setting that it is asked about.
    """
    doc, fewest = rules.document, rules.counts[0]
    quiet = Diagnostics()
    base = defaults(doc)
    place = broken(doc, base, fewest, sink)
    if place is not None:
        sink.error("Q302", place, "the defaults of the options do not go together", help="change a default, or the constraint")
    proposed = frozenset(c.id for c in doc.every_clause() if c.proposed)
    none: frozenset[str] = frozenset()
    asked = [(base, fewest, none)]
    if len(rules.counts) > 1:
        asked.append((base, rules.counts[-1], none))
    if proposed:
        asked.append((base, fewest, proposed))
    for option in doc.options.values():
        values = [v.name for v in option.values if v.name != option.default]
        if option.kind == "study" or len(values) > MOST_VALUES:
            values = values[:1] + values[-1:]
        for name in dict.fromkeys(values):
            asked += [({**base, option.id: name}, fewest, adopted) for adopted in dict.fromkeys((none, proposed))]
    spent = 0
    for setting, players, adopted in asked[:MOST_SETTINGS]:
        if setting is base or broken(doc, setting, players, quiet) is None:
            checker = Checker(doc, setting, players, sink, adopted)
            checker.game()
            spent += checker.names.spent
        if spent > LARGEST_GAME // 2:
            break
