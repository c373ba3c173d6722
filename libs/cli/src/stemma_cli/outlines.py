"""The outline that inputs ask for, as a file that a person looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from stemma_client.inputs import collect, media_type_of, read
from stemma_client.outlines import find_outline, read_outline
from stemma_contracts.media import READ
from stemma_contracts.v1.outline import OutlineSection

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import note
from stemma_cli.prompt import text_in

HELP = "write one: a heading for each section, the purpose below it, lines such as `max 500 words`"


async def read_outline_option(file: str | None, inputs: Sequence[Path]) -> Sequence[OutlineSection]:
    """The sections that a person gives or has looked for; what was found is told, for nobody has seen it yet."""
    if file is not None:
        return read_outline(file, await text_in(file))
    sections = find_sections(inputs)
    note(f"{len(sections)} sections are asked for: {', '.join(section.title for section in sections)}")
    return sections


def find_sections(inputs: Sequence[Path]) -> tuple[OutlineSection, ...]:
    """The sections that a passage of the inputs asks for."""
    if not (sections := find_outline(_texts(inputs))):
        raise CliError(ExitCode.FAILED, "no passage of the inputs says which sections the document has to have", HELP)
    return sections


def _texts(inputs: Sequence[Path]) -> Iterator[str]:
    for file in collect(inputs):
        if media_type_of(file.name) in READ:
            yield read(file.path).decode("utf-8-sig", errors="replace")
