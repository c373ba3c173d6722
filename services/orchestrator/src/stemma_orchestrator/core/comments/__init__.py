"""Comments on the text of sections, in threads: made together as one review, answered, resolved and reopened."""

from stemma_orchestrator.core.hooks import Feature

from .decide import Comment, CommentCommand, Reopen, Resolve, StoredComment, decide

FEATURE = Feature[CommentCommand](commands=(Comment, Resolve, Reopen), decide=decide)

__all__ = ["FEATURE", "Comment", "CommentCommand", "Reopen", "Resolve", "StoredComment"]
