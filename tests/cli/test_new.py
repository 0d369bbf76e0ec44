"""`tablelaw new`, and what is there for repositories that keep rules files: the action and the hooks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tablelaw.cli import main
from tablelaw.cli.new import better
from tablelaw.hooks import COMMANDS, run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A starter spec in a folder of its own."""
    folder = tmp_path_factory.mktemp("new")
    assert main(["new", "my-game", "--dir", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    "words",
    [["check", "--no-plays", "--every-option"], ["lint"], ["format", "--check"], ["show"], ["list"]],
    ids=lambda w: w[0],
)
def test_the_starter_passes(words: list[str], starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written is checked, has nothing that looks like a mistake, and is in canonical form."""
    assert main([words[0], str(starter / "my-game"), *words[1:]]) == 0
    said = capsys.readouterr().out
    if words[0] == "lint":
        assert said == "nothing found\n"


def test_the_starter_is_named(starter: Path) -> None:
    """Name and title are put in, every part of the language that most games need has a comment, and no mark is left."""
    text = (starter / "my-game" / "rules.yaml").read_text(encoding="utf-8")
    assert "game: my-game\ntitle: My game\n" in text
    assert "NAME" not in text
    assert "TITLE" not in text
    assert text.count("#") > 15
    readme = (starter / "my-game" / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# My game\n")


def test_the_readme_names_commands_that_work(starter: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """Each command of the README of a new game runs (`play` needs a person; `why` answers that the move is illegal)."""
    import shlex

    monkeypatch.chdir(starter)
    block = re.findall(r"```\n(.*?)```", (starter / "my-game" / "README.md").read_text(encoding="utf-8"), re.S)[0]
    for line in block.splitlines():
        words = shlex.split(line.split("  #")[0])[1:]
        if words[0] != "play":
            assert main(words) == (1 if words[0] == "why" else 0), line
    assert "no-more-than-fit" in capsys.readouterr().out


def test_nothing_is_written_over(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is there already stays as it is, an empty one too."""
    rules = starter / "my-game" / "rules.yaml"
    before = rules.read_text()
    rules.write_text(before + "# mine\n")
    assert main(["new", "my-game", "--dir", str(starter)]) == 2
    assert rules.read_text() == before + "# mine\n"
    said = capsys.readouterr().err
    assert said.startswith("error[Q109]: there is a `")
    assert "--dir" in said
    rules.write_text(before)


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("My Game", "my-game"), ("../up", "up"), ("7-wonders", "game-7-wonders"), ("a_b", "a-b"), ("-x-", "x"),
        ("/", "small letters"), ("", "small letters"), ("a" * 99, "a" * 60),
        ("null", "`game-null`"), ("no", "`game-no`"), ("ünï", "`uni`"), ("Straße", "`strasse`"), ("кот", "small letters"),
    ],
)  # fmt: skip
def test_bad_names_have_a_cure(name: str, cure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that cannot be is refused before anything is made, with one that can."""
    assert main(["new", "--dir", str(tmp_path), "--", name]) == 2
    said = capsys.readouterr().err
    assert "is not a name for a game" in said
    assert cure in said
    assert list(tmp_path.iterdir()) == []
    made = better(name)
    assert not made or main(["new", made, "--dir", str(tmp_path)]) == 0


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in the way of the folder is told of in a line."""
    (tmp_path / "file").write_text("x")
    assert main(["new", "plums", "--dir", str(tmp_path / "file")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error[Q112]")
    assert "file` is no folder" in said
    assert "--dir" in said


@pytest.mark.parametrize("name", ["null", "true", "false", "yes", "no", "on", "off", "y", "n"])
def test_what_yaml_reads_as_no_text_is_no_name(name: str) -> None:
    """The name that is proposed instead is one."""
    assert better(name) == f"game-{name}"


# many files


def test_hooks_go_through_files_and_folders(starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every rules file below a folder, none that is another kind of file; the worst exit status counts."""
    (tmp_path / "a").mkdir()
    (tmp_path / ".hidden").mkdir()
    text = (starter / "my-game" / "rules.yaml").read_text()
    (tmp_path / "a" / "good.yaml").write_text(text)
    (tmp_path / "a" / "wrong.yaml").write_text(text.replace("expect: [{only: {at-once: three}, is: 3}, {is: 4}]", "expect: 9"))
    (tmp_path / ".hidden" / "bad.yaml").write_text(text.replace("pile == 7", "pill == 7"))
    (tmp_path / "other.yaml").write_text("a: 1\n")
    reports = tmp_path / "reports"
    assert run(["check", "--quick", "--no-plays", "--reports", str(reports), "--", str(tmp_path), ""]) == 1
    said = capsys.readouterr().out
    assert said.count("== ") == 2
    assert "NOT AS EXPECTED" in said
    found = [ElementTree.parse(p).getroot().get("failures") for p in sorted(reports.iterdir())]
    assert found == ["0", "1"]
    assert run(["lint", str(tmp_path / "other.yaml")]) == 0
    assert "no rules files here" in capsys.readouterr().out
    assert run(["format", "--check", str(tmp_path / "a" / "good.yaml")]) == 0
    (tmp_path / "a" / "good.yaml").write_text(text.replace("game: my-game", "game:   my-game"))
    assert run(["format", "--check", str(tmp_path / "a" / "good.yaml")]) == 1
    assert "not in canonical form" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["chekc", "x"], ["lint", "no-such-file.yaml"]])
def test_hooks_told_wrongly(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in the arguments is a fault with a cure."""
    assert run(words) == 2
    assert "= help:" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["check", "--help"]])
def test_hooks_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever asks how it is used is told, and it is no fault."""
    assert run(words) == 0
    said = capsys.readouterr()
    assert "python -m tablelaw.hooks lint FILE" in said.out
    assert "check, lint, format" in said.out
    assert not said.err


# what other programs run


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", **more}


def test_pre_commit_hooks(starter: Path) -> None:
    """Each hook has what pre-commit asks for, and its command passes on a starter spec and fails on a broken one."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {h["id"] for h in hooks} == {"tablelaw-format", "tablelaw-lint"}
    broken = starter / "broken.yaml"
    broken.write_text((starter / "my-game" / "rules.yaml").read_text().replace("Pile: 0..7", "Pile:   0...7"))
    for hook in hooks:
        assert {"id", "name", "entry", "language", "types"} <= hook.keys()
        assert hook["language"] == "python"
        words = hook["entry"].split()
        assert words[:3] == ["python", "-m", "tablelaw.hooks"]
        assert words[3] in COMMANDS
        for file, good in ((starter / "my-game" / "rules.yaml", True), (broken, False)):
            done = subprocess.run([*words, str(file)], env=environment(), capture_output=True, text=True)
            assert (done.returncode == 0) == good, done.stdout + done.stderr
    broken.unlink()


def test_the_action(starter: Path) -> None:
    """The action has the parts of one, uses every input, and each of its commands runs on a starter spec."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action["inputs"])
    assert all(i.keys() >= {"description", "default"} for i in action["inputs"].values())
    values = {name: str(i["default"]) for name, i in action["inputs"].items()}
    values |= {"paths": "my-game\n", "arguments": "--quick\n--question\nends\n", "reports": "reports"}
    ran = []
    for step in action["runs"]["steps"]:
        assert "uses" in step or step["shell"] == "bash"
        if "run" not in step or step["name"] == "Install":
            continue
        assert "${{" not in step["run"], "what people write goes in by the environment, never into the script"
        said = {k: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: values[m[1]], v) for k, v in step.get("env", {}).items()}
        command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=starter, env=environment(**said), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        ran.append(step["name"])
    assert ran == ["Form", "Lint", "Answers"]
    (report,) = (starter / "reports").iterdir()
    assert report.name == "my-game-rules.xml"
    assert ElementTree.parse(report).getroot().get("tests") == "1"
