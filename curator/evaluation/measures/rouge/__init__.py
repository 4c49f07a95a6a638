"""ROUGE of rankings: how much of an ideal answer's words the passages hold. PURE."""
