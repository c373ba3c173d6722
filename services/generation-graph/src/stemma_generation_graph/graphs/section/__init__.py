"""Writes one section and evaluates it."""
