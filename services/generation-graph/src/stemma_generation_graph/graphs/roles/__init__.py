"""Writes a text by several roles at once, which a model chooses for the request, and joins what they wrote."""
