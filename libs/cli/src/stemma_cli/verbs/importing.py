"""The verb for a document that comes back from a word processor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, each_once, find_document
from stemma_cli.output import clean, console, note, say, say_json
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stemma_client import Client
    from stemma_client.returned import Read
    from stemma_contracts.v1.requests import ApplyReturn
    from stemma_contracts.v1.returned import ReturnedComment, ReturnedDocument, ReturnedSection

Use = Literal["comment", "question", "guidance", "nothing"]
_SHORT = 12
_CHANGES = {
    "picture_added": "a picture was added",
    "picture_gone": "a picture is gone",
    "picture_moved": "a picture stands elsewhere",
    "picture_replaced": "a picture is another one",
    "formulas_changed": "its formulas are not as they left",
}


async def import_(
    document: Document,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The DOCX that came back, or the mail with it (.eml).")],
    apply: Annotated[bool, typer.Option("--apply", help="Make the edits and comments that are shown.")] = False,
    shown: Annotated[str, typer.Option(metavar="DIGEST", help="With --apply: only if this is what is found.")] = "",
    section: Annotated[
        list[str] | None,
        typer.Option("--section", help="Only this one, with the words of the file where both changed the same."),
    ] = None,
    comments: Annotated[Use, typer.Option(help="What comments become.")] = "comment",
    comment_as: Annotated[
        list[str] | None, typer.Option("--comment-as", metavar="ID=USE", help="What a single comment becomes.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what people did to a document in Word or LibreOffice, section by section; --apply takes it over.

    Tracked changes, other changes and comments are told by their authors. With --apply the changes of each are an edit
    of theirs, and comments become comments, questions that wait for an answer, or instructions for the editor agent. A
    section that has another version since is merged; where both changed the same, both texts are shown and nothing of
    that section is taken over, which ends with exit code 1, unless --section names it.

    Example: stemma import 3f2a proposal.docx
    Example: stemma import 3f2a proposal.docx --apply --comments guidance --comment-as 4=nothing
    """
    from stemma_client.returned import read_return
    from stemma_contracts.v1.requests import ApplyReturn

    uses = each_once(map(_use, comment_as or ()), "--comment-as")
    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        read = await read_return(client, document_id, await client.upload(file))
        _check(read, shown, section or ())
        versions = dict[str, int]()
        if apply:
            names = tuple(section) if section else None
            about = {"document_id": document_id, "return_id": read.return_id, "digest": read.shown.digest}
            more = {"sections": names, "comments": comments, "comments_as": uses}
            versions = await _applied(client, ApplyReturn.model_validate(about | more))
        language = (await client.document(document_id)).language
    if as_json:
        told = {"return_id": read.return_id, "digest": read.shown.digest, **read.found.model_dump(mode="json")}
        say_json({**told, "applied": versions})
    else:
        _show(read.found, language)
        for name, version in versions.items():
            say(f"{name} is version {version} now")
        if not apply and any(one.merged or one.comments for one in read.found.sections):
            note(f"nothing was changed; --apply takes this over , with --shown {read.shown.digest[:_SHORT]} only this")
    if any(one.conflicts and one.section_id not in versions for one in read.found.sections):
        words = "settle them with `stemma edit`, or take the words of the file with --section"
        raise CliError(ExitCode.FAILED, "some sections were changed by both sides", words)


def _use(words: str) -> tuple[str, str]:
    comment_id, _, use = words.partition("=")
    if use not in get_args(Use):
        raise typer.BadParameter(f"{words} is none of ID={'|'.join(get_args(Use))}", param_hint="--comment-as")
    return comment_id, use


def _check(read: Read, shown: str, sections: Sequence[str]) -> None:
    if not read.shown.digest.startswith(shown):
        raise CliError(ExitCode.FAILED, f"{read.shown.digest[:_SHORT]} is found now", "look at it before you apply it")
    known = [one.section_id for one in read.found.sections]
    if unknown := next((name for name in sections if name not in known), None):
        raise CliError(ExitCode.USAGE, f"the file has no section {unknown}", f"it has: {', '.join(known)}")


async def _applied(client: Client, request: ApplyReturn) -> dict[str, int]:
    """The sections that were changed, with the versions that they have then."""
    from stemma_client.errors import RequestRejectedError

    try:
        accepted = await client.request(request)
    except RequestRejectedError as rejected:
        if [problem.code for problem in rejected.problems] == ["return_nothing"]:
            return {}
        raise
    view = await client.document(request.document_id, at_least=accepted.sequence)
    return {name: view.sections[name].version for name in dict.fromkeys(accepted.section_ids)}


def _show(found: ReturnedDocument, language: str) -> None:
    if found.certainty < 1:
        note(f"the file does not say what its paragraphs are: {found.certainty:.0%} of the text was found in it")
    for section in found.sections:
        _show_section(section, language)
    for words in found.around:
        say(f"outside of the sections: {words}")
    _show_comments("outside of the sections", found.comments)
    if not any(section.edits or section.comments or section.removed for section in found.sections):
        note("nobody changed a section or commented on one")


def _show_section(section: ReturnedSection, language: str) -> None:
    from stemma_client.differences import differences

    from stemma_cli.rendering.changes import print_changes, stat_words

    name = section.section_id
    for edit in section.edits:
        changes = differences(edit.before, edit.after, language)
        when = f" on {edit.at:%Y-%m-%d}" if edit.at else ""
        say(f"{name} version {section.version}: {edit.author or 'somebody'}{when}: {stat_words(changes)}")
        print_changes(changes, console())
    _show_comments(name, section.comments)
    if section.removed:
        say(f"{name}: all of its text is gone from the file; the section stays as it is")
    for words in section.unwritten:
        say(f"{name}: there is no place in its Markdown for: {words}")
    for one in section.unsupported:
        say(f"{name}: not taken over: {_CHANGES[one.change]}{f': {one.about}' if one.about else ''}")
    if section.is_outdated and section.edits:
        say(f"{name} has version {section.now} since: the changes are merged into that")
    for conflict in section.conflicts:
        say(f"{name}: both changed this; the file says:")
        print(clean(conflict.file))
        say(f"version {section.now} says:")
        print(clean(conflict.document))


def _show_comments(place: str, comments: Sequence[ReturnedComment]) -> None:
    for comment in comments:
        state = " (resolved: it is not taken over)" if comment.resolved else ""
        about = f" on \u201c{comment.quote}\u201d" if comment.quote else ""
        say(f"{place}: {comment.author or 'somebody'} comments{about} ({comment.comment_id}){state}: {comment.text}")
