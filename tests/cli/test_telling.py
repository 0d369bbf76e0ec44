"""What is said while a search runs, when it is stopped, and of how it ran, is true and fits its line."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tablelaw.cli import main
from tablelaw.cli.common import Progress
from tablelaw.solver.effort import within
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.memory import memory_used
from tablelaw.solver.native import spill
from tablelaw.solver.native.compiler import compiler, why_none
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.space import layers
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked
from tablelaw.spec.settings import defaults

HANOI = str(Path(__file__).parents[2] / "examples" / "hanoi")
COUNT = ["check", HANOI, "--question", "states", "--no-cache"]
STOPPED = (
    "import os, signal, sys; from tablelaw.cli import main; from tablelaw.solver.native.space import NativeSpace\n"
    "expand = NativeSpace.expand\n"
    "def ended(self, *a):\n    expand(self, *a)\n    if len(self.states) > {most}: os.kill(os.getpid(), signal.SIGINT)\n"
    "NativeSpace.expand = ended; sys.exit(main(sys.argv[1:]))"
)
compiled = pytest.mark.skipif(compiler() is None or not spill.possible(), reason="needs a C compiler")


def test_the_estimate_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the disk in use it was, at 80 columns; and what an earlier run had looked at counted as this one's work."""
    searched = SimpleNamespace(states=range(67_108_864), expanded=54_808_864, begun=50_000_000, seconds=2.0)
    monkeypatch.setattr(layers, "rest", lambda _: (20_000_000, 900_000_000))
    monkeypatch.setattr(layers, "ends", lambda _: range(35))
    text = layers.line(searched, 2_041, 12_345)  # type: ignore[arg-type]
    assert ", 2.4M/s, " in text
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("COLUMNS", "80")
    progress = Progress()
    progress.on, progress.prefix = True, "[1/1] one-winner:"
    progress.tell(text)
    progress.tell("z3 is looking for a proof")
    first, second = out.getvalue().split("\r\x1b[K")[1:]
    assert first == "[1/1] 67.1M states, 12.3M waiting, 2.4M/s, 0 to 7 min left, 12.1 GiB on disk".replace("0 to", "up to")
    assert second == "[1/1] one-winner: z3 is looking for a proof"


@pytest.mark.parametrize("left_open", [True, False])
def test_of_several_settings_the_usual_one_is_named_too(left_open: bool, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--option", "pegs=*"] if left_open else []
    assert main([*COUNT, "--option", "discs=2", *given]) == 0
    named = [re.findall(r"\[(.*)\]", line) for line in capsys.readouterr().out.splitlines() if line.startswith("states:")]
    assert len(named) == (3 if left_open else 1)
    assert all(("pegs=" in one[0]) == left_open for one in named)


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({"TABLELAW_NATIVE": "off"}, "`TABLELAW_NATIVE` is off"),
        ({"CC": "no-such-compiler"}, "there is no compiler `no-such-compiler`, which the variable `CC` names (`pip install"),
    ],
)
def test_why_nothing_was_compiled(
    variables: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("TABLELAW_NATIVE", "CC"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    compiler.cache_clear()
    try:
        assert why_none().startswith(why)
        assert main([*COUNT, "--option", "discs=8", "--option", "pegs=4", "--explain-engine", "--json"]) == 0
    finally:
        compiler.cache_clear()
    account = json.loads(capsys.readouterr().out)["results"][0]["engine_account"]
    (told,) = [entry["text"] for entry in account if entry["kind"] == "compiled"]
    assert told.startswith(f"not compiled: {why}")


@compiled
def test_what_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    """One line when it is stopped, of what is kept; and the account of the next run tells from where it went on."""
    words = [*COUNT, "--option", "discs=9", "--option", "pegs=4", "--checkpoint", str(tmp_path), "--explain-engine"]
    env = {**os.environ, "TABLELAW_CACHE": str(tmp_path / "cache")}
    for most, told in ((0, "the search is kept in"), (1 << 40, "")):
        code = [sys.executable, "-c", STOPPED.format(most=most), *words]
        ended = subprocess.run(code, capture_output=True, text=True, timeout=100, env=env)
        assert ended.returncode == (3 if told else 0), ended.stderr
        said = " ".join(ended.stdout.split())
        if told:
            assert ended.stderr == f"stopped after 0 of 1 answers; {told} {tmp_path}, and the same command goes on with it\n"
            assert "unknown" in said
            assert "1 answer" not in said
        else:
            assert re.search(r"kept in `.*`, taken up from [1-9][\d,]+ positions that were kept there", said), said


@compiled
def test_a_search_on_disk_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativeSpace, "held_most", 30_000)
    monkeypatch.setattr(spill.Spilled, "room_most", 20_000)
    words = ["--option", "discs=8", "--option", "pegs=4", "--spill", str(tmp_path), "--explain-engine"]
    assert main([*COUNT, *words]) == 0
    assert re.search(r"on disk after [\d,]+ positions, when the memory was used up; 1 MiB lie", capsys.readouterr().out)


@compiled
def test_memory_too_small_for_the_disk_names_what_suffices(tmp_path: Path) -> None:
    """Below some 80 MiB the disk was not used, and nothing said so."""
    sink = Diagnostics()
    rules = load(f"{HANOI}/rules.yaml", sink)
    game = None if rules is None else rules.game({**defaults(rules.document), "pegs": "4", "discs": "8"}, 1, sink)
    assert game is not None
    asked = Asked("states", "count", None, what="states")
    for spill_to, told in ((tmp_path, True), (None, False)):
        budget = Budget(mebibytes=memory_used() - 1, spill=spill_to)
        with pytest.raises(OutOfBudget) as over:
            Explicit(game).ask(asked, budget)
        said = re.search(r"MiB is used up; with ([\d,]+) MiB it could go on on disk$", over.value.reason)
        assert (said is not None) == told, over.value.reason
        assert said is None or int(said[1].replace(",", "")) > budget.mebibytes + 40


def test_a_share_of_work_is_no_time() -> None:
    """A proof whose share of z3's work was done said that its time was over, long before it was."""
    share = within(Budget(seconds=600.0), 2.0)
    share.spend(1e12)
    with pytest.raises(OutOfBudget, match="its share of work is used up"):
        share.check()
    with pytest.raises(OutOfBudget, match=r"the time of 1e-09 s is over"):
        within(Budget(seconds=1e-9)).check()


@compiled
def test_a_largest_value_is_looked_for_before_z3_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Among 46,656 positions, which are searched in a tenth of a second, z3 was asked for many seconds first."""
    (tmp_path / "rules.yaml").write_text(
        "tablelaw: 1\ngame: walk\ntitle: A walk\nplayers: 1\ntypes: {Place: 1..6}\n"
        'state:\n  at: {type: "map[Place, 0..5]", init: 0}\n'
        'actions:\n  go: {by: 0, params: {p: Place}, require: [{id: room, check: "at[p] < 5"}], do: "at[p] += 1"}\n'
        'questions:\n  far: {largest: "at[1] * at[2] + at[3] * at[4] - at[5] * at[6] * 2", where: "at[5] + at[6] > 2"}\n',
        encoding="utf-8",
    )
    words = ["check", str(tmp_path), "--question", "far", "--no-cache", "--reduction", "none", "--explain-engine", "--json"]
    assert main(words) == 0
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert result["value"] == "50"
    assert result["states"] > 30_000
    engines = [entry["figures"]["engine"] for entry in result["engine_account"] if entry["kind"] == "engine"]
    assert engines == ["search", "search"]
