"""The theory of pieces and parts: one meaning, told three ways."""
