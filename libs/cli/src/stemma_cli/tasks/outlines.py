"""The outline that inputs ask for, as a file that a person looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from stemma_client.inputs import collect, media_type_of, read
from stemma_client.outline_finding import find_outline
from stemma_client.outlines import write_outline
from stemma_contracts.media import READ
from stemma_contracts.v1.outline import OutlineSection

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import note, say, say_json

HELP = "write one: a heading for each section, the purpose below it, lines such as `max 500 words`"


def propose(*, inputs: Sequence[Path], as_json: bool) -> None:
    """Print what a passage of the inputs asks for."""
    sections = asked_for(inputs)
    if as_json:
        say_json([section.model_dump(mode="json", exclude_none=True) for section in sections])
        return
    say(write_outline(sections).rstrip())
    note(f"{len(sections)} sections: look at them, then `stemma new KIND --brief BRIEF --outline FILE`")


def asked_for(inputs: Sequence[Path]) -> tuple[OutlineSection, ...]:
    """The sections that a passage of the inputs asks for."""
    if not (sections := find_outline(_texts(inputs))):
        raise CliError(ExitCode.FAILED, "no passage of the inputs says which sections the document has to have", HELP)
    return sections


def _texts(inputs: Sequence[Path]) -> Iterator[str]:
    for file in collect(inputs):
        if media_type_of(file.name) in READ:
            yield read(file.path).decode("utf-8-sig", errors="replace")
