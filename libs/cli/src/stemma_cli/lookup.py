"""Arguments and options that several verbs share, and finding what a person means by them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from .exit_codes import CliError, ExitCode
from .output import clean_line

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.references import ArtifactRef
    from stemma_contracts.v1.views import DocumentView, SectionView

NOT_STORED = "(not stored any more)"


async def find_document(client: Client, beginning: str) -> str:
    """The id of the one document that begins so; an id that no read model knows yet is taken as it is."""
    from stemma_contracts.tokens import check_token

    check_token(beginning, "document id")
    ids = await client.document_ids()
    found = [beginning] if beginning in ids else [i for i in ids if i.startswith(beginning)]
    if len(found) > 1:
        raise CliError(ExitCode.USAGE, f"{len(found)} documents begin with {beginning}: {', '.join(found[:8])}")
    return found[0] if found else beginning


async def find_section(client: Client, beginning: str, section_id: str) -> tuple[DocumentView, SectionView]:
    view = await client.document(await find_document(client, beginning))
    return view, section_of(view, section_id)


def section_of(view: DocumentView, section_id: str) -> SectionView:
    if section_id not in view.sections:
        known = ", ".join(view.sections)
        raise CliError(ExitCode.USAGE, f"the document has no section {section_id!r}", f"it has {known}")
    return view.sections[section_id]


def version_to_decide(section: SectionView, seen: int | None) -> int:
    """The version that a decision is about: the one that the person saw, else the current one."""
    if section.version == 0:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section.section_id} yet")
    return seen or section.version


async def title_of(client: Client, document_id: str, ref: ArtifactRef | None) -> str:
    """A title on one line; an erased document has none any more, and is listed all the same."""
    title = await client.stored_text(document_id, ref)
    return NOT_STORED if title is None else clean_line(title)


async def words_or_stdin(message: str) -> str:
    """What was given with ``-m``; ``-`` stands for stdin."""
    from .prompt import text_in

    return message if message != "-" else await text_in(message)


V = TypeVar("V")

Document = Annotated[str, typer.Argument(metavar="DOC", help="Document id, or the beginning of it.")]
Section = Annotated[str, typer.Argument(metavar="SECTION", help="Section id, as `stemma show DOC` lists it.")]
Message = Annotated[str, typer.Option("--message", "-m", help="What to say, in words; `-` reads it from stdin.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="The version that was read.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def each_once(pairs: Iterable[tuple[str, V]], about: str) -> dict[str, V]:
    """What is given by name, as in NAME=VALUE; of a name with two values nobody knows which was meant."""
    named = dict[str, V]()
    for name, value in pairs:
        if name in named:
            raise CliError(ExitCode.USAGE, f"{about}: {name} is given twice", "leave one of them out")
        named[name] = value
    return named
