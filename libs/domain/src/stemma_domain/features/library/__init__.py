"""The library of a tenant: what other documents may take of one, and what became of what they took."""
