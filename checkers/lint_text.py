"""What the text of a rules file alone shows: names that nothing uses, clauses without a source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tablelaw.spec.diagnostics import Diagnostic, did_you_mean
from tablelaw.spec.document import Clause, Document
from tablelaw.spec.expressions import Parsed
from tablelaw.spec.source import Span
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence

WORD = re.compile(r"[^\W\d][\w-]*")
_PROSE = {"says", "cite", "for"}


def words(text: str) -> set[str]:
    """The names in a text; `a-b` counts as itself, as `a` and as `b`."""
    found = set(WORD.findall(text))
    return found | {part for w in found for part in w.split("-")}


class _Uses:
    """Which texts mention which names; a text belongs to the declaration that it is part of, or to play (None)."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        self.texts: list[tuple[str | None, set[str]]] = []
        self.read: set[str] = set()
        self.written: set[str] = set()
        for name, (_, node) in doc.types.items():
            self._node(name, node)
        for name, (_, node) in doc.constants.items():
            self._node(name, node)
        for d in doc.defines.values():
            self._params(d.name, d.params)
            self._formula(d.name, d.formula)
        for d in doc.effects.values():
            self._params(d.name, d.params)
            for c in d.clauses:
                self._clause(d.name, c)
        for v in doc.variables.values():
            self._text(None, v.type.text)
            self._node(None, v.init)
        self._play()
        for q in doc.questions.values():
            self._node(None, q.node)
        for s in doc.scenarios.values():
            self._node(None, s.node)

    def _play(self) -> None:
        doc = self.doc
        for p in doc.constraints:
            self._formula(None, p)
        for o in doc.options.values():
            for only in (o.only, *(v.only for v in o.values)):
                self._formula(None, only.formula if only else None)
        if doc.players is not None:
            self._text(None, doc.players.text)
        self._node(None, doc.pieces)
        for a in doc.actions.values():
            for formula in (a.by, a.during, *(d for _, d in a.chance)):
                self._formula(None, formula)
            for _, domain in a.params:
                self._text(None, domain.text)
                self.read |= words(domain.text)
            for c in (a.clause, *a.require, *a.do):
                self._clause(None, c)
        for c in doc.ends:
            self._clause(None, c)

    def _text(self, owner: str | None, text: str) -> None:
        self.texts.append((owner, words(text)))

    def _params(self, owner: str, params: tuple[tuple[str, Scalar, int, int], ...]) -> None:
        for _, key, start, end in params:
            self._text(owner, key.text[start:end])

    def _node(self, owner: str | None, node: Node | None, given: bool = False) -> None:
        if isinstance(node, Scalar):
            self._text(owner, node.text)
            self.read |= words(node.text)
        elif isinstance(node, Sequence):
            for n in node.items:
                self._node(owner, n, given)
        elif isinstance(node, Mapping):
            for e in node.entries:
                if e.key.text in _PROSE and not given:
                    continue
                self._text(owner, e.key.text)
                if not given:
                    self.read |= words(e.key.text)
                self._node(owner, e.value, given or e.key.text == "given")

    def _clause(self, owner: str | None, c: Clause) -> None:
        for p in (c.check, c.when, c.winners, *(o.formula for o in c.only)):
            self._formula(owner, p)
        if c.do is not None:
            self._text(owner, c.do.scalar.text)
            for s in c.do.body:
                self._statement(s)

    def _formula(self, owner: str | None, p: Parsed | None) -> None:
        if p is not None:
            self._text(owner, p.scalar.text)
            self.read |= words(p.scalar.text)

    def _statement(self, s: ast.stmt) -> None:
        """What a statement reads, and the variables it writes; a variable that only its own change reads is not read."""
        match s:
            case ast.Assign() | ast.AugAssign():
                targets = s.targets if isinstance(s, ast.Assign) else [s.target]
                roots = {name for t in targets if (name := _root(t))}
                self.written |= roots
                found = {n.id for part in (*targets, s.value) for n in ast.walk(part) if isinstance(n, ast.Name)}
                self.read |= found - roots
            case ast.If(test, body, orelse):
                self._names(test)
                for inner in (*body, *orelse):
                    self._statement(inner)
            case ast.For(_, domain, body):
                self._names(domain)
                for inner in body:
                    self._statement(inner)
            case ast.Expr(ast.Call(ast.Name("reset"), args)):
                self.written |= {a.id for a in args if isinstance(a, ast.Name)}
            case _:
                self._names(s)

    def _names(self, node: ast.AST) -> None:
        self.read |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}

    def live(self) -> set[str]:
        """Every name that play, a question or a scenario uses, directly or by way of declarations that are used."""
        members = {name: _members(node) for name, (_, node) in self.doc.types.items()}
        alive: set[str] = set()
        while True:
            found = {w for owner, ws in self.texts if owner is None or owner in alive for w in ws}
            found |= {name for name, values in members.items() if values & found}
            if found <= alive:
                return alive
            alive |= found


