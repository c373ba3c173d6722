"""Which versions a comparison is of, from the names that a person gives them."""

from __future__ import annotations

from collections.abc import Sequence

from stemma_client.client import Client
from stemma_client.reading import at_export, read_document, version_pairs
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1 import events
from stemma_contracts.v1.exports import VersionPair

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_section

NOW = "now"


async def pairs(client: Client, document_id: str, section: str | None, names: tuple[str, str]) -> list[VersionPair]:
    """Two versions of a section; without one, all sections as they were at two exports, or are now."""
    if section is not None:
        known = [version.number for version in (await find_section(client, document_id, section))[1].versions]
        old, new = (_version(section, known, name) for name in names)
        return [VersionPair(section_id=section, from_version=old, to_version=new)]
    history = await client.history(document_id)
    before, after = (read_document(document_id, _until(history, name)) for name in names)
    return version_pairs(before, after)


def _version(section: str, known: Sequence[int], name: str) -> int:
    number = int(name) if name.isdecimal() else 0
    if number not in known:
        has = f"it has {', '.join(map(str, known)) or 'none'}"
        raise CliError(ExitCode.USAGE, f"{section} has no version {name}", has)
    return number


def _until(history: Sequence[RecordedEvent], name: str) -> Sequence[RecordedEvent]:
    """The events up to the request of an export."""
    if name == NOW:
        return history
    if (found := at_export(history, name)) is None:
        times = (
            f"{event.contract.export_id} ({event.envelope.time.astimezone():%Y-%m-%d %H:%M})"
            for event in history
            if isinstance(event.contract, events.ExportRequested)
        )
        raise CliError(ExitCode.USAGE, f"the document has no export {name}", f"it has {', '.join((*times, NOW))}")
    return found
