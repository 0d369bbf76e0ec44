"""A compiler at work while Python still looks through the first states: on the other processor, if there is one."""

from __future__ import annotations

from types import TracebackType

from tablelaw.solver.ir import Model
from tablelaw.solver.native import compiler
from tablelaw.solver.native.space import moves_source, search_source
from tablelaw.solver.native.together import processors
from tablelaw.solver.shapes import Unlowerable


class Ahead:
    """What is compiled ahead for one answer. Whatever nobody asked for by the end of it is stopped, and leaves nothing."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        for name in self._names:
            compiler.stop(name)

    def begin(self, model: Model) -> None:
        """Begin with what the search of a model needs, instead of what was begun before."""
        if processors() < 2 or compiler.compiler() is None:
            return
        try:
            sources = moves_source(model), search_source(model)
        except Unlowerable:
            return
        names = [compiler.begin(source) for source in sources]
        for name in self._names:
            if name not in names:
                compiler.stop(name)
        self._names = names