def _root(t: ast.expr) -> str | None:
    while isinstance(t, (ast.Subscript, ast.Attribute)):
        t = t.value
    return t.id if isinstance(t, ast.Name) else None


def _members(node: Node) -> set[str]:
    """The names that a type lists."""
    return {w for n in node.items if isinstance(n, Scalar) for w in words(n.text)} if isinstance(node, Sequence) else set()


def unused(doc: Document) -> Iterator[Diagnostic]:
    """Definitions, types, constants and lists of clauses that nothing uses; variables that nothing reads or changes."""
    uses = _Uses(doc)
    alive = uses.live()
    declared: list[tuple[str, str, Span]] = [
        *(("type", name, key.span) for name, (key, _) in doc.types.items()),
        *(("constant", name, key.span) for name, (key, _) in doc.constants.items()),
        *(("definition", d.name, d.span) for d in doc.defines.values()),
        *(("list of clauses", d.name, d.span) for d in doc.effects.values()),
    ]
    for what, name, span in declared:
        if name not in alive:
            near = did_you_mean(name, alive)
            cure = "use it, or take it away"
            note = (f"`{near}` is nearly the same and is used",) if near else ()
            yield Diagnostic("L107", "warning", f"{what} `{name}` is never used", span, notes=note, help=cure)
    for v in doc.variables.values():
        if v.name not in uses.read:
            cure = "let a rule or a question read it, or take it away"
            yield Diagnostic("L107", "warning", f"variable `{v.name}` is never read", v.span, help=cure)
        elif v.name not in uses.written and not _many_starts(v.init):
            cure = "change it in a `do`, or make it a constant"
            yield Diagnostic("L107", "warning", f"variable `{v.name}` never changes", v.span, help=cure)


def _many_starts(init: Node | None) -> bool:
    return init is None or (isinstance(init, Mapping) and init.keys() == ("any",))


def without_source(doc: Document) -> Iterator[Diagnostic]:
    """Clauses that cite nothing, where the game names its sources and most clauses cite them."""
    every = list(doc.clauses().values())
    if not doc.sources or 2 * sum(1 for c in every if c.cite) <= len(every):
        return
    variants = {o.id for o in doc.options.values() if o.kind == "variant"}
    inner = {a.clause.id: a.do for a in doc.actions.values()}
    usual = {o.id: o.default for o in doc.options.values() if o.kind == "study"}
    for c in every:
        own = any(key.text in variants for only in c.only for key, _ in only.settings)
        told = [d for d in inner.get(c.id, ()) if not d.plain]
        # what a study alone brings in is no rule of the book: its option is set so in no play that the book speaks of
        settings = [(key.text, {v.text for v in values}) for only in c.only for key, values in only.settings]
        studied = any(name in usual and usual[name] not in values for name, values in settings)
        if c.cite or own or studied or c.proposed or (told and all(d.cite for d in told)):
            continue
        cure = "add `cite: source#place`; for a rule of your own, make it the clause of an option of the kind `variant`"
        yield Diagnostic("L108", "warning", f"clause `{c.id}` cites no source", c.span, help=cure)


def unknown_sources(doc: Document) -> Iterator[Diagnostic]:
    """Citations of a source that the game does not name."""
    if not doc.sources:
        return
    cited = [(c.id or "a remark", c.cite, c.span) for c in (*doc.every_clause(), *doc.remarks)]
    cited += [(q.id, q.cite, q.span) for q in doc.questions.values()]
    cited += [(s.id, s.cite, s.span) for s in doc.scenarios.values()]
    cited += list(_of_pieces(doc))
    told: set[tuple[str, str]] = set()
    for name, places, span in cited:
        for place in places:
            source = place.partition("#")[0]
            if source not in doc.sources and (name, source) not in told:
                told.add((name, source))
                near = did_you_mean(source, doc.sources)
                cure = f"did you mean `{near}`?" if near else "name it under `sources:`"
                yield Diagnostic(
                    "L109", "warning", f"`{name}` cites `{place}`, and no source is called `{source}`", span, help=cure
                )


def _of_pieces(doc: Document) -> Iterator[tuple[str, tuple[str, ...], Span]]:
    """What pieces, their kinds of part and their faces cite."""
    for pieces in doc.pieces.entries if doc.pieces is not None else ():
        whole = pieces.value
        if not isinstance(whole, Mapping):
            continue
        yield from _cites(pieces.key.text, whole)
        for group in ("parts", "faces"):
            inner = whole.get(group)
            for e in inner.entries if isinstance(inner, Mapping) else ():
                for node in e.value.items if isinstance(e.value, Sequence) else (e.value,):
                    yield from _cites(e.key.text, node)


def _cites(name: str, node: Node | None) -> Iterator[tuple[str, tuple[str, ...], Span]]:
    found = node.get("cite") if isinstance(node, Mapping) else None
    for cite in found.items if isinstance(found, Sequence) else (found,):
        if isinstance(cite, Scalar):
            yield name, (cite.text,), cite.span
