"""Option settings: which there are, which a person asked for, and what exists under one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tablelaw.spec.core import Const, Expr, Op, Var
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Document, Only
from tablelaw.spec.formulas import formula, static_value
from tablelaw.spec.names import Names, open_variable
from tablelaw.spec.source import Span
from tablelaw.spec.types import BOOL, Bool, SetOf

Setting = dict[str, str]
MOST_SETTINGS = 4096


def defaults(doc: Document) -> Setting:
    """Every option at its default."""
    return {o.id: o.default for o in doc.options.values()}


def names_for(doc: Document, setting: Setting, players: int) -> Names:
    """The names that formulas on options may use."""
    numeric = {o.id: o.numeric for o in doc.options.values()}
    values = {o.id: o.names for o in doc.options.values()}
    return Names(players, setting, numeric, values, declared=tuple(doc.constants), faulty=set(doc.faulty))


class LeftOpen(Exception):
    """Whether a thing exists depends on an option that is left open."""


def condition(only: Only, names: Names, doc: Document, sink: Diagnostics) -> bool | Expr:
    """When a thing with this `only` exists: yes, no, or a formula on the options left open."""
    if only.formula is not None and names.open:
        found = formula(only.formula, names, sink, {}, BOOL, "`only`", "rule")
        return bool(found.value) if isinstance(found, Const) else found
    if not any(key.text in names.open for key, _ in only.settings):
        return holds(only, names, doc, sink)
    parts: list[Expr] = []
    for key, values in only.settings:
        if key.text not in names.open:
            if names.setting.get(key.text) not in [v.text for v in values]:
                return False
            continue
        kind = names.variables[open_variable(key.text)]
        option = Var(open_variable(key.text), type=kind)
        wanted = frozenset(int(v.text) if names.numeric[key.text] else v.text for v in values)
        parts.append(Op("in", (option, Const(wanted, type=SetOf(kind))), type=BOOL))
    return parts[0] if len(parts) == 1 else Op("and", tuple(parts), type=BOOL)


def holds(only: Only | None, names: Names, doc: Document, sink: Diagnostics) -> bool:
    """Does a thing with this `only` exist under the setting? Raises `LeftOpen`."""
    if only is None:
        return True
    if names.open and (only.formula is not None or any(key.text in names.open for key, _ in only.settings)):
        raise LeftOpen
    if only.formula is not None:
        found = static_value(only.formula, names, sink, "`only`")
        if found is None:
            return True
        if not isinstance(found.type, Bool):
            sink.error(
                "T101", only.formula.scalar.span, "`only` must be true or false", help="compare with `option('…') == '…'`"
            )
            return True
        return bool(found.value)
    result = True
    for key, values in only.settings:
        option = doc.options.get(key.text)
        if option is None and key.text in doc.faulty:
            continue
        if option is None:
            near = did_you_mean(key.text, doc.options)
            sink.error(
                "R209",
                key.span,
                f"no option is called `{key.text}`",
                help=f"did you mean `{near}`?" if near else "declare it under `options:`",
            )
            continue
        allowed = names.option_values[key.text]
        for v in values:
            if v.text not in allowed:
                near = did_you_mean(v.text, allowed)
                cure = f"did you mean `{near}`?" if near else "one of " + ", ".join(allowed[:12])
                sink.error("R206", v.span, f"`{v.text}` is not a value of option `{key.text}`", help=cure)
        result = result and names.setting[key.text] in [v.text for v in values]
    return result


def broken(doc: Document, setting: Setting, players: int, sink: Diagnostics) -> Span | None:
    """The constraint (or value with an `only`) that the setting breaks."""
    names = names_for(doc, setting, players)
    for rule in doc.constraints:
        found = static_value(rule, names, sink, "a constraint")
        if found is not None and not isinstance(found.type, Bool):
            cure = "compare with `option('…') == '…'`"
            sink.error("T101", rule.scalar.span, "a constraint must be true or false", help=cure)
        elif found is not None and not found.value:
            return rule.scalar.span
    for option in doc.options.values():
        for v in option.values:
            if v.only is not None and v.name == setting[option.id] and not holds(v.only, names, doc, sink):
                return v.span
    return None


def _settings(doc: Document, ids: list[str], base: Setting, players: int) -> Iterator[Setting]:
    seen: set[tuple[tuple[str, str], ...]] = set()
    quiet = Diagnostics()
    for values in itertools.islice(itertools.product(*([v.name for v in doc.options[i].values] for i in ids)), MOST_SETTINGS):
        setting = {**base, **dict(zip(ids, values, strict=True))}
        names = names_for(doc, setting, players)
        for i in ids:
            if not holds(doc.options[i].only, names, doc, quiet):
                setting[i] = doc.options[i].default
        key = tuple(setting.items())
        if key not in seen and broken(doc, setting, players, quiet) is None:
            seen.add(key)
            yield setting


def every_setting(doc: Document, fixed: Setting, players: int) -> list[Setting]:
    """All combinations of options that the constraints allow, `study` options and those in `fixed` kept."""
    free = [o.id for o in doc.options.values() if o.kind != "study" and o.id not in fixed]
    return list(_settings(doc, free, {**defaults(doc), **fixed}, players))


def varied(doc: Document, ids: list[str], base: Setting, players: int) -> list[Setting]:
    """The settings that differ from a base in these options only."""
    return list(_settings(doc, ids, base, players))


def read_setting(doc: Document, pairs: list[tuple[str, str]], sink: Diagnostics, span: Span | None = None) -> Setting:
    """Settings as a person writes them, `id=value`; faults go to the sink."""
    found: Setting = {}
    for name, value in pairs:
        option = doc.options.get(name)
        if option is None:
            near = did_you_mean(name, doc.options)
            known = "its options are " + ", ".join(doc.options) if doc.options else "this game has no options"
            sink.error("R209", span, f"no option is called `{name}`", help=f"did you mean `{near}`?" if near else known)
            continue
        allowed = [v.name for v in option.values]
        if value not in allowed:
            near = did_you_mean(value, allowed)
            cure = f"did you mean `{near}`?" if near else "one of " + ", ".join(allowed[:12])
            sink.error("R206", span, f"`{value}` is not a value of option `{name}`", help=cure)
            continue
        if found.get(name, value) != value:
            message = f"option `{name}` is set to `{found[name]}` and to `{value}`"
            sink.error("Q301", span, message, help="set it once")
            continue
        found[name] = value
    return found
