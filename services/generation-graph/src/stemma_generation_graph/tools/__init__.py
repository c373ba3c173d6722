"""Tools that nodes get by injection."""
