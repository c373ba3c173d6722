"""The answer to a request in words or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lookup import find_document, find_section
from .output import note, reply
from .runtime import connected

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.requests import Request


async def ask(
    request: type[Request], document: str, section: str | None = None, *, done: str, as_json: bool, **fields: Any
) -> None:
    """Make a request of that class about a document, or a section of it, and print what was done.

    The words of ``done`` name fields of the request in braces.
    """
    async with connected(as_json) as client:
        if section is None:
            fields |= {"document_id": await find_document(client, document)}
        else:
            view, _ = await find_section(client, document, section)
            fields |= {"document_id": view.document_id, "section_id": section}
        accepted = await client.request(request.model_validate(fields))
    tell_answer(accepted, done.format(**fields), as_json=as_json)


def tell_answer(accepted: RequestAccepted, words: str, *, as_json: bool, **more: Any) -> None:
    """What was done, or the answer with ``more`` in it."""
    reply({**dict(accepted), **more}, words, as_json=as_json)


async def tell_new_version(
    client: Client, accepted: RequestAccepted, document_id: str, section: str, done: str, *, as_json: bool
) -> None:
    view = await client.document(document_id)
    number, stale = view.sections[section].version, [s.section_id for s in view.stale]
    tell_answer(accepted, f"{done} {section} version {number}", as_json=as_json, version=number, stale=stale)
    if stale:
        note(f"stale now: {', '.join(stale)}; see `stemma stale {document_id[:8]}`")
