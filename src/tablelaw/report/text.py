"""Answers as a person reads them in a terminal of 80 columns: the answer first, then what shows it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterable
from fractions import Fraction

from tablelaw.checkers.explain import Why
from tablelaw.checkers.result import Result
from tablelaw.report import comparing
from tablelaw.report.board import before_the_last_piece, boards, named
from tablelaw.report.policy import policy_text
from tablelaw.solver.account import Entry
from tablelaw.solver.evaluate import starts
from tablelaw.solver.reduce.telling import IMAGES, MATTER
from tablelaw.solver.trace import Trace, change_texts, draw_text, move_text, position_json, step_text
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game

KNOWN = {
    "proved": "proved for any number of steps",
    "exhausted": "by looking at all of them",
    "bounded": "within a bound",
}


LONGEST_RECORD, HEAD, TAIL = 36, 16, 12
MATTERING = ("terminates", "force", "always-after", "odds", "expected")
SHOWN = ("holds", "fails", "conflicts", "refines", "fills-gap")
DIGITS = 9
LONGEST_FRACTION = 70
# Between these parts of what an option is given, white space means nothing: moves; JSON outside its strings.
PARTS = {"--moves": re.compile(r"[^ ;][^;]*;?"), "--at": re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^ "])+')}


def width() -> int:
    """Columns to write in: the terminal's, 60 to 100."""
    return max(60, min(100, shutil.get_terminal_size((80, 24)).columns))


def wrap(text: str, indent: str, first: str | None = None) -> str:
    """A paragraph, indented."""
    return textwrap.fill(
        text, width(), initial_indent=indent if first is None else first, subsequent_indent=indent, break_on_hyphens=False
    )


def replay(words: list[str]) -> str:
    """A command to paste into a shell: a line ends in `\\` between words, or where white space means nothing to the word."""
    lines, line = [], "    replay:"
    for before, word in zip(["", *words], words, strict=False):
        quoted = shlex.quote(word)
        for k, part in enumerate(PARTS[before].findall(quoted) if before in PARTS else [quoted]):
            if len(line) + len(part) + len("  \\") > width() and line != "    replay:":
                lines.append(line + (" \\" if k == 0 else ""))
                line = " " * 6 + part
            else:
                line += " " + part
    return "\n".join([*lines, line])


def cited(game: Game | None, clause: str) -> str:
    """`three-rolls (es#desarrollo-3)`: a clause with its first places."""
    entry = game.clauses.get(clause) if game is not None else None
    if entry is None or not entry.cite:
        return clause
    more = "" if len(entry.cite) <= 2 else ", …"
    return f"{clause} ({', '.join(entry.cite[:2])}{more})"


def setting_text(result: Result, defaults: dict[str, str], many_players: bool) -> str:
    """What distinguishes this answer: options off their defaults and, where it can vary, the number of players."""
    parts = [f"{k}={v}" for k, v in result.options.items() if defaults.get(k) != v]
    if many_players:
        parts.insert(0, f"{result.players} players")
    return ", ".join(parts)


def how_known(result: Result) -> str:
    """How an answer is known, in words."""
    v = result.verdict
    if v.verdict == "unknown":
        return v.reason or "not decided"
    if v.trace is not None and v.verdict in SHOWN and result.kind not in ("force", "scenario"):
        return "shown by the play below" if len(v.trace.steps) > 1 else "shown by the position below"
    if v.bound and v.known_by in ("exhausted", "proved") and result.kind in ("some-layout", "every-layout", "count"):
        return f"over {v.bound}" if "layouts" in v.bound else v.bound
    if result.kind == "force" and v.bound and not v.bound.startswith("all "):
        return v.bound
    if v.known_by == "exhausted":
        images = f" ({IMAGES})" if (v.bound or "").endswith(IMAGES) else ""
        return _looked_at(v.states, result.kind in MATTERING or MATTER in (v.bound or "")) + images
    if result.kind == "scenario":
        return "replayed"
    if v.known_by == "bounded":
        return f"within {v.bound}"
    if v.known_by == "sampled":
        return f"in {v.bound} at random, and known of no others"
    return KNOWN.get(v.known_by or "", v.known_by or "")


def _looked_at(states: int | None, mattering: bool) -> str:
    """That all positions were looked at, and how many they were."""
    if not states:
        return "all positions were looked at"
    if states == 1:
        return f"the only {'position that matters' if mattering else 'reachable position'} was looked at"
    return f"all {states:,} {'positions that matter' if mattering else 'reachable positions'} were looked at"


def figure(v: Verdict) -> str:
    """A fraction with its decimals, or between which figures it lies."""
    if v.interval is not None:
        low, high = (Fraction(x) * 10**DIGITS for x in v.interval)
        return f"from {_decimal(low.__floor__())} to {_decimal(high.__ceil__())}"  # outwards, so that it lies between them
    assert v.value is not None
    if len(v.value) > LONGEST_FRACTION:
        digits = len(v.value) - 1
        return f"about {float(Fraction(v.value)):.12g} (exact, a fraction of {digits:,} digits: `--json` has it)"
    return f"{v.value} (about {float(Fraction(v.value)):.6g})"


