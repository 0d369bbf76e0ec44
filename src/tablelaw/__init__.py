"""tablelaw: ask of a table game's written rules what they allow, and get an answer that can be checked."""

import time as _time

__version__ = "0.1.0"
_BEGAN = _time.time_ns()  # whatever of this program has changed since may be loaded in either form (checkers/kept.py)
