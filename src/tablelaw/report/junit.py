"""Answers as JUnit XML, the form in which build servers read test results."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tablelaw.checkers.result import Result
from tablelaw.report.text import answer
from tablelaw.spec.settings import defaults

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no place for."""


def junit(spec: str, results: list[Result], seconds: float, wrong: str = "") -> str:
    """One suite of the answers: a failure where one is not as expected, skipped where it is not known.

    `wrong` is what was said of a rules file that could not be asked: the suite then has one error besides.
    """
    failed = sum(r.as_expected is False for r in results)
    open_ = sum(_unknown(r) for r in results)
    counts = {
        "tests": str(len(results) + bool(wrong)), "failures": str(failed), "errors": str(int(bool(wrong))),
        "skipped": str(open_), "time": f"{seconds:.3f}",
    }  # fmt: skip
    top = ElementTree.Element("testsuites", {"name": "tablelaw", **counts})
    suite = ElementTree.SubElement(top, "testsuite", {"name": _clean(spec), **counts})
    game = results[0].game.name if results and results[0].game is not None else spec
    for r in results:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _clean(game), "name": _clean(_name(r)), "time": f"{r.verdict.seconds:.3f}"}
        )
        told = _clean(answer(r, _defaults(r), False, spec))
        if r.as_expected is False:
            expected = str(r.expected or "holds")
            found = r.verdict.value if r.verdict.value is not None else r.verdict.verdict
            ElementTree.SubElement(
                case, "failure", {"type": r.kind, "message": _clean(f"{found}, expected {expected}")}
            ).text = told
        elif _unknown(r):
            ElementTree.SubElement(case, "skipped", {"message": _clean(f"unknown: {r.verdict.reason or 'not decided'}")})
        else:
            ElementTree.SubElement(case, "system-out").text = told
    if wrong:
        case = ElementTree.SubElement(suite, "testcase", {"classname": _clean(spec), "name": "reading the rules", "time": "0"})
        first = wrong.splitlines()[0]
        ElementTree.SubElement(case, "error", {"type": "diagnostic", "message": _clean(first)}).text = _clean(wrong)
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def case_name(question: str, options: dict[str, str], players: int, normal: dict[str, str], fewest: int) -> str:
    """`one-winner`, or `one-winner[3 players, edition=sk]` where options are off `normal` or players more than fewest."""
    parts = [f"{k}={v}" for k, v in options.items() if normal.get(k) != v]
    if players != fewest:
        parts.insert(0, f"{players} players")
    return f"{question}[{', '.join(parts)}]" if parts else question


def _name(r: Result) -> str:
    said = "" if r.game is None or r.game.document.players is None else r.game.document.players.text.partition("..")[0]
    fewest = int(said) if said.strip().isdecimal() else r.players
    return case_name(r.question, r.options, r.players, _defaults(r), fewest)


def _defaults(r: Result) -> dict[str, str]:
    return {} if r.game is None else defaults(r.game.document)


def _unknown(r: Result) -> bool:
    """Not known, where the author does not expect just that."""
    return r.as_expected is None and (r.verdict.verdict == "unknown" or r.expected is not None)


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("�", text)
