"""The verb that shows what led to what, and what took the time."""

from __future__ import annotations

from stemma_cli.arguments import AsJson, Document
from stemma_cli.lookup import find_document
from stemma_cli.output import note, say_fitting, say_json, stdout_width
from stemma_cli.runtime import connected


async def trace(document: Document, as_json: AsJson = False) -> None:
    """Show what led to what in a document, how long it took, and the chain that took longest.

    Times are in seconds from the start and, with +, from the cause.
    `*` marks the critical path: what took longest, so that nothing else would save time.

    It is read from the log alone; a trace backend shows the same trace ids in more detail.

    Example: stemma trace 3f2a
    """
    from stemma_client.reading import read_document

    from stemma_cli.rendering.trace import LEGEND, lines, tree_json, trees, waiting_lines

    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        events = await client.history(document_id)
    if as_json:
        for root in trees(events):
            say_json(tree_json(root))
        return
    for root in trees(events):
        say_fitting(lines(root, stdout_width()))
    for line in (*LEGEND, *waiting_lines(read_document(document_id, events))):
        note(line)


VERBS = {"trace": trace}
