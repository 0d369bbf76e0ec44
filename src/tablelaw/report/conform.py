"""A comparison with another program, as text and as JSON."""

from __future__ import annotations

from typing import Any

from tablelaw.checkers.conform import Finding, Report, rows_of
from tablelaw.checkers.judging import trace_of
from tablelaw.report.board import boards
from tablelaw.report.position import position_words
from tablelaw.report.text import cited, record, width, wrap

FEW = 8


def conform_text(report: Report) -> str:
    """Each difference with what it is, then how much was compared."""
    rows: list[str] = []
    for number, finding in enumerate(report.findings, 1):
        rows += [_finding(finding, number if len(report.findings) > 1 or report.agrees else 0), ""]
    if report.lingers:
        rows += [wrap(f"engine fault: {report.lingers}", "    ", ""), ""]
    rows.append(wrap(_summary(report), "    ", ""))
    for what, why in report.lacks.items():
        rows.append(wrap(f"it does not support `{what}`, so that this was not compared: {why}", "    "))
    for why, n in report.skipped.items():
        rows.append(wrap(f"{n:,} fixture{'s' if n > 1 else ''} left out, which it does not play: {why}", "    "))
    if report.stopped:
        rows.append(wrap(report.stopped, "    "))
    if report.tail and any(f.found.trouble for f in report.findings):
        rows.append("  it last wrote to standard error:")
        rows += [f"    {line[: width() - 4]}" for line in report.tail.splitlines()[-6:]]
    return "\n".join(rows)


def _finding(finding: Finding, number: int) -> str:
    found, judgement, game = finding.found, finding.judgement, finding.game
    steps = len(found.sent)
    head = f"difference {number}" if number else "difference"
    shown = f"after {steps} move{'s' if steps != 1 else ''}" if steps else "at the start"
    rows = [wrap(f"{head} ({finding.where}; shown {shown}): {_what(finding)}", "    ", "")]
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
    if not found.again:
        rows.append(wrap("played again it did not show: the program does not always answer alike", "    "))
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
    changed = [f"{k}={v}" for k, v in report.setting.items() if v != report.game.setting.get(k)]
    under = f" under {', '.join(changed)}" if changed else ""
    if report.without:
        under += f"{' and' if under else ''} without {', '.join(f'`{c}`' for c in sorted(report.without))}"
    if report.agrees and not report.findings and not report.lingers:
        return f"agree{under}: {compared}"
    if report.agrees and report.findings:
        return f"apart from that they agree{under}: {compared}"
    return f"{compared}{under}"


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
        "verdict": "holds" if agreed else "fails",
        "known_by": "sampled" if agreed else "proved",
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
        "last": {"options": report.setting, "without": sorted(report.without), "agrees": report.agrees},
        "seconds": round(report.seconds, 3),
        "reason": report.stopped or None,
    }
