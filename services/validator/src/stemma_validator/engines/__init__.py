"""Linters behind one interface."""

from .base import LintEngine
from .rumdl import RumdlEngine

__all__ = ["LintEngine", "RumdlEngine"]
