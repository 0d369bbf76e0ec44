"""Search by SMT solver; the only place that imports z3."""
