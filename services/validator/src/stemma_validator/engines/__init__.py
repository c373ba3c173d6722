"""Linters behind one interface."""

from .base import LintEngine
from .rumdl import RumdlEngine
from .warm import WarmRumdl, warm_rumdl

__all__ = ["LintEngine", "RumdlEngine", "WarmRumdl", "warm_rumdl"]
