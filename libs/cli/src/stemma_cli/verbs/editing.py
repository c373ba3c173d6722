"""Verbs that change a section at any time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.arguments import AsJson, Document, Section, Version
from stemma_cli.runtime import run

if TYPE_CHECKING:
    from stemma_cli.tasks.several import Choice


def edit(
    document: Document,
    section: Section,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Instruction to the editor agent; `-` reads it from stdin.")
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", help="Markdown file that takes the place of the text; `-` is stdin.")
    ] = None,
    editor: Annotated[bool, typer.Option("--editor", "-e", help="Open the text in $EDITOR.")] = False,
    version: Annotated[
        int | None, typer.Option("--version", min=0, help="The version that was read; the current one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change any section at any time, in words to the editor agent or by a text of your own.

    Example: stemma edit 3f2a budget -m "Replace 12 weeks with 10 weeks."
    """
    from stemma_cli.tasks import editing

    if (message is not None) + (file is not None) + editor != 1 or (editor and version is not None):
        raise typer.BadParameter("give one of --message, --file and --editor; --editor takes no --version")
    if message is not None:
        instruct = partial(editing.instruct, message=message, version=version)
        run(partial(instruct, document=document, section=section, as_json=as_json))
    elif file is not None:
        write = partial(editing.write, file=file, version=version)
        run(partial(write, document=document, section=section, as_json=as_json))
    else:
        run(partial(editing.write_in_editor, document=document, section=section, as_json=as_json))


Proposal = Annotated[str | None, typer.Option("--proposal", help="The edit that was read, as `show` names it.")]


def accept_edit(
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
    from stemma_cli.tasks import proposals

    if (section is None) != everything or (everything and proposal is not None):
        raise typer.BadParameter("give either SECTION, with or without --proposal, or --all")
    if section is None:
        run(partial(proposals.accept_all, document=document, as_json=as_json))
    else:
        run(partial(proposals.accept, document=document, section=section, proposal=proposal, as_json=as_json))


def reject_edit(document: Document, section: Section, proposal: Proposal = None, as_json: AsJson = False) -> None:
    """Drop an edit that the editor proposes, or is still making.

    Example: stemma reject-edit 3f2a budget --proposal p17
    """
    from stemma_cli.tasks import proposals

    run(partial(proposals.reject, document=document, section=section, proposal=proposal, as_json=as_json))


Sections = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SECTION[=VERSION]]...", help="Sections, with the versions that were read."),
]


def keep(
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
    from stemma_cli.tasks import editing

    choice = _choice(sections, version, everything)
    run(partial(editing.keep, document=document, choice=choice, as_json=as_json))


def regenerate(
    document: Document,
    sections: Sections = None,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Guidance to the writer; `-` reads it from stdin.")
    ] = None,
    replace_edited: Annotated[
        bool, typer.Option("--replace-edited", help="Do not ask before a text that a person made is replaced.")
    ] = False,
    version: Version = None,
    stale: Annotated[bool, typer.Option("--stale", help="All sections that are stale.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All sections that have a text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have sections written anew, with guidance, each after those that it rests on.

    At a terminal the text is shown first; a script names the version that was read. --all and --stale take the
    versions that they print. A text that a person made is replaced only with consent: asked for at a terminal, given
    by --replace-edited in a script, which else ends with exit code 3. Every version stays and can be restored.

    Example: stemma regenerate 3f2a budget --version 2 -m "Mention the rent of the rooms."
    """
    from stemma_cli.tasks import editing

    run(
        partial(
            editing.regenerate,
            document=document,
            choice=_choice(sections, version, stale or everything),
            stale=stale,
            message=message,
            replace_edited=replace_edited,
            as_json=as_json,
        )
    )


def _choice(sections: list[str] | None, version: int | None, everything: bool) -> Choice:
    from stemma_cli.tasks.several import Choice

    named = sections or []
    if bool(named) == everything:
        raise typer.BadParameter("give either sections, as SECTION or SECTION=VERSION, or an option for all")
    if version is not None and len(named) != 1:
        raise typer.BadParameter("--version is of one section; of several, write SECTION=VERSION")
    return Choice(named, version, everything)


def restore(
    document: Document,
    section: Section,
    earlier: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="The version to bring back.")],
    as_json: AsJson = False,
) -> None:
    """Bring back the text of an earlier version, as a new version.

    Example: stemma restore 3f2a research 2
    """
    from stemma_cli.tasks import editing

    run(partial(editing.restore, document=document, section=section, earlier=earlier, as_json=as_json))


VERBS = {
    "edit": edit,
    "accept-edit": accept_edit,
    "reject-edit": reject_edit,
    "keep": keep,
    "regenerate": regenerate,
    "restore": restore,
}
