#!/bin/sh
# What `make demo` shows. `make` puts .venv/bin first on PATH.
set -eu
cd "$(dirname "$0")/.."
tablelaw --version
