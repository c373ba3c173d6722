"""A person decides about what was seen: it is shown before it is asked for, and a script names its version."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stemma_client.client import Client
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import SeenVersion
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_cli.lookup import each_once
from stemma_cli.rendering.changes import show_proposal

from .exit_codes import CliError, ExitCode
from .lookup import find_document
from .output import console, note, rendered
from .prompt import ask
from .rendering.changes import changes_note, changes_of
from .rendering.findings import lines_about

_CHANGED = frozenset({Origin.REVISED, Origin.EDITED})


async def seen_version(client: Client, view: DocumentView, section: SectionView, given: int | None, verb: str) -> int:
    """The version that a decision is about: the one that is named, else the current one once it was shown."""
    if section.version == 0:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section.section_id} yet")
    if given is not None:
        return given
    number, name = section.version, f"{view.document_id[:8]} {section.section_id}"
    if at_a_terminal():
        await show_text(client, view, section)
        await note_findings(client, view, section, number)
    await agreed(
        f"{verb.capitalize()} {section.section_id} version {number}?",
        f"say which version of {section.section_id} you read",
        f"version {number} is current: read it with `stemma show {name}`, then say --version {number}",
    )
    return number


def at_a_terminal() -> bool:
    return sys.stdin.isatty()


async def agreed(question: str, otherwise: str, hint: str) -> None:
    """Ask a person at the terminal; without one it has to be said on the command line, as the hint tells."""
    if not at_a_terminal():
        raise CliError(ExitCode.USAGE, otherwise, hint)
    if not await ask(question, otherwise="nothing was decided"):
        raise CliError(ExitCode.FAILED, "nothing was decided")


async def note_findings(client: Client, view: DocumentView, section: SectionView, version: int) -> None:
    """What is wrong with a version, or may be, on stderr; of one that is not current any more nothing is known."""
    for words in await lines_about(client, view, section) if version == section.version else ():
        note(f"{section.section_id}: {words}")


async def show_text(client: Client, view: DocumentView, section: SectionView) -> None:
    """The text; of a version that the editor made of another one, what it changed."""
    current = section.current
    assert current is not None
    before = section.versions[-2] if len(section.versions) > 1 else None
    if before is None or current.origin not in _CHANGED:
        console(stderr=True).print(rendered(await client.text(view.document_id, current.draft)))
        return
    note(f"version {before.number} -> {current.number}: {await client.text(view.document_id, current.summary)}")
    changes_note(await changes_of(client, view, before.draft, current.draft))


async def seen_proposal(
    client: Client, view: DocumentView, section: SectionView, given: str | None, verb: str
) -> tuple[int, str]:
    """Which proposal a decision is about: the one that is named, else the one that is shown first."""
    proposal = section.proposal
    if given is not None:
        known = proposal is not None and proposal.proposal_id == given
        return (proposal.version if known and proposal else max(1, section.version)), given
    if proposal is None:
        raise CliError(
            ExitCode.FAILED, f"no edit of {section.section_id} is proposed", await _last_edit(client, view, section)
        )
    name = f"{view.document_id[:8]} {section.section_id}"
    await show_proposal(client, view, section, proposal)
    await agreed(
        f"{verb.capitalize()} {proposal.proposal_id}?",
        f"say which proposed edit of {section.section_id} you read",
        f"read it with `stemma show {name}`, then `stemma {verb}-edit {name} --proposal {proposal.proposal_id}`",
    )
    return proposal.version, proposal.proposal_id


async def _last_edit(client: Client, view: DocumentView, section: SectionView) -> str:
    if section.refusal is not None:
        return f"the editor refused the last instruction: {await client.text(view.document_id, section.refusal)}"
    return f"what failed last: {section.failure}" if section.failure else ""


async def seen_proposals(client: Client, view: DocumentView) -> dict[str, tuple[int, str]]:
    """All proposals that wait, once they were shown: by section the version that each changes, and its id."""
    waiting = {s.section_id: s.proposal for s in view.sections.values() if s.proposes and s.proposal is not None}
    for name, proposal in waiting.items():
        await show_proposal(client, view, view.sections[name], proposal)
    if waiting and at_a_terminal():
        await agreed("Accept these?", "", "")
    return {name: (proposal.version, proposal.proposal_id) for name, proposal in waiting.items()}


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
    note(f"{section.section_id} version {version}: {section.title}")
    if with_text:
        await show_text(client, view, section)
    await note_findings(client, view, section, version)


def named_versions(choice: Choice) -> dict[str, int]:
    pairs = [name.partition("=") for name in choice.sections]
    try:
        named = each_once(((name, int(version)) for name, separator, version in pairs if separator), "SECTION=VERSION")
    except ValueError:
        raise CliError(ExitCode.USAGE, "a version is a number", "name a section as SECTION=VERSION") from None
    if nothing := [name for name, version in named.items() if version < 1]:
        raise CliError(ExitCode.USAGE, f"{nothing[0]}: versions are counted from 1", "see them with `stemma show DOC`")
    if choice.version is not None and len(pairs) == 1:
        named.setdefault(pairs[0][0], choice.version)
    return named


def seen_sections(versions: Mapping[str, int]) -> tuple[SeenVersion, ...]:
    return tuple(SeenVersion(section_id=name, version=version) for name, version in versions.items())


def current_version(section: SectionView) -> int:
    if section.version == 0:
        raise CliError(ExitCode.FAILED, f"nothing is written in {section.section_id} yet")
    return section.version


def versions_words(accepted: RequestAccepted, versions: Mapping[str, int]) -> str:
    """The sections in the order in which they were taken; an orchestrator of before names none of them."""
    names = accepted.section_ids or tuple(versions)
    return ", ".join(f"{name} version {versions[name]}" for name in names if name in versions)
