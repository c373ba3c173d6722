"""Verbs that change a section at any time, or a fact wherever it stands."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import (
    AsJson,
    Document,
    Section,
    Version,
    find_document,
    find_section,
    version_to_decide,
    words_or_stdin,
)
from stemma_cli.output import clean_line, note, say, say_json, say_rows
from stemma_cli.runtime import connected, tell_answer, tell_new_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from stemma_client.client import Client
    from stemma_client.facts import Stated
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.merges import MergeConflict
    from stemma_contracts.v1.views import DocumentView, SectionView
    from stemma_markdown import SingleChange


async def edit(
    document: Document,
    section: Section,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Instruction to the editor agent; `-` reads it from stdin.")
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", help="Markdown file that takes the place of the text; `-` is stdin.")
    ] = None,
    editor: Annotated[bool, typer.Option("--editor", "-e", help="Open the text in $EDITOR.")] = False,
    image: Annotated[Path | None, typer.Option("--image", metavar="PATH", help="Image to add to the text.")] = None,
    caption: Annotated[str, typer.Option("--caption", help="With --image: what it shows.")] = "",
    under: Annotated[
        str | None, typer.Option("--under", metavar="HEADING", help="With --image: its place; the end of the text.")
    ] = None,
    version: Annotated[
        int | None, typer.Option("--version", min=0, help="The version that was read; the current one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change any section at any time, in words to the editor agent or by a text of your own, or add an image to it.

    Example: stemma edit 3f2a budget -m "Replace 12 weeks with 10 weeks."
    Example: stemma edit 3f2a solution --image plan.png --caption "The plan" --under "Our approach"
    """
    ways = (message is not None) + (file is not None) + editor + (image is not None)
    if ways != 1 or (editor and version is not None):
        raise typer.BadParameter("give one of --message, --file, --editor and --image; --editor takes no --version")
    if image is None and (caption or under is not None):
        raise typer.BadParameter("--caption and --under go with --image")

    from stemma_cli.prompt import text_in

    async with connected(as_json) as client:
        text = None if file is None else await text_in(file)
        view, found = await find_section(client, document, section)
        if message is not None:
            version = version_to_decide(found, version)
            words = await words_or_stdin(message)
            accepted = await client.edit(view.document_id, section, version, instruction=words)
            done = f"asked the editor to change {section} version {version}"
            tell_answer(accepted, done, as_json=as_json, version=version)
            note(f"see what comes of it with `stemma watch {view.document_id[:8]}`")
        elif text is not None:
            version = found.version if version is None else version
            accepted = await client.edit(view.document_id, section, version, text=text)
            await tell_new_version(client, accepted, view.document_id, section, "wrote", as_json=as_json)
        elif image is not None:
            await _add_image(client, view, found, _Picture(image, caption, under, version), as_json)
        else:
            await _edit_by_hand(client, view, found, as_json)


class _Picture(NamedTuple):
    file: Path
    caption: str
    under: str | None
    version: int | None


async def _add_image(
    client: Client, view: DocumentView, section: SectionView, picture: _Picture, as_json: bool
) -> None:
    from stemma_client.pictures import SUFFIX, drawn, name_of, with_image

    document_id, name = view.document_id, section.section_id
    version = version_to_decide(section, picture.version)
    text = await client.text(document_id, section.draft)
    image = name_of(picture.file)
    # A heading that is not there is told before anything is sent.
    changed = with_image(text, image, picture.caption, picture.under)
    if image.endswith(SUFFIX):
        shown = await drawn(client, document_id, picture.file, image)
        changed = with_image(text, shown, picture.caption, picture.under)
        accepted = await client.edit(document_id, name, version, text=changed)
    else:
        upload = await client.upload(picture.file, name=image)
        accepted = await client.edit(document_id, name, version, text=changed, images=(upload,))
    await tell_new_version(client, accepted, document_id, name, "wrote", as_json=as_json)


async def _edit_by_hand(client: Client, view: DocumentView, section: SectionView, as_json: bool) -> None:
    """Open the current text in the person's editor and send what comes of it, if it is another.

    It is a decision about the version that was opened: if another came meanwhile, nothing is replaced, and what
    it changed is merged into the person's text, which stays in its file. Sent again, it takes the place of the version
    that was merged, and of no newer one.
    """
    from stemma_client.errors import RequestRejectedError

    from stemma_cli.prompt import edited_in_file, kept_unless_sent, merge_into, text_in

    document_id, name, version = view.document_id, section.section_id, section.version
    before = await client.text(document_id, section.draft)
    file = await edited_in_file(name, before)
    text = await text_in(str(file))
    if text == before or not text.strip():
        file.unlink()
        note("nothing was changed, so nothing is sent" if text == before else "the text is empty, so nothing is sent")
        return
    with kept_unless_sent(file, lambda: f"stemma edit {document_id[:8]} {name} --file {file} --version {version}"):
        try:
            accepted = await client.edit(document_id, name, version, text=text)
        except RequestRejectedError:
            version = await merge_into(file, client, document_id, section, before)
            raise
        await tell_new_version(client, accepted, document_id, name, "wrote", as_json=as_json)


