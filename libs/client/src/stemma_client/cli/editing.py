"""Verbs that change a section at any time."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .arguments import AsJson, Document, Section, Version
from .runtime import run


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
    from .tasks import editing

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


def keep(document: Document, section: Section, version: Version = None, as_json: AsJson = False) -> None:
    """Keep a stale section as it is: it rests on what is there now.

    Example: stemma keep 3f2a conclusion
    """
    from .tasks import editing

    run(partial(editing.keep, document=document, section=section, version=version, as_json=as_json))


def regenerate(
    document: Document,
    section: Section,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="Guidance to the writer; `-` reads it from stdin.")
    ] = None,
    replace_edited: Annotated[
        bool, typer.Option("--replace-edited", help="Do not ask before a text that a person made is replaced.")
    ] = False,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Have a section written anew, with guidance.

    A text that a person made is replaced only with consent: asked for at a terminal, given by --replace-edited
    in a script, which else ends with exit code 3. Every version stays and can be restored.

    Example: stemma regenerate 3f2a budget -m "Mention the rent of the rooms."
    """
    from .tasks import editing

    run(
        partial(
            editing.regenerate,
            document=document,
            section=section,
            message=message,
            replace_edited=replace_edited,
            version=version,
            as_json=as_json,
        )
    )


def restore(
    document: Document,
    section: Section,
    earlier: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="The version to bring back.")],
    as_json: AsJson = False,
) -> None:
    """Bring back the text of an earlier version, as a new version.

    Example: stemma restore 3f2a research 2
    """
    from .tasks import editing

    run(partial(editing.restore, document=document, section=section, earlier=earlier, as_json=as_json))


VERBS = {"edit": edit, "keep": keep, "regenerate": regenerate, "restore": restore}
