"""Lint and structure checks of one draft; it always answers."""
