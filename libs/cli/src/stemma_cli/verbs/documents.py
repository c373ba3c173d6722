"""Verbs that make documents and look at them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.runtime import run, run_offline


def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Kind of document, for example `proposal`.")],
    brief: Annotated[str | None, typer.Option("--brief", "-b", help="File with the brief; `-` is stdin.")] = None,
    inputs: Annotated[
        list[Path] | None, typer.Option("--input", "-i", help="Input file or folder; may be given several times.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title; else the heading that the brief begins with.")] = "",
    policy: Annotated[
        Literal["human", "auto", "none"] | None,
        typer.Option(help="Who settles a draft, in place of what the kind says: a person, a score, nobody."),
    ] = None,
    min_score: Annotated[float, typer.Option(min=0, max=1, help="Score that settles a draft under `auto`.")] = 0.8,
    sample: Annotated[bool, typer.Option("--sample", help="Use the brief and inputs that come with Stemma.")] = False,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language, such as `de`; else that of the brief.")
    ] = None,
    outline: Annotated[
        str | None, typer.Option("--outline", help="File with the sections: .md, .yaml or .json; see `stemma outline`.")
    ] = None,
    outline_from: Annotated[
        list[Path] | None,
        typer.Option(help="File or folder that says which sections the document has to have; see `stemma outline`."),
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="Id of the request: the same one again gives the same document.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask for a new document.

    Example: stemma new proposal --brief brief.md --input inputs/
    """
    from stemma_cli.tasks import documents

    if outline is not None and outline_from:
        raise typer.BadParameter("--outline and --outline-from both give the sections: leave one of them out")
    given = (language, outline, outline_from or [], request_id)
    wish = documents.Wish(kind, brief, inputs or [], title, policy, min_score, sample, *given)
    run(partial(documents.create, wish=wish, as_json=as_json))


def outline(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT...", help="Files or folders that ask for a document.")],
    as_json: AsJson = False,
) -> None:
    """Print the sections that inputs ask for, to be looked at and changed before they are used.

    It looks for a passage about the form of the document, such as "Proposal format", in every language that there is.
    Each section is a heading; the text below is its purpose; lines such as `max 500 words`, `2 pages`, `id: budget`,
    `kind: budget` and `depends on: team, budget` say the rest.

    Example: stemma outline request.md > outline.md
    """
    from stemma_cli.tasks import outlines

    run_offline(partial(outlines.propose, inputs=inputs, as_json=as_json))


def list_documents(as_json: AsJson = False) -> None:
    """List the documents, newest first.

    Example: stemma list
    """
    from stemma_cli.tasks import documents

    run(partial(documents.list_all, as_json=as_json))


def show(
    document: Document,
    section: Annotated[str | None, typer.Argument(metavar="SECTION", help="Print the text of this section.")] = None,
    graph: Annotated[bool, typer.Option("--graph", "-g", help="Draw which section rests on which.")] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="The same as text for Mermaid.")] = False,
    sources: Annotated[bool, typer.Option("--sources", help="Tell where each claim of the section stands.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a document section by section, the text of one section or its sources, or the dependency map.

    Example: stemma show 3f2a research
    """
    from stemma_cli.tasks import documents, drawing
    from stemma_cli.tasks import sources as claims

    if sources and section is None:
        raise typer.BadParameter("--sources goes with a section")
    if (graph or mermaid) and (section is not None or as_json):
        raise typer.BadParameter("--graph and --mermaid go with a document alone")
    if graph or mermaid:
        run(partial(drawing.graph, document=document, mermaid=mermaid))
    elif sources and section is not None:
        run(partial(claims.show_sources, document=document, section=section, as_json=as_json))
    elif section is None:
        run(partial(documents.show, document=document, as_json=as_json))
    else:
        run(partial(documents.show_section, document=document, section=section, as_json=as_json))


VERBS = {"new": new, "outline": outline, "list": list_documents, "show": show}
