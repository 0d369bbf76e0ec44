"""The model checker Storm by way of stormpy: what it answers to a model, and how long building and checking takes it.

Three ways: `float`, as it comes, which stops when figures seem to stand still; `sound`, floating point with a figure that is as
near as it says (a millionth, relative); and `exact`, in fractions.
"""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

WAYS = ("float", "sound", "exact")


@dataclass(frozen=True, slots=True)
class Answer:
    """The figures of the first states; of floating point exactly what was said."""

    values: tuple[Fraction, ...]
    states: int
    seconds: dict[str, float]

    @property
    def value(self) -> Fraction:
        """The figure, where all first states have one."""
        [found] = set(self.values)
        return found


def missing() -> str | None:
    """Why Storm cannot be asked, if so."""
    return None if importlib.util.find_spec("stormpy") else "Storm was not measured: stormpy is not installed"


def versions() -> dict[str, str]:
    """Which stormpy this is."""
    return {"stormpy": version("stormpy")}


def ask(model: Path, asked: str, way: str) -> Answer:
    """Build the model (`.prism` or `.drn`) and check what is asked, timed by the processor."""
    import stormpy
    from stormpy import environments

    kind = stormpy.Rational if way == "exact" else float
    began = time.process_time()
    if model.suffix == ".drn":
        properties = stormpy.parse_properties(asked)
        built = stormpy.build_model_from_drn[kind](str(model))
    else:
        program = stormpy.parse_prism_program(str(model))
        properties = stormpy.parse_properties(asked, program)
        built = stormpy.build_model[kind](program, properties)
    ready = time.process_time()
    environment = {"float": environments.Environment, "sound": environments.sound, "exact": environments.exact}[way]()
    found = stormpy.model_checking(built, properties[0], only_initial_states=True, environment=environment)
    done = time.process_time()
    values = tuple(_fraction(found.get_value(s)) for s in built.initial_states)
    return Answer(values, built.nr_states, {"build": ready - began, "check": done - ready})


def _fraction(x: object) -> Fraction:
    return Fraction(x) if isinstance(x, float) else Fraction(str(x))
