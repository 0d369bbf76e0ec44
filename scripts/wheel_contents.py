"""Fail unless the wheel holds every module of the source folders and adds no name but `tablelaw`."""

import sys
import tomllib
import zipfile
from pathlib import Path

DATA = ("*.py", "*.c", "py.typed", "schema.json", "*.yaml", "templates/*.yaml")


def main(wheel: str) -> int:
    """Compare one wheel with the folders that pyproject.toml maps; print what differs."""
    root = Path(__file__).resolve().parent.parent
    mapping: dict[str, str] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-dir"]
    expected = {
        f"{package.replace('.', '/')}/{path.relative_to(root / folder).as_posix()}"
        for package, folder in mapping.items()
        for pattern in DATA
        for path in (root / folder).glob(pattern)
    }
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    for name in sorted(expected - found):
        print(f"missing from the wheel: {name}")
    for name in sorted(found - expected):
        print(f"not of our folders, in the wheel: {name}")
    return int(expected != found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
