"""Tools that change what is written, at any time; every version stays and can be restored."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.v1 import requests as r

from .answers import Accepted
from .arguments import DocumentId, ReplaceEdited, RequestId, SectionId, SeenSections, SeenVersion
from .clients import asked
from .steps import accepted


async def edit_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: Annotated[int, Field(ge=0, description="The version that you read; 0 if nothing is written yet.")],
    instruction: Annotated[
        str, Field(max_length=20_000, description="What the editor is to change; it changes that and nothing else.")
    ] = "",
    text: Annotated[str, Field(description="The whole new text, in Markdown, in place of an instruction.")] = "",
    request_id: RequestId = "",
) -> Accepted:
    """Change any section at any time: by an instruction to the editor, or by a text that takes its place. A text
    counts at once. What the editor makes of an instruction to a settled section is proposed: look with read_section,
    then accept_edit or reject_edit. The sections that rest on what was changed become stale."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    wanted: dict[str, Any] = {"instruction": instruction or None, "text": text or None}
    return accepted(await asked(client, r.EditSection, request_id, **about, **wanted))


async def regenerate_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: SeenVersion,
    guidance: Annotated[str, Field(max_length=20_000, description="What to do differently, in words.")] = "",
    replace_edited: ReplaceEdited = False,
    request_id: RequestId = "",
) -> Accepted:
    """Have a section written anew from what it rests on now, as a stale one may need; the old version can be
    restored."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    wanted = {"guidance": guidance or None, "replace_edited": replace_edited}
    return accepted(await asked(client, r.RegenerateSection, request_id, **about, **wanted))


async def keep_section(
    client: Client, document_id: DocumentId, section_id: SectionId, version: SeenVersion, request_id: RequestId = ""
) -> Accepted:
    """Keep a stale section as it is, although what it rests on has changed. Read first whether its text still holds;
    what it rests on has to be decided first."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    return accepted(await asked(client, r.KeepSection, request_id, **about))


async def keep_sections(
    client: Client, document_id: DocumentId, sections: SeenSections, request_id: RequestId = ""
) -> Accepted:
    """Keep several stale sections as they are: all of them, each in the version that you read, or none."""
    return accepted(await asked(client, r.KeepSections, request_id, document_id=document_id, sections=sections))


async def regenerate_sections(
    client: Client,
    document_id: DocumentId,
    sections: SeenSections,
    guidance: Annotated[str, Field(max_length=20_000, description="What to do differently, in words, for all.")] = "",
    replace_edited: ReplaceEdited = False,
    request_id: RequestId = "",
) -> Accepted:
    """Have several sections written anew, each after those that it rests on: all of them, or none."""
    wanted = {"sections": sections, "guidance": guidance or None, "replace_edited": replace_edited}
    return accepted(await asked(client, r.RegenerateSections, request_id, document_id=document_id, **wanted))


async def restore_section(
    client: Client,
    document_id: DocumentId,
    section_id: SectionId,
    version: SeenVersion,
    restore_version: Annotated[int, Field(ge=1, description="The earlier version whose text comes back.")],
    request_id: RequestId = "",
) -> Accepted:
    """Bring back the text of an earlier version, as a new version."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    return accepted(await asked(client, r.RestoreSection, request_id, **about, restore_version=restore_version))


async def retry_section(
    client: Client, document_id: DocumentId, section_id: SectionId, request_id: RequestId = ""
) -> Accepted:
    """Try a failed section again. If inputs were missing, it fails again until they are there."""
    return accepted(await asked(client, r.RetrySection, request_id, document_id=document_id, section_id=section_id))
