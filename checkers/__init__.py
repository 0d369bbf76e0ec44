"""The questions people ask of a game, one file each."""
