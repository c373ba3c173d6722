"""Telling what can be asked for."""

from __future__ import annotations

from stemma_client.client import Client
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.review import ReviewMode

from stemma_cli.output import note, say_json, say_table


async def list_kinds(client: Client, *, as_json: bool) -> None:
    """Every kind with its sections, and which of them a person settles."""
    found = await client.kinds()
    if as_json:
        say_json([kind.model_dump(mode="json") for kind in found])
        return
    columns = ("KIND", "TITLE", "SECTIONS", "SETTLED BY A PERSON", "NEEDS", "WHAT IT IS")
    say_table(columns, [_row(kind) for kind in found])
    note("inputs are Markdown, text, CSV, JSON and images: `stemma new KIND --brief FILE --input FOLDER`")


def _row(kind: DocumentKind) -> tuple[str, ...]:
    required = [section for section in kind.sections if section.required]
    by_a_person = [section.section_id for section in required if section.review is ReviewMode.HUMAN]
    everything = len(by_a_person) == len(required)
    settled = "every section" if everything else ", ".join(by_a_person) or "nothing, unless a check fails"
    return (kind.kind, kind.title, ", ".join(s.section_id for s in required), settled, _needs(kind), kind.description)


def _needs(kind: DocumentKind) -> str:
    types = dict.fromkeys(media_type for section in kind.sections for media_type in section.needs_input)
    return f"a brief and a file of {' or '.join(types)}" if types else "a brief"
