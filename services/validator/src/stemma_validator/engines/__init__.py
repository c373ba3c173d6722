"""Linters behind one interface."""

from .base import LintEngine
from .markdownlint import MarkdownlintEngine
from .rumdl import RumdlEngine
