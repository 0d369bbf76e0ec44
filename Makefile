# A fresh machine needs python3 (3.11 or later, with venv), git and make; everything else goes into .venv.
# NOTE(stamp): `setup` runs again only when pyproject.toml or the constraints changed.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
STAMP  := $(VENV)/.stamp
PINS   := requirements/constraints.txt

# For scripts only: were it exported, `python3` above would mean the one in .venv.
WITH_PATH = PATH="$(CURDIR)/$(BIN):$$PATH"

.PHONY: help setup demo lint types imports unit wheel test slow bench clean

help:
	@echo "make setup   create $(VENV) with everything pinned"
	@echo "make demo    a tour of what the tool answers"
	@echo "make test    lint, types, import rule, tests, and the built wheel in a fresh environment"
	@echo "make slow    the tests marked slow"
	@echo "make bench   the benchmarks (BENCH='--quick' or parts of them)"
	@echo "make clean   remove what make made"

setup: $(STAMP)

$(STAMP): pyproject.toml $(PINS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "tablelaw needs Python 3.11 or later, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)"; \
	  echo "name another one: make PYTHON=python3.12 $(or $(MAKECMDGOALS),setup)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' comes without venv or pip; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "setting up $(VENV)"
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install -c $(PINS) setuptools wheel
	@$(PIP) install -c $(PINS) --no-build-isolation -e '.[test,dev]'
	@$(PIP) install -c $(PINS) --only-binary :all: stormpy 2>/dev/null || echo "no Storm for this machine: tests that ask it are skipped"
	@$(PIP) install -c $(PINS) --only-binary :all: itf-py cvc5 junitparser gherkin-official 2>/dev/null || echo "no readers of exchange formats for this machine: tests that ask them are skipped"
	@$(PIP) install -c $(PINS) distributed 2>/dev/null || echo "no Dask for this machine: tests of --cluster are skipped"
	@touch $@

demo: setup
	@$(WITH_PATH) sh scripts/demo.sh

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports --no-logo

unit: setup
	$(BIN)/python -m pytest -q -n auto --dist worksteal

wheel: setup
	@$(WITH_PATH) sh scripts/check_wheel.sh

# One after the other, the quick ones first, also under `make -j`.
test: setup
	@for part in lint types imports unit wheel; do $(MAKE) --no-print-directory $$part || exit 1; done

# pytest ends with 5 when nothing was collected: no slow test is no failure.
slow: setup
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m slow || test $$? -eq 5

bench: setup
	$(BIN)/python benchmarks/bench.py $(BENCH)

clean:
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find spec solver checkers src tests -name __pycache__ -type d -prune -exec rm -rf {} +