Proposal = Annotated[str | None, typer.Option("--proposal", help="The edit that was read, as `show` names it.")]


async def accept_edit(
    document: Document,
    section: Annotated[str | None, typer.Argument(metavar="SECTION", help="Section id.")] = None,
    proposal: Proposal = None,
    everything: Annotated[bool, typer.Option("--all", help="Accept all edits that wait.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make an edit that the editor proposes the text of its section.

    At a terminal it is shown first; a script names the one that was read. --all takes those that it prints.

    Example: stemma accept-edit 3f2a budget --proposal p17
    """
    if (section is None) != everything or (everything and proposal is not None):
        raise typer.BadParameter("give either SECTION, with or without --proposal, or --all")

    from stemma_contracts.v1.requests import AcceptEdit

    from stemma_cli.consent import seen_proposal, seen_proposals

    async with connected(as_json) as client:
        if section is None:
            view = await client.document(await find_document(client, document))
            seen = await seen_proposals(client, view)
        else:
            view, found = await find_section(client, document, section)
            seen = {section: await seen_proposal(client, view, found, proposal, "accept")}
        if not seen:
            note("no edit is proposed")
        for name, (version, proposal_id) in seen.items():
            about = {"document_id": view.document_id, "section_id": name}
            accepted = await client.request(AcceptEdit(**about, version=version, proposal_id=proposal_id))
            done = f"accepted {proposal_id}:"
            await tell_new_version(client, accepted, view.document_id, name, done, as_json=as_json)


async def reject_edit(document: Document, section: Section, proposal: Proposal = None, as_json: AsJson = False) -> None:
    """Drop an edit that the editor proposes, or is still making.

    Example: stemma reject-edit 3f2a budget --proposal p17
    """
    from stemma_contracts.v1.requests import RejectEdit

    from stemma_cli.consent import seen_proposal

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        version, proposal_id = await seen_proposal(client, view, found, proposal, "reject")
        about = {"document_id": view.document_id, "section_id": section}
        rejected = await client.request(RejectEdit(**about, version=version, proposal_id=proposal_id))
        tell_answer(rejected, f"rejected {proposal_id}: {section} stays version {found.version}", as_json=as_json)


Sections = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SECTION[=VERSION]]...", help="Sections, with the versions that were read."),
]


async def keep(
    document: Document,
    sections: Sections = None,
    version: Version = None,
    everything: Annotated[bool, typer.Option("--all", "--stale", help="Keep all sections that are stale.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep stale sections as they are: they rest on what is there now.

    At a terminal the text is shown first; a script names the version that was read. Several sections are kept by one
    request, each after those that it rests on, or none of them. --all takes the versions that it prints.

    Example: stemma keep 3f2a conclusion --version 2
    """
    from stemma_contracts.v1.requests import KeepSection, KeepSections

    from stemma_cli.consent import Choice, chosen, seen_sections, seen_versions, versions_words

    choice = Choice(*_checked(sections, version, everything))
    async with connected(as_json) as client:
        view, found = await chosen(client, document, choice, lambda section: section.is_to_be_kept_or_regenerated)
        if not found:
            note("nothing is stale")
            return
        versions, about = await seen_versions(client, view, found, choice, "keep"), {"document_id": view.document_id}
        if len(versions) == 1:
            [(name, number)] = versions.items()
            accepted = await client.request(KeepSection(**about, section_id=name, version=number))
            tell_answer(accepted, f"kept {name} version {number}", as_json=as_json, version=number)
        else:
            accepted = await client.request(KeepSections(**about, sections=seen_sections(versions)))
            tell_answer(accepted, f"kept {versions_words(accepted, versions)}", as_json=as_json, versions=versions)


async def regenerate(
    document: Document,
    sections: Sections = None,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Guidance to the writer; `-` reads it from stdin.")
    ] = None,
    replace_edited: Annotated[
        bool, typer.Option("--replace-edited", help="Let what people wrote go; else it stays in the new text.")
    ] = False,
    version: Version = None,
    stale: Annotated[bool, typer.Option("--stale", help="All sections that are stale.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All sections that have a text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have sections written anew, with guidance, each after those that it rests on.

    At a terminal the text is shown first; a script names the version that was read. --all and --stale take the
    versions that they print. What people wrote and deleted is merged with the new text; where both changed the same,
    theirs stays, and `stemma settle` shows both. Every version stays and can be restored.

    Example: stemma regenerate 3f2a budget --version 2 -m "Mention the rent of the rooms."
    """
    from stemma_contracts.v1.requests import RegenerateSection, RegenerateSections

    from stemma_cli.consent import Choice, chosen, seen_sections, seen_versions, versions_words

    choice = Choice(*_checked(sections, version, stale or everything))
    possible = attrgetter("is_to_be_kept_or_regenerated" if stale else "can_be_regenerated")
    async with connected(as_json) as client:
        view, found = await chosen(client, document, choice, possible)
        if not found:
            note("there is nothing to regenerate")
            return
        versions = await seen_versions(client, view, found, choice, "regenerate")
        guidance = await words_or_stdin(message) if message else None
        about = {"document_id": view.document_id, "guidance": guidance, "replace_edited": replace_edited}
        if len(versions) == 1:
            [(name, number)] = versions.items()
            asked = RegenerateSection.model_validate(about | {"section_id": name, "version": number})
            accepted = await client.request(asked)
            waits = await _waits(client, accepted, [name])
            done = f"{'queued' if waits else 'regenerating'} {name}, in place of version {number}"
            tell_answer(accepted, ": it ".join([done, *waits.values()]), as_json=as_json, version=number)
        else:
            several = RegenerateSections.model_validate(about | {"sections": seen_sections(versions)})
            accepted = await client.request(several)
            waits = await _waits(client, accepted, versions)
            begun = {name: number for name, number in versions.items() if name not in waits}
            late = {name: number for name, number in versions.items() if name in waits}
            said = (("regenerating", begun), ("queued", late))
            words = "; ".join(f"{what} {versions_words(accepted, some)}" for what, some in said if some)
            tell_answer(accepted, words, as_json=as_json, versions=versions)
            for name, waiting in waits.items():
                note(f"{name} is queued: it {waiting}")


async def _waits(client: Client, accepted: RequestAccepted, names: Iterable[str]) -> dict[str, str]:
    from stemma_cli.wording import queued_words

    view = await client.document(accepted.document_id, at_least=accepted.sequence)
    return {name: words for name in names if (words := queued_words(view, name))}


def _checked(sections: list[str] | None, version: int | None, everything: bool) -> tuple[list[str], int | None, bool]:
    named = sections or []
    if bool(named) == everything:
        raise typer.BadParameter("give either sections, as SECTION or SECTION=VERSION, or an option for all")
    if version is not None and len(named) != 1:
        raise typer.BadParameter("--version is of one section; of several, write SECTION=VERSION")
    return named, version, everything


async def restore(
    document: Document,
    section: Section,
    earlier: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="The version to bring back.")],
    as_json: AsJson = False,
) -> None:
    """Bring back the text of an earlier version, as a new version.

    Example: stemma restore 3f2a research 2
    """
    from stemma_contracts.v1.requests import RestoreSection

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        version = version_to_decide(found, None)
        about = {"document_id": view.document_id, "section_id": section}
        accepted = await client.request(RestoreSection(**about, version=version, restore_version=earlier))
        now = (await client.document(view.document_id)).sections[section].version
        tell_answer(accepted, f"restored {section} version {earlier} as version {now}", as_json=as_json, version=now)


async def settle(
    document: Document,
    section: Section,
    choices: Annotated[
        list[str] | None, typer.Argument(metavar="[ours|theirs|both]...", help="One for each conflict, or one for all.")
    ] = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Show where a new text and what people wrote changed the same, or settle it: the result is your text.

    `ours` is what people wrote and stands in the text, `theirs` what the machine wrote. A script names the version.

    Example: stemma settle 3f2a budget
    Example: stemma settle 3f2a budget ours theirs both --version 4
    """
    from stemma_client.differences import conflicts_of, settled

    from stemma_cli.consent import seen_version

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        conflicts = await conflicts_of(client, view.document_id, found.current)
        if not conflicts or not choices:
            say_rows(_CONFLICTS, [*enumerate(conflicts, 1)], as_json=as_json)
            return
        text = await client.text(view.document_id, found.draft)
        text = settled(text, conflicts, choices * len(conflicts) if len(choices) == 1 else choices)
        seen = await seen_version(client, view, found, version, "settle")
        accepted = await client.edit(view.document_id, section, seen, text=text)
        await tell_new_version(client, accepted, view.document_id, section, "settled", as_json=as_json)


async def take_back(
    document: Document,
    section: Section,
    changes: Annotated[
        list[int] | None, typer.Argument(metavar="NUMBER", help="Changes to take back; none lists them.")
    ] = None,
    since: Annotated[int, typer.Option(min=1, help="The version that they are compared with.")] = 1,
    as_json: AsJson = False,
) -> None:
    """List the single changes since a version by their numbers, or take some back; every other word stays.

    Example: stemma take-back 3f2a budget --since 1
    Example: stemma take-back 3f2a budget 2 5 --since 1
    """
    from stemma_contracts.v1.requests import TakeBackChanges
    from stemma_markdown import single_changes

    async with connected(as_json) as client:
        view, found = await find_section(client, document, section)
        if (old := found.numbered(since)) is None or found.current is None:
            raise CliError(ExitCode.FAILED, f"{section} has no version {since}")
        before, after = [await client.text(view.document_id, version.draft) for version in (old, found.current)]
        singles = single_changes(before, after, view.language)
        if not changes:
            say_rows(_SINGLES, [each for each in enumerate(singles, 1) if not each[1].is_blank], as_json=as_json)
            return
        about = {"document_id": view.document_id, "section_id": section, "version": found.version, "since": since}
        chosen = {"changes": changes, "shown": len(singles)}
        accepted = await client.request(TakeBackChanges.model_validate(about | chosen))
    tell_answer(accepted, f"took {len(changes)} changes of {section} back", as_json=as_json)


_CONFLICTS: Mapping[str, Callable[[tuple[int, MergeConflict]], str]] = {
    "NUMBER": lambda each: str(each[0]),
    "IT WAS": lambda each: each[1].base.strip(),
    "OURS": lambda each: each[1].ours.strip() or "(deleted)",
    "THEIRS": lambda each: each[1].theirs.strip() or "(deleted)",
}
_SINGLES: Mapping[str, Callable[[tuple[int, SingleChange]], str]] = {
    "NUMBER": lambda each: str(each[0]),
    "LINE": lambda each: str(each[1].line),
    "REMOVED": lambda each: each[1].removed.strip(),
    "ADDED": lambda each: each[1].added.strip(),
}


_SHORT, _AROUND = 12, 60


async def fact(
    document: Document,
    written: Annotated[str, typer.Argument(help="What stands in the sections, as it is written.")],
    instead: Annotated[str, typer.Argument(help="What is to stand there instead.")],
    at: Annotated[
        list[str] | None, typer.Option("--at", metavar="PLACE", help="Only this place, as it is listed: offer:120.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Change what is shown.")] = False,
    shown: Annotated[str, typer.Option(metavar="DIGEST", help="With --apply: only if this is what is found.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show each place of a fact in all sections with what would stand there; --apply changes all of them, or none.

    The edits are yours; sections that rest on what is changed become stale. What stands in code, HTML, the targets of
    links and block quotes is left as it is.

    Example: stemma fact 3f2a "24 months" "36 months"
    Example: stemma fact 3f2a "24 months" "36 months" --at offer:120 --apply
    """
    from stemma_client.facts import MOST_SHOWN, change_of, digest_of, places_of

    async with connected(as_json) as client:
        view = await client.document(await find_document(client, document))
        found = await places_of(client, view, written)
        if strange := set(at or ()) - {name for each in found for name in each.names}:
            raise CliError(ExitCode.FAILED, f"{clean_line(written)} does not stand at {clean_line(min(strange))}")
        found = tuple(each.only(at) for each in found) if at else found
        if not any(each.places for each in found):
            raise CliError(ExitCode.FAILED, f"no section says {clean_line(written)} there")
        change = change_of(view.document_id, found, written, instead)
        if not (digest := digest_of(change)).startswith(shown):
            raise CliError(ExitCode.FAILED, f"{digest[:_SHORT]} is found now", "look at it before you apply it")
        if apply:
            accepted = await client.request(change)
            names = ", ".join(each.section_id for each in change.sections)
            tell_answer(accepted, f"changed {names}", as_json=as_json, digest=digest)
        elif as_json:
            say_json({"digest": digest, **change.model_dump(mode="json", include={"sections", "written", "instead"})})
        else:
            _show_places(found, written, instead)
            if sum(len(each.places) for each in found) >= MOST_SHOWN:
                note(f"these are the first {MOST_SHOWN}: look again when they are changed")
            note(f"nothing was changed; --apply changes all of it, with --shown {digest[:_SHORT]} only this")


def _show_places(found: Sequence[Stated], written: str, instead: str) -> None:
    for each in found:
        for place in each.places:
            before, behind = place.before[-_AROUND:], place.behind[:_AROUND]
            words = clean_line(f"{before}[-{written}-]{{+{instead}+}}{behind}")
            say(f"{each.section_id}:{place.start} (line {place.line}): {words}")
