"""Cycles of review: when everything is written again, when it goes on, and when it may end.

The review section judges the others. If it asks for a revision, and has not done so too often, every section is
queued again; else the final section is made, in spite of it if need be, and waits for a person.
"""

from typing import Any

from stemma_orchestrator.core.hooks import Feature

from .decide import follow, revise_all
from .routes import exported, human_feedback, is_ended, may_be_approved

FEATURE: Feature[Any] = Feature(follow=follow, may_end=is_ended)

__all__ = ["FEATURE", "exported", "human_feedback", "may_be_approved", "revise_all"]
