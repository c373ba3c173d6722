"""The verb that tells what can be asked for."""

from __future__ import annotations

from stemma_cli.arguments import AsJson
from stemma_cli.output import note, say_json, say_table
from stemma_cli.runtime import connected


async def kinds(as_json: AsJson = False) -> None:
    """List the kinds of documents that can be asked for, and what each consists of.

    Example: stemma kinds
    """
    from stemma_cli.rendering.kinds import COLUMNS, row

    async with connected(as_json) as client:
        found = await client.kinds()
    if as_json:
        say_json(found)
        return
    say_table(COLUMNS, [row(kind) for kind in found])
    note("inputs are Markdown, text, CSV, JSON and images: `stemma new KIND --brief FILE --input FOLDER`")


VERBS = {"kinds": kinds}
