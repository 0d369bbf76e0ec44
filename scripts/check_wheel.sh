#!/bin/sh
# Builds sdist -> wheel, compares the wheel with the folders, and runs it in a fresh environment away from the repository.
# Needs the environment of `make setup` on PATH (build and setuptools).
set -eu
repo=$(cd "$(dirname "$0")/.." && pwd -P)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

cd "$repo"
python -m build --no-isolation --outdir "$temp/dist" . >"$temp/build.log" 2>&1 || { cat "$temp/build.log"; exit 1; }
set -- "$temp"/dist/*.whl
[ $# -eq 1 ] || { echo "expected one wheel, found $#: $*"; exit 1; }
wheel=$1
python scripts/wheel_contents.py "$wheel"
tar -tzf "$temp"/dist/*.tar.gz >"$temp/sdist.txt"
for rules in examples/*/rules.yaml; do
  [ ! -e "$rules" ] || grep -q "/$rules\$" "$temp/sdist.txt" || { echo "the sdist has no $rules"; exit 1; }
done

python -m venv "$temp/venv"
"$temp/venv/bin/python" -m pip --quiet --disable-pip-version-check --no-input install -c requirements/constraints.txt "$wheel"
"$temp/venv/bin/python" -m pip --disable-pip-version-check check >"$temp/check.log" || { cat "$temp/check.log"; exit 1; }

cd "$temp"
PATH="$temp/venv/bin:$PATH"
unset PYTHONPATH
tablelaw --version
python -m tablelaw --version >/dev/null
python -c 'import numpy' # imported where a chain is too large for exact equations
try() { # a game and some of its questions; all of them where none is named
  game=$1
  shift
  [ -e "$repo/examples/$game" ] || return 0
  cp -R "$repo/examples/$game" "$temp/$game"
  tablelaw check "$temp/$game" --no-plays "$@"
}
try pig --question one-winner --question can-go-on --question banking # rows of numbers
try black-path                                                        # a board
try knuth-yao                                                         # chances
echo "the wheel works in a fresh environment"
