"""Proposals: an edit of a settled section is made and checked beside it, and a person accepts or rejects it."""

from stemma_orchestrator.core.hooks import Feature

from .decide import AcceptEdit, ProposalCommand, RejectEdit, decide, follow
from .work import work

FEATURE = Feature[ProposalCommand](commands=(AcceptEdit, RejectEdit), decide=decide, follow=follow, work=work)

__all__ = ["FEATURE", "AcceptEdit", "RejectEdit"]