def value_text(v: Verdict) -> str:
    """A value as it is printed: a whole number as it is, a fraction with its decimals."""
    return figure(v) if v.value is None or "/" in v.value else v.value


def _decimal(n: int) -> str:
    """So many parts of 10**-9."""
    whole, parts = divmod(abs(n), 10**DIGITS)
    return f"{'-' if n < 0 else ''}{whole}.{parts:0{DIGITS}}"


def headline(result: Result, defaults: dict[str, str], many_players: bool) -> str:
    """The first line of an answer: question, verdict, how it is known."""
    v = result.verdict
    answer = value_text(v) if v.verdict == "value" else v.verdict
    mark = {True: "", False: "  ← NOT AS EXPECTED", None: ""}[result.as_expected]
    if result.as_expected is False:
        mark += f" (expected: {result.expected or 'holds'})"
    setting = setting_text(result, defaults, many_players)
    how = how_known(result)
    line = f"{result.question}: {answer}{mark}"
    tail = f" — {how}" if how else ""
    if setting:
        tail += f" [{setting}]"
    return wrap(line + tail, "    ", "")


def account_lines(result: Result) -> list[str]:
    """How the answer came about, where that was asked for: what belongs to an engine stands below it."""
    if result.account is None:
        return []
    entries = result.account.entries or [Entry("engine", "no engine was needed")]
    lines = [wrap("how it was found:", "    ")]
    for e in entries:
        indent = "      " + "  " * e.level
        lines.append(wrap(f"- {e.text}", indent + "  ", indent))
    return lines


def answer(
    result: Result, defaults: dict[str, str], many_players: bool, spec: str, plays: bool = True, compared: bool = False
) -> str:
    """The whole answer to one question; `compared`: nobody asked a question, two things were compared."""
    lines = [headline(result, defaults, many_players)]
    if compared:
        lines = [wrap(comparing.headline(result, how_known(result)), "    ", "")]
    v = result.verdict
    if result.says:
        lines.append(wrap(result.says, "    "))
    if v.reason and v.verdict != "unknown":
        lines.append(wrap(v.reason, "    "))
    if v.clauses and v.trace is None:
        lines.append(wrap("rests on " + "; ".join(cited(result.game, c) for c in v.clauses), "      ", "    "))
    if v.told is not None:
        lines += comparing.before(v.told, wrap, compared)
    for note in v.notes:
        lines.append(wrap(note, "    "))
    lines += account_lines(result)
    if plays and v.policy is not None and result.game is not None:
        lines.append(policy_text(result.game, v.policy, width(), wrap))
    if plays and v.trace is not None and result.game is not None and result.kind != "scenario":
        lines.append(record(result.game, v.trace))
        if v.told is not None:
            lines += comparing.after(v.told, wrap)
        command = replay_command(result, spec)
        if command:
            lines.append(replay(command))
    elif plays and v.trace is not None and result.game is not None and result.as_expected is False:
        lines.append(record(result.game, v.trace))
    return "\n".join(lines)


def record(game: Game, trace: Trace, whole: bool = False) -> str:
    """A play as a game record: one line a move, what it changed, the clauses in the margin; `whole`: however long it is."""
    rows: list[str] = []
    start = trace.steps[0].state
    first = [f"{v.name} {_short(game, v.name, start)}" for v in game.variables]
    rows.append(wrap("start: " + ", ".join(first), "           ", "    "))
    last = len(trace.steps) - 1
    for i, step in enumerate(trace.steps):
        if step.move is None and i == 0 and step.fault is None:
            continue
        if not whole and last > LONGEST_RECORD and HEAD < i <= last - TAIL:
            if i == HEAD + 1:
                rows.append(f"       … {last - TAIL - HEAD} more steps (`--json` has them all) …")
            continue
        who = "table   " if step.move is None or step.move.actor is None else f"player {step.move.actor}"
        action = game.action(step.move.action) if step.move else None
        move = move_text(game, step.move) if step.move else "—"
        draw = draw_text(action, step.drawn)
        loop = "↻ " if trace.loop_from is not None and i == len(trace.steps) - 1 else "  "
        head = f"  {loop}{i:>2} {who}  {move}" + (f" -> {draw}" if draw else "")
        margin = "[" + " ".join(step.clauses) + "]" if step.clauses else ""
        if len(head) + len(margin) + 2 <= width():
            rows.append(head + " " * (width() - len(head) - len(margin)) + margin)
        else:
            rows.append(wrap(head.strip(), " " * 17, head[: len(head) - len(head.lstrip())]))
            if margin:
                rows.append(wrap(margin, " " * 17))
        if step.fault:
            rows.append(wrap("the rules have no value here: " + step.fault, " " * 17))
        elif i:
            changed = change_texts(game, trace.steps[i - 1].state, step.state)
            if changed:
                rows.append(wrap(", ".join(changed), " " * 17))
    if trace.loop_from is not None:
        back = "the position after the start" if trace.loop_from == 0 else f"the position after step {trace.loop_from}"
        rising = f" (but for {', '.join(trace.rising)})" if trace.rising else ""
        rows.append(wrap(f"and so on for ever: this is {back if trace.loop_from else 'the start'} again{rising}", "       "))
    rows += filter(None, [boards(game, trace.steps[-1].state, before_the_last_piece(game, trace), width())])
    return "\n".join(rows)


