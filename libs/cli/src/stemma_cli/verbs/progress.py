"""The verb that follows a document."""

from __future__ import annotations

from typing import Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.exit_codes import ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.runtime import connected


async def watch(
    document: Document,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while it waits for a person.")] = False,
    from_sequence: Annotated[int, typer.Option("--from", min=0, help="First stream sequence to print.")] = 0,
    as_json: AsJson = False,
) -> ExitCode:
    """Watch a document being written, section by section.

    Ends when the document is completed, cancelled or failed, or waits for a person.

    Example: stemma watch 3f2a
    """
    from contextlib import aclosing

    from stemma_client.reading import Reading

    from stemma_cli.rendering.progress import is_over, live_text, screen_for, tell_verdict

    async with connected(as_json) as client:
        known = await client.document(await find_document(client, document))
        reading = Reading(known.document_id)
        with screen_for(as_json=as_json) as screen:
            async with (
                live_text(client, known.document_id, screen),
                aclosing(client.follow(known.document_id)) as events,
            ):
                async for event in events:
                    reading = reading.after(event)
                    if event.sequence >= from_sequence:
                        screen.update(reading.view, event)
                    if event.pending == 0 and is_over(reading.view, follow=follow):
                        break
        return await tell_verdict(client, reading.view)


VERBS = {"watch": watch}
