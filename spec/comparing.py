"""What `same` and `clarifies` name: two option settings, and clauses."""

from __future__ import annotations

from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Question, elements, items, text
from tablelaw.spec.game import Game
from tablelaw.spec.settings import Setting, broken, read_setting
from tablelaw.spec.yaml_nodes import Node, Scalar, Sequence

WORDS = ("entailed", "refines", "conflicts", "fills-gap")
"""What proposed clauses may do to the rules."""
RELATIONS = ("equal", "left", "right", "neither")
"""How the plays of two settings relate."""


def setting_pair(q: Question, game: Game, sink: Diagnostics) -> tuple[Setting, ...]:
    """The two settings of a question `same`; none where one cannot be (the sink says so)."""
    node = q.node.get("same")
    nodes = elements(node) if isinstance(node, Sequence) else []
    if len(nodes) != 2:
        sink.error(
            "Q103",
            node.span if node is not None else q.span,
            f"`same` compares two settings, not {len(nodes)}",
            help="write `same: [{option: value}, {option: other}]`",
        )
        return ()
    found = []
    for n in nodes:
        before = len(sink)
        setting: Setting = {}
        for key, value in items(n):
            span = value.span if key.text in game.document.options else key.span
            setting |= read_setting(game.document, [(key.text, text(value))], sink, span)
        if len(sink) == before and not _together(game, setting, n, sink):
            return ()
        found.append(setting)
    return tuple(found) if not sink.has_errors else ()


def _together(game: Game, setting: Setting, node: Node, sink: Diagnostics) -> bool:
    """Do these options go together with the others of the question?"""
    quiet = Diagnostics()
    whole = {**game.setting, **setting}
    if broken(game.document, whole, game.players, quiet) is None:
        return True
    told = ", ".join(f"{k}={v}" for k, v in whole.items())
    sink.error("Q302", node.span, "these options do not go together", notes=(told,), help="choose other values")
    return False


def clause_ids(q: Question, key: str, game: Game, sink: Diagnostics) -> tuple[str, ...]:
    """The clauses that a question names; unknown ones and remarks go to the sink."""
    return tuple(n.text for n in elements(q.node.get(key)) if isinstance(n, Scalar) and known_clause(n.text, game, sink, n))


def known_clause(name: str, game: Game, sink: Diagnostics, node: Node | None = None) -> bool:
    """Is this the id of a clause that decides something?"""
    span = node.span if node is not None else None
    known = game.document.clauses()
    if name in known:
        return True
    if any(c.id == name for c in game.document.remarks):
        sink.error("Q106", span, f"`{name}` is a remark and decides nothing", help="name a clause with a formal part")
        return False
    near = did_you_mean(name, known)
    cure = f"did you mean `{near}`?" if near else "`tablelaw list` shows the clauses"
    sink.error("Q106", span, f"no clause is called `{name}`", help=cure)
    return False
