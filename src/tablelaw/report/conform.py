"""A comparison with another program, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablelaw.checkers.conform import Finding, Report, rows_of
from tablelaw.checkers.judging import trace_of
from tablelaw.report.board import boards
from tablelaw.report.position import position_words
from tablelaw.report.text import cited, record, width, wrap
from tablelaw.spec.diagnostics import printable

FEW = 8


def conform_text(report: Report) -> str:
    """Each difference with what it is, then how much was compared."""
    rows: list[str] = []
    for number, finding in enumerate(report.findings, 1):
        rows += [_finding(report, finding, number if len(report.findings) > 1 or report.agrees else 0), ""]
    if report.lingers:
        rows += [wrap(f"engine fault: {report.lingers}", "    ", ""), ""]
    rows.append(wrap(_summary(report), "    ", ""))
    for what, why in report.lacks.items():
        rows.append(wrap(f"it does not support `{what}`, so that this was not compared: {why}", "    "))
    for why, n in report.skipped.items():
        rows.append(wrap(f"{n:,} fixture{'s' if n > 1 else ''} left out, which it does not play: {why}", "    "))
    none = "" if report.counts.plays else ", and there are no others"
    for why, n in report.left_out.items():
        told = "1 fixture left out{}: it is" if n == 1 else f"{n:,} fixtures left out{{}}: they are"
        rows.append(wrap(f"{told.format(none)} not for {why}", "    "))
    for why, n in report.beyond.items():
        told = "1 play was" if n == 1 else f"{n:,} plays were"
        taken = _under(report, report.setting, report.without)
        rows.append(wrap(f"{told} followed only in part, since the rules are taken{taken}: {why}", "    "))
    if report.stopped:
        rows.append(wrap(report.stopped, "    "))
    if report.tail and any(f.found.trouble for f in report.findings):
        rows.append("  it last wrote to standard error:")
        rows += [f"    {line[: width() - 4]}" for line in report.tail.splitlines()[-6:]]
    return "\n".join(printable(row) for row in "\n".join(rows).split("\n"))  # the program's words may move the cursor


def _finding(report: Report, finding: Finding, number: int) -> str:
    found, judgement, game = finding.found, finding.judgement, finding.game
    steps = len(found.sent)
    head = f"difference {number}" if number else "difference"
    shown = f"after {steps} move{'s' if steps != 1 else ''}" if steps else "at the start"
    under = _under(report, finding.game.setting, finding.without)
    beside = f"; the rules{under}" if under and number > 1 else ""
    rows = [wrap(f"{head} ({finding.where}; shown {shown}{beside}): {_what(finding)}", "    ", "")]
    trace = trace_of(finding.host, found)
    if len(trace.steps) > 1:
        rows.append(record(game, trace))
    else:
        rows.append(wrap("position: " + ", ".join(position_words(game, trace.steps[0].state, whole=False)), "      "))
        rows += filter(None, [boards(game, trace.steps[0].state, None, width(), "    ")])
    rows += _sides(finding)
    rows.append(wrap(f"judged: {judgement.word}" + (f", {judgement.says}" if judgement.says else ""), "    "))
    for clause in judgement.clauses[:FEW]:
        entry = game.clauses.get(clause)
        says = f": {entry.says}" if entry is not None and entry.says else ""
        rows.append(wrap(f"{cited(game, clause)}{says}", "      ", "    "))
    if judgement.as_without:
        names = ", or as without ".join(f"`{c}`" for c in judgement.as_without[:FEW])
        rows.append(wrap(f"it plays as the rules would without {names}", "    "))
    if judgement.readings and judgement.reasons:
        rows.append(wrap(f"the rules themselves: {'; '.join(judgement.reasons)}", "    "))
    if not judgement.whole:
        rows.append(wrap("there was no time to look at all options and clauses", "    "))
    if found.note:
        rows.append(wrap(found.note, "    "))
    return "\n".join(rows)


def _what(finding: Finding) -> str:
    found = finding.found
    if found.trouble is not None:
        return f"the program is in trouble: {found.trouble.says}"
    if found.faulty:
        return "the rules themselves"
    words = {
        "moves": "the legal moves", "player": "whose turn it is", "refuses": "the program refuses a move",
        "takes": "the program takes a move",
        "end": "whether the play has ended", "winners": "who has won", "position": "the position",
    }  # fmt: skip
    return words[str(found.sign[0])]


def _sides(finding: Finding) -> list[str]:
    apart = finding.found.apart
    if apart is None:
        return []
    rows: list[str] = []
    if apart.kind in ("moves", "refuses", "takes"):
        if apart.missing:
            rows.append(wrap(f"legal by the rules alone: {_few(apart.missing)}", "      ", "  "))
        if apart.extra:
            rows.append(wrap(f"legal by the program alone: {_few(apart.extra)}", "      ", "  "))
        if apart.twice:
            rows.append(wrap(f"listed by the program more than once: {_few(apart.twice)}", "      ", "  "))
    if apart.kind != "moves":
        rows.append(wrap(f"rules:   {apart.rules}", "           ", "  "))
        rows.append(wrap(f"program: {apart.program}", "           ", "  "))
    return rows


def _few(texts: tuple[str, ...]) -> str:
    more = len(texts) - FEW
    return ", ".join(texts[:FEW]) + (f", and {more} more" if more > 0 else "")


def _summary(report: Report) -> str:
    counts = report.counts
    random = counts.plays - report.fixtures
    told = [f"{random:,} play{'s' if random != 1 else ''}"] if random or not report.fixtures else []
    told += [f"{report.fixtures:,} fixture{'s' if report.fixtures != 1 else ''}"] if report.fixtures else []
    told += [f"{counts.positions:,} positions", f"{counts.moves:,} legal moves", f"{counts.ends:,} ends"]
    compared = f"{', '.join(told)} compared"
    under = _under(report, report.setting, report.without)
    if report.agrees and not report.findings and not report.lingers:
        return f"agree{under}: {compared}"
    if report.agrees and report.findings:
        return f"apart from that they agree{under}: {compared}"
    if report.counts.positions == 0 and not report.findings and not report.lingers:
        return f"nothing was compared{under}"
    return f"{compared}{under}"


def _under(report: Report, setting: Mapping[str, str], without: frozenset[str]) -> str:
    """What the rules were, where that is not what was asked for."""
    changed = [f"{k}={v}" for k, v in setting.items() if v != report.game.setting.get(k)]
    under = f" under {', '.join(changed)}" if changed else ""
    if without:
        under += f"{' and' if under else ''} without {', '.join(f'`{c}`' for c in sorted(without))}"
    return under


def conform_json(report: Report) -> dict[str, Any]:
    """The one result of the JSON of the contract."""
    rows = rows_of(report)
    agreed = report.agrees and not report.findings and not report.lingers
    counts = report.counts
    return {
        "question": "conform",
        "kind": "conform",
        "options": dict(report.game.setting),
        "players": report.game.players,
        "verdict": "fails" if report.findings or report.lingers else "holds" if agreed else "unknown",
        "known_by": "sampled" if report.findings or report.lingers or agreed else None,
        "bound": f"{counts.plays} plays",
        "clauses": list(dict.fromkeys(c for f in report.findings for c in f.judgement.clauses)),
        "plays": counts.plays - report.fixtures,
        "fixtures": report.fixtures,
        "positions": counts.positions,
        "moves": counts.moves,
        "ends": counts.ends,
        "cut": counts.cut,
        "requests": report.requests,
        "differences": rows,
        "lingers": report.lingers or None,
        "unsupported": report.lacks,
        "skipped": report.skipped,
        "left_out": report.left_out,
        "cut_short": report.beyond,
        "last": {"options": report.setting, "without": sorted(report.without), "agrees": report.agrees},
        "seconds": round(report.seconds, 3),
        "reason": report.stopped or None,
    }
