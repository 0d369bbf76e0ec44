"""What is installed is what lies in the folders, and nothing committed is tied to one machine."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import tablelaw

ROOT = Path(__file__).resolve().parent.parent
LINKED = ("spec", "solver", "checkers")


def pyproject() -> dict[str, Any]:
    """Return pyproject.toml as data."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def packages_on_disk() -> dict[str, str]:
    """Map each import name to its real folder, for every folder that holds an `__init__.py`."""
    roots = {"tablelaw": "src/tablelaw"} | {f"tablelaw.{name}": name for name in LINKED}
    found = {}
    for name, folder in roots.items():
        for path, folders, files in os.walk(ROOT / folder):  # does not follow the links
            # A link's place is told by its name: where links are lost it may be a plain file or missing.
            folders[:] = [f for f in folders if f != "__pycache__" and not Path(path, f).is_symlink()]
            if "__init__.py" in files:
                parts = Path(path).relative_to(ROOT / folder).parts
                found[".".join((name, *parts))] = "/".join((folder, *parts))
    return found


def tracked_files() -> list[Path]:
    """Return the files that are, or with the next commit could be, in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: an sdist has no list of tracked files")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_packages_listed() -> None:
    """The package list of pyproject.toml is the list of folders with an `__init__.py`."""
    listed = pyproject()["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(packages_on_disk())
    assert len(listed) == len(set(listed))


def test_packages_mapped() -> None:
    """Each package is mapped to the folder it lies in."""
    assert pyproject()["tool"]["setuptools"]["package-dir"] == packages_on_disk()


def test_modules_lie_in_packages() -> None:
    """No module lies in a folder that is not a package: it would work here and be missing from the wheel."""
    packages = set(packages_on_disk().values())
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for top in ("src/tablelaw", *LINKED)
        for path in (ROOT / top).rglob("*.py")
        if path.resolve() == path  # not through a link
    }
    assert folders <= packages


@pytest.mark.parametrize("name", LINKED)
def test_link(name: str) -> None:
    """The link in the import root leads to the folder, relatively; where links are lost, the mapping must do."""
    link = ROOT / "src" / "tablelaw" / name
    if link.is_symlink():
        assert Path(os.readlink(link)) == Path("..", "..", name)
        assert link.resolve() == ROOT / name
    else:
        command = [sys.executable, "-c", f"import tablelaw.{name} as m; print(m.__file__)"]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        assert Path(shown).resolve().parent.name == name


def test_version_agrees() -> None:
    """The version is the same in pyproject.toml and in the package."""
    assert pyproject()["project"]["version"] == tablelaw.__version__


def test_start_is_light() -> None:
    """Importing the command line loads neither z3 nor networkx nor numpy."""
    code = "import sys, tablelaw.cli; print([m for m in ('z3', 'networkx', 'numpy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip() == "[]"


def test_constraints_are_plain() -> None:
    """The constraints are `name==version` lines only, and pin every direct dependency."""
    lines = (ROOT / "requirements" / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in pins if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", line)] == []
    pinned = {normal(line.split("==")[0]) for line in pins}
    project = pyproject()["project"]
    wanted = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    assert {normal(re.split(r"[<>=!~;\[ ]", requirement)[0]) for requirement in wanted} <= pinned


def normal(name: str) -> str:
    """Return the one spelling of a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


# Put together at run time, so that this file does not hold what it looks for.
MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.\-/)}\]])/" + r"(?:root|work|opt|home/\w+|Users/\w+|tmp/\w+)/",
            r"://[a-z0-9.-]*(?:py\W?" + r"pi|python" + r"hosted|npm|deb)[a-z0-9.-]*\.(?:org|com)",
            r"\bpy" + r"pi\.(?:org|python)|files\.python" + r"hosted",
            r"--(?:extra-)?index" + r"-url|--find" + r"-links",
        ]
    ),
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "text",
    ["see /" + "root/x", "cd '/" + "work/main'", "https://" + "pypi" + ".org/simple", "pip install --index" + "-url x"],
)
def test_machine_pattern_bites(text: str) -> None:
    """The pattern for machine paths and registry hosts finds what it is for."""
    assert MACHINE.search(text)


@pytest.mark.parametrize(
    "text", ["docs/" + "work/plan.md", "${top}/" + "work/x", "src/tablelaw/spec", "https://example.org/" + "opt/x"]
)
def test_machine_pattern_spares(text: str) -> None:
    """Relative paths and ordinary addresses are no machine paths."""
    assert not MACHINE.search(text)


def test_nothing_names_this_machine() -> None:
    """No file of the repository names a path of one machine or the host of a package registry."""
    hits = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in tracked_files()
        if path.suffix not in {".png", ".svg", ".pdf"}
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1)
        if MACHINE.search(line)
    ]
    assert hits == []
