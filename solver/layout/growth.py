"""All connected layouts of a size, each once up to translation; and those alone that are one closed feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tablelaw.solver.layout.kernel import Board, Kernel, Key, bits


class Growth:
    """Lays pieces outwards from the first square of a layout, row by row: no square before it is ever used.

    `size` is how many pieces; `width` and `height` bound the board, or are None. `watch` is called now and then.
    """

    def __init__(self, kernel: Kernel, size: int, width: int | None, height: int | None, watch: Callable[[], None]) -> None:
        self.kernel, self.size, self.width, self.height, self.watch = kernel, size, width, height, watch
        self.board = Board(kernel, size)
        self.made = 0

    def seen(self) -> None:
        """Note that a piece was laid."""
        self.made += 1
        if not self.made & 255:
            self.watch()

    def spreads(self) -> bool:
        """Do the pieces fit into the board somewhere?"""
        if self.width is None or self.height is None:
            return True
        places = [self.board.place(c) for c in self.board.laid]
        xs, ys = [p.x for p in places], [p.y for p in places]
        return max(xs) - min(xs) < self.width and max(ys) - min(ys) < self.height

    # every connected layout

    def every(self) -> Iterator[Board]:
        """Each connected layout of the size once; what is given is the one board, as it stands at that moment.

        A square that was passed over once is never used afterwards in the same branch, so that each set of squares comes
        about in one order alone (the way in which fixed polyominoes are counted); pieces are chosen as squares are taken.
        """
        board = self.board
        passed = bytearray(len(board.at))
        passed[board.root] = 1
        yield from self._every([board.root], passed)

    def _every(self, waiting: list[int], passed: bytearray) -> Iterator[Board]:
        board, root = self.board, self.board.root
        waiting = list(waiting)
        while waiting:
            cell = waiting.pop()
            fresh = [c for c in (cell + s for s in board.steps) if c > root and not passed[c]]
            last = len(board.laid) + 1 == self.size
            for c in fresh:
                passed[c] = 1
            for look in bits(board.candidates(cell)):
                self.seen()
                board.lay(cell, look)
                if not self.spreads():
                    board.unlay()
                    break
                if last:
                    yield board
                else:
                    yield from self._every(waiting + fresh, passed)
                board.unlay()
            for c in fresh:
                passed[c] = 0

    # every layout that is one closed feature

    def closed(self, kind: str) -> Iterator[Board]:
        """Each layout of the size once whose pieces all lie in one closed feature of the kind.

        The first open end met of the feature that begins on the first square has to be filled, and by a piece of the layout:
        so the layout alone decides every choice, and no two branches come to the same one. A part of the kind beside the
        feature may begin another of the same squares; it is then told of only once.
        """
        board = self.board
        for look in range(len(self.kernel.looks)):
            for slot in range(len(self.kernel.ends[kind][look])):
                board.lay(board.root, look)
                for _ in _Filling(self, kind, slot).all():
                    if not self._told(kind, slot):
                        yield board
                board.unlay()

    def _told(self, kind: str, slot: int) -> bool:
        """Has the layout been told of because of an earlier part on the first square?"""
        if not slot:
            return False
        board = self.board
        return any(
            f.closed and len(f.cells) == self.size and any(c == board.root and s < slot for c, s in f.parts)
            for f in board.features(kind)
        )


class _Filling:
    """Grows one feature from one part, filling its ends in the order in which they are met."""

    def __init__(self, growth: Growth, kind: str, slot: int) -> None:
        self.growth, self.board = growth, growth.board
        self.ends, self.owner = growth.kernel.ends[kind], growth.kernel.owner[kind]
        self.most = growth.kernel.most
        self.agenda: list[tuple[int, int]] = []
        """The ends met, each as the square beyond and the place there that faces it."""
        self.parts: set[int] = set()
        self.order: list[int] = []
        self.wanted: dict[int, int] = {}
        """How many ends face a square."""
        self.holes = 0
        """How many empty squares are faced: each of them takes a piece more."""
        self.cells: dict[int, int] = {}
        self.sound = self._join(self.board.root, slot)

    def all(self) -> Iterator[None]:
        """One for each way to close it on just so many pieces; the board holds it at that moment."""
        if self.sound:
            yield from self._fill(0)

    def _join(self, cell: int, slot: int) -> bool:
        """Add a part and its ends; false where one of these can never be filled."""
        board, at = self.board, self.board.at
        self.parts.add(cell * self.most + slot)
        self.order.append(cell * self.most + slot)
        self.cells[cell] = self.cells.get(cell, 0) + 1
        good = True
        for end in self.ends[at[cell]][slot]:
            there = cell + board.steps[end.side]
            self.agenda.append((there, end.facing))
            count = self.wanted.get(there, 0)
            self.wanted[there] = count + 1
            if at[there] < 0:
                self.holes += not count
                good = good and there > board.root
        return good

    def _leave(self, agenda: int, parts: int) -> None:
        """Take back what was joined since."""
        at = self.board.at
        while len(self.agenda) > agenda:
            there, _ = self.agenda.pop()
            self.wanted[there] -= 1
            if at[there] < 0 and not self.wanted[there]:
                self.holes -= 1
        while len(self.order) > parts:
            p = self.order.pop()
            self.parts.discard(p)
            cell = p // self.most
            self.cells[cell] -= 1
            if not self.cells[cell]:
                del self.cells[cell]

    def _fill(self, i: int) -> Iterator[None]:
        board, size = self.board, self.growth.size
        agenda, parts = len(self.agenda), len(self.order)
        good = True
        while i < len(self.agenda):
            there, facing = self.agenda[i]
            near = board.at[there]
            if near < 0:
                break
            slot = self.owner[near][facing]
            if slot >= 0 and there * self.most + slot not in self.parts:
                good = self._join(there, slot)
                if not good:
                    break
            i += 1
        if good and i == len(self.agenda):
            if len(board.laid) == size == len(self.cells):
                yield
        elif good and len(board.laid) + self.holes <= size:
            there, _ = self.agenda[i]
            for look in bits(board.candidates(there)):
                self.growth.seen()
                board.lay(there, look)
                self.holes -= 1
                if self.growth.spreads():
                    yield from self._fill(i)
                board.unlay()
                self.holes += 1
        self._leave(agenda, parts)


def extended(growth: Growth) -> Iterator[Board]:
    """The layouts of the size that hold the pieces already on the board."""
    board, seen = growth.board, set[Key]()

    def further() -> Iterator[Board]:
        if len(board.laid) == growth.size:
            yield board
            return
        near = dict.fromkeys(c + s for c in board.laid for s in board.steps if board.at[c + s] < 0)
        for cell in near:
            for look in bits(board.candidates(cell)):
                growth.seen()
                board.lay(cell, look)
                key = board.key()
                if key not in seen and growth.spreads():
                    seen.add(key)
                    yield from further()
                board.unlay()

    yield from further()