def _short(game: Game, name: str, state: object) -> str:
    from tablelaw.spec.positions import shown
    from tablelaw.spec.types import LayoutType, MapOf

    kind = next(v.type for v in game.variables if v.name == name)
    value = state[name]  # type: ignore[index]
    if isinstance(kind, LayoutType):
        return named(value)
    if isinstance(kind, MapOf) and len(set(map(repr, value.values()))) == 1:
        return f"all {shown(next(iter(value.values())), kind.value)}"
    return shown(value, kind)


def replay_command(result: Result, spec: str) -> list[str]:
    """The words of a command that plays the record again; none where it would be too long."""
    trace, game = result.verdict.trace, result.game
    if trace is None or game is None or len(trace.steps) < 2 or len(trace.steps) > 40:
        return []
    moves = "; ".join(step_text(game, s) for s in trace.steps[1:] if s.move is not None)
    words = ["tablelaw", "play", spec, "--players", str(result.players)]
    for k, v in (game.setting if result.verdict.told is not None else result.options).items():
        option = game.document.options.get(k)
        if option is not None and option.default != v:
            words += ["--option", f"{k}={v}"]
    begin = trace.steps[0].state
    if begin not in starts(game):
        words += ["--at", json.dumps(position_json(game, begin), ensure_ascii=False)]
    return [*words, "--moves", moves]


def _more(answer_: Why) -> str:
    """How many legal moves are not listed."""
    if not answer_.more and answer_.all_counted:
        return ""
    return f", and {answer_.more:,} more" if answer_.all_counted else f", and more than {answer_.more:,} more"


def why_text(answer_: Why, defaults: dict[str, str]) -> str:
    """The answer to `why`."""
    r = answer_.result
    v = r.verdict
    game = r.game
    assert game is not None
    assert v.trace is not None
    lines = [v.verdict.upper() if v.verdict == "illegal" else v.verdict]
    if v.verdict == "illegal":
        for c in v.clauses:
            entry = game.clauses.get(c)
            says = f": {entry.says}" if entry is not None and entry.says else ""
            lines.append(wrap(f"{cited(game, c)}{says}", "      ", "    "))
        over = len(v.clauses) == 1 and any(e.id == v.clauses[0] for e in game.ends)
        told = f"illegal: {'the play is over by' if over else 'forbidden by'} {', '.join(v.clauses)}"
        lines[0] = wrap(told if v.clauses else "illegal", "    ", "")
        if v.reason and not any(c in game.clauses for c in v.clauses):
            lines.append(wrap(v.reason, "    "))
        for c, text in answer_.values:
            lines.append(wrap(f"{text}   (in {c})", "      "))
        if answer_.nearest:
            lines.append(wrap("It would be legal if " + ", or if ".join(answer_.nearest) + ".", "    "))
        if answer_.moves:
            lines.append(wrap("legal here: " + ", ".join(answer_.moves) + _more(answer_), "      ", "    "))
    else:
        passed = list(v.clauses[1:])
        lines[0] = "legal"
        if passed:
            lines.append(wrap("it passes " + ", ".join(cited(game, c) for c in passed), "      ", "    "))
        if len(v.trace.steps) > 1 and not v.trace.steps[1].fault:
            before, after = v.trace.steps[0].state, v.trace.steps[1].state
            changed = change_texts(game, before, after)
            lines.append(wrap("it leads to " + (", ".join(changed) or "the same position"), "      ", "    "))
            lines += filter(None, [boards(game, after, before, width(), " " * 6)])
    setting = ", ".join(f"{k}={w}" for k, w in r.options.items() if defaults.get(k) != w)
    if setting:
        lines.append(wrap(f"under {setting}", "    "))
    other = "legal" if v.verdict == "illegal" else "illegal"
    for changed_setting in (r.differs or [])[:6]:
        lines.append(wrap(f"{other} under " + ", ".join(f"{k}={w}" for k, w in changed_setting.items()), "      ", "    "))
    lines[1:1] = [wrap(w, "    ") for w in answer_.warnings]
    if answer_.left_out:
        lines.append(wrap("as at the start, since the position does not say: " + ", ".join(answer_.left_out), "      ", "    "))
    return "\n".join(lines)


def summary(results: Iterable[Result]) -> str:
    """The last line: how many came out as expected."""
    rows = list(results)
    bad = [r for r in rows if r.as_expected is False]
    open_ = [r for r in rows if r.verdict.verdict == "unknown" and r.as_expected is not True]
    parts = [f"{len(rows)} answer{'s' if len(rows) != 1 else ''}"]
    parts.append(f"{len(bad)} not as expected" if bad else "all as expected" if not open_ else "none against expectation")
    if open_:
        parts.append(f"{len(open_)} unknown")
    return ", ".join(parts)
