"""Proofs with everything about the board left open: squares, parts and features are whatever they may be."""
