"""tablelaw: ask of a table game's written rules what they allow, and get an answer that can be checked."""

__version__ = "0.1.0"
