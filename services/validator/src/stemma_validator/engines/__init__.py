"""Linters behind one interface."""

from .base import LintEngine
from .markdownlint import MarkdownlintEngine
from .rumdl import RumdlEngine
from .warm import WarmRumdl, warm_rumdl

__all__ = ["LintEngine", "MarkdownlintEngine", "RumdlEngine", "WarmRumdl", "warm_rumdl"]
