"""The verb for a document that comes back from a word processor."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import find_document
from stemma_cli.output import clean, console, note, say, say_json
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_client.returned import ReturnedDocument, ReturnedSection


async def import_(
    document: Document,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The DOCX that came back.")],
    apply: Annotated[bool, typer.Option("--apply", help="Make the edits and comments that are shown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what people did to a document in Word or LibreOffice, section by section; --apply takes it over.

    Tracked changes, other changes and comments are told by their authors. With --apply the changes of each are an edit
    of theirs. A section that has another version since is merged; where both changed the same, both texts are shown
    and nothing of that section is taken over, which ends with exit code 1.

    Example: stemma import 3f2a proposal.docx
    Example: stemma import 3f2a proposal.docx --apply
    """
    from stemma_client.returned import apply_returned, read_returned

    try:
        content = file.read_bytes()
    except OSError as error:
        raise CliError(ExitCode.USAGE, f"{file} cannot be read: {error.strerror}") from None
    async with connected(as_json) as client:
        view = await client.document(await find_document(client, document))
        found = await read_returned(client, view, content)
        versions = dict[str, int]()
        if apply:
            for section in (one for one in found.sections if not one.conflicts):
                if section.merged or section.comments:
                    versions[section.section_id] = await apply_returned(client, view, section)
    if as_json:
        say_json({**asdict(found), "applied": versions})
    else:
        _show(found, view.language)
        for name, version in versions.items():
            say(f"{name} is version {version} now")
        if not apply and any(section.merged or section.comments for section in found.sections):
            note("nothing was changed; --apply takes this over")
    if any(section.conflicts for section in found.sections):
        raise CliError(ExitCode.FAILED, "some sections were changed by both sides", "settle them with `stemma edit`")


def _show(found: ReturnedDocument, language: str) -> None:
    if found.certainty < 1:
        note(f"the file does not say what its paragraphs are: {found.certainty:.0%} of the text was found in it")
    for section in found.sections:
        _show_section(section, language)
    for words in found.around:
        say(f"outside of the sections: {words}")
    _show_comments("outside of the sections", found)
    if not any(section.edits or section.comments or section.removed for section in found.sections):
        note("nobody changed a section or commented on one")


def _show_section(section: ReturnedSection, language: str) -> None:
    from stemma_client.differences import differences

    from stemma_cli.rendering.changes import print_changes, stat_words

    for edit in section.edits:
        changes = differences(edit.before, edit.after, language)
        when = f" on {edit.at:%Y-%m-%d}" if edit.at else ""
        say(f"{section.section_id} version {section.version}: {edit.author or 'somebody'}{when}: {stat_words(changes)}")
        print_changes(changes, console())
    _show_comments(section.section_id, section)
    if section.removed:
        say(f"{section.section_id}: all of its text is gone from the file; the section stays as it is")
    for words in section.unwritten:
        say(f"{section.section_id}: there is no place in its Markdown for: {words}")
    if section.is_outdated and section.edits:
        say(f"{section.section_id} has version {section.now} since: the changes are merged into that")
    for conflict in section.conflicts:
        say(f"{section.section_id}: both changed this; the file says:")
        print(clean(conflict.ours))
        say(f"version {section.now} says:")
        print(clean(conflict.theirs))


def _show_comments(place: str, found: ReturnedDocument | ReturnedSection) -> None:
    for comment in found.comments:
        state = " (resolved: it is not taken over)" if comment.resolved else ""
        about = f" on \u201c{comment.quote}\u201d" if comment.quote else ""
        say(f"{place}: {comment.author or 'somebody'} comments{about}{state}: {comment.text}")


VERBS = {"import": import_}
