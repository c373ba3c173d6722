"""The verb that shows what led to what, and what took the time."""

from __future__ import annotations

from functools import partial

from stemma_cli.arguments import AsJson, Document
from stemma_cli.runtime import run


def trace(document: Document, as_json: AsJson = False) -> None:
    """Show what led to what in a document, how long it took, and the chain that took longest.

    Times are in seconds from the start and, with +, from the cause.
    `*` marks the critical path: what took longest, so that nothing else would save time.

    It is read from the log alone; a trace backend shows the same trace ids in more detail.

    Example: stemma trace 3f2a
    """
    from stemma_cli.tasks import tracing

    run(partial(tracing.trace, document=document, as_json=as_json))


VERBS = {"trace": trace}
