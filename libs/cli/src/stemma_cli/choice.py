"""Decisions about several sections: which ones, in which versions, and one request for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stemma_client.client import Client
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.requests import SeenVersion
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.output import note

from .consent import agreed, at_a_terminal, note_findings, seen_version, show_text


@dataclass(frozen=True)
class Choice:
    """The sections that a person names, each as ``SECTION`` or ``SECTION=VERSION``, or all that it is possible for."""

    sections: Sequence[str]
    version: int | None = None
    every: bool = False


EVERY = Choice((), every=True)


async def chosen(
    client: Client, document: str, choice: Choice, possible: Callable[[SectionView], bool]
) -> tuple[DocumentView, list[SectionView]]:
    """The document and the sections; ``possible`` is the condition of those that ``every`` stands for."""
    view = await client.document(await find_document(client, document))
    if choice.every:
        return view, [section for section in view.sections.values() if possible(section)]
    names = [name.partition("=")[0] for name in choice.sections]
    if unknown := [name for name in names if name not in view.sections]:
        known = f"it has {', '.join(view.sections)}"
        raise CliError(ExitCode.USAGE, f"the document has no section {unknown[0]!r}", known)
    return view, [view.sections[name] for name in dict.fromkeys(names)]


async def seen_versions(
    client: Client, view: DocumentView, sections: Sequence[SectionView], choice: Choice, verb: str
) -> dict[str, int]:
    """The versions that a decision is about: those that are named, else the current ones once they were shown."""
    given = named_versions(choice)
    if len(sections) == 1 and not choice.every:
        [section] = sections
        return {section.section_id: await seen_version(client, view, section, given.get(section.section_id), verb)}
    versions = {section.section_id: given.get(section.section_id) or current_version(section) for section in sections}
    for section in sections:
        unread = at_a_terminal() and not choice.every and section.section_id not in given
        await _tell(client, view, section, versions[section.section_id], with_text=unread)
    if choice.every and not at_a_terminal():
        return versions
    if not versions.keys() <= given.keys():
        named = " ".join(f"{name}={version}" for name, version in versions.items())
        await agreed(
            f"{verb.capitalize()} these?",
            "say which versions you read",
            f"these are current: `stemma {verb} {view.document_id[:8]} {named}`",
        )
    return versions


async def _tell(client: Client, view: DocumentView, section: SectionView, version: int, *, with_text: bool) -> None:
    """What a decision would be about."""
    note(f"{section.section_id} version {version}: {section.title}")
    if with_text:
        await show_text(client, view, section)
    await note_findings(client, view, section, version)


def named_versions(choice: Choice) -> dict[str, int]:
    """The versions that stand on the command line, by section."""
    pairs = [name.partition("=") for name in choice.sections]
    try:
        named = {name: int(version) for name, separator, version in pairs if separator}
    except ValueError:
        raise CliError(ExitCode.USAGE, "a version is a number", "name a section as SECTION=VERSION") from None
    if nothing := [name for name, version in named.items() if version < 1]:
        raise CliError(ExitCode.USAGE, f"{nothing[0]}: versions are counted from 1", "see them with `stemma show DOC`")
    if choice.version is not None and len(pairs) == 1:
        named.setdefault(pairs[0][0], choice.version)
    return named


def seen_sections(versions: Mapping[str, int]) -> tuple[SeenVersion, ...]:
    """The same as requests name them."""
    return tuple(SeenVersion(section_id=name, version=version) for name, version in versions.items())


def current_version(section: SectionView) -> int:
    """The version that there is; a section without one cannot be decided about."""
    if section.version == 0:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section.section_id} yet")
    return section.version


def versions_words(accepted: RequestAccepted, versions: Mapping[str, int]) -> str:
    """The sections in the order in which they were taken; an orchestrator of before names none of them."""
    names = accepted.section_ids or tuple(versions)
    return ", ".join(f"{name} version {versions[name]}" for name in names)
