"""Answers to claims as a person reads them: the position, the claim, yes or no, and what decides it."""

from __future__ import annotations

from tablelaw.checkers.claims import KINDS
from tablelaw.checkers.leading import Answer
from tablelaw.report.board import before_the_last_piece, boards
from tablelaw.report.position import position_words
from tablelaw.report.text import account_lines, cited, how_known, record, setting_text, why_text, width, wrap
from tablelaw.solver.evaluate import Move
from tablelaw.solver.trace import Trace, change_texts, move_text
from tablelaw.spec.game import Game

MOST_TOLD = 6
WORDS = {"holds": "yes", "fails": "no", "unknown": "not known"}


def heading(game: Game, history: Trace, unreachable: str | None, defaults: dict[str, str]) -> str:
    """The position that is asked about, its boards drawn."""
    state = history.steps[-1].state
    rows = [wrap("position: " + ", ".join(position_words(game, state, whole=False)), "      ", "").replace("\xa0", " ")]
    other = ", ".join(f"{k}={v}" for k, v in game.setting.items() if defaults.get(k) != v)
    if other:
        rows.append(wrap(f"under {other}", "    "))
    drawn = boards(game, state, before_the_last_piece(game, history), width())
    rows += [drawn] if drawn else []
    if unreachable is not None:
        rows.append(wrap(f"no play leads to this position: it breaks `{unreachable}`", "    "))
    return "\n".join(rows)


def answer_text(answer: Answer, defaults: dict[str, str], many_players: bool, known: int) -> str:
    """The answer to one claim; `known` steps of its play were given."""
    head = "\n" + wrap(answer.claim.text, "  ", "")
    if answer.why is not None:
        return head + "\n" + _indented(why_text(answer.why, defaults))
    result, verdict = answer.result, answer.result.verdict
    game = result.game
    assert game is not None
    rows = [head, wrap(_sentence(answer), "      ", "    ")]
    if verdict.reason and verdict.verdict != "unknown":
        rows.append(wrap(verdict.reason, "      ", "    "))
    rows += [wrap(text, "        ", "      ") for text in answer.courses]
    if answer.values and verdict.verdict != "value":
        rows.append(wrap(", ".join(answer.values), "        ", "      "))
    told = answer.claim.form == "gives" or (answer.claim.form != "formula" and verdict.trace is None)  # a play names its own
    for clause in verdict.clauses if told else ():
        entry = game.clauses.get(clause)
        says = f": {entry.says}" if entry is not None and entry.says else ""
        rows.append(wrap(f"by {cited(game, clause)}{says}", "        ", "      "))
    if answer.nearest:
        rows.append(wrap("It would be so if " + ", or if ".join(answer.nearest) + ".", "    "))
    trace = verdict.trace
    if trace is not None and answer.claim.form == "gives" and len(trace.steps) > known:
        before, after = trace.steps[known - 1].state, trace.steps[-1].state
        head = f"after {answer.course} it leads to " if answer.course else "it leads to "
        rows.append(wrap(head + (", ".join(change_texts(game, before, after)) or "the same position"), "      ", "    "))
        rows += filter(None, [boards(game, after, before, width(), " " * 6)])
    elif trace is not None and answer.claim.form in KINDS and len(trace.steps) > 1:
        rows.append(record(game, trace))
    setting = setting_text(result, defaults, False)
    if setting:
        rows.append(wrap(f"under {setting}", "    "))
    for changed in (result.differs or [])[:MOST_TOLD]:
        other = {"holds": "not so", "fails": "so"}.get(verdict.verdict, "another value")
        rows.append(wrap(f"{other} under " + ", ".join(f"{k}={w}" for k, w in changed.items()), "      ", "    "))
    rows += [wrap(note, "    ") for note in verdict.notes]
    return "\n".join([*rows, *account_lines(result)])


def _sentence(answer: Answer) -> str:
    verdict, form = answer.result.verdict, answer.claim.form
    if verdict.verdict == "unknown":
        return f"not known: {verdict.reason or 'not decided'}"
    if verdict.verdict == "value":
        return verdict.value if verdict.value is not None else "it depends on what is drawn or chosen"
    word = WORDS[verdict.verdict]
    if form == "formula":
        return f"{word}, in this position it is {'so' if word == 'yes' else 'not so'}"
    if form == "gives":
        several = verdict.bound is not None and "courses" in verdict.bound
        if verdict.verdict == "holds":
            return f"yes, whatever is drawn or chosen ({verdict.bound})" if several else "yes, it leads there"
        return "no, not always" if several and answer.courses else "no, it does not lead there"
    told = {
        ("never", "holds"): "it never comes about", ("never", "fails"): "it can come about",
        ("always", "holds"): "it is always so", ("always", "fails"): "it can come to be otherwise",
        ("can", "holds"): "it can come about", ("can", "fails"): "it never comes about",
    }[form, verdict.verdict]  # fmt: skip
    return f"{word}, {told} — {how_known(answer.result)}"


def moves_text(game: Game, moves: list[Move], end: str | None) -> str:
    """The legal moves, those of one action together, side by side where they are short."""
    if end is not None:
        return f"the game has ended by `{end}`: there are no moves"
    if not moves:
        return "nobody has a legal move, and the game has not ended"
    rows: list[str] = []
    for name in dict.fromkeys(m.action for m in moves):
        mine = [m for m in moves if m.action == name]
        who = "the table" if mine[0].actor is None else f"player {mine[0].actor}"
        rows.append(f"{name} ({who}, {len(mine):,} move{'' if len(mine) == 1 else 's'})")
        texts = [move_text(game, m) for m in mine]
        if texts != [name]:
            wide = max(map(len, texts)) + 2
            across = max(1, (width() - 2 + 2) // wide)
            rows += [
                "  " + "".join(t.ljust(wide) for t in texts[i : i + across]).rstrip() for i in range(0, len(texts), across)
            ]
    return "\n".join(rows)


def _indented(text: str) -> str:
    return "\n".join("    " + row if i == 0 else row for i, row in enumerate(text.split("\n")))
