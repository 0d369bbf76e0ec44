"""The search as compiled code: C written from a model, beside what `search.c` holds for every model."""
