"""The types of places on the grid, which every game has, and the limits of boards."""

from __future__ import annotations

from tablelaw.spec.grid import DIRECTIONS, HALVES, SIDES
from tablelaw.spec.types import Enum, Int

FAMILY = (*DIRECTIONS, *HALVES)
SIDE = Enum("Side", SIDES, FAMILY)
DIRECTION = Enum("Direction", DIRECTIONS, FAMILY)
HALF = Enum("Half", HALVES, FAMILY)
PLACE = Enum("a side or half", (*SIDES, *HALVES), FAMILY)
ROTATION = Int(0, 3, "Rotation")
TURNING = (SIDE, DIRECTION, HALF)
"""Attributes of these types turn with the piece."""

LARGEST_GRID = 128
"""How many pieces a free grid, and how many squares a board, may take."""
FARTHEST_APART = 8
"""How many steps from the laid pieces `frontier` may look."""
OF_THE_GRID = ("Side", "Half", "Direction", "Rotation", "Cell", "Edge", "Part", "Kind")
"""Types that a game with pieces has, whose names it may not give to others."""
