"""Verbs that make documents and look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, each_once, find_document, find_section, title_of
from stemma_cli.output import clean, note, reply, say, say_json, say_rows, say_tree
from stemma_cli.runtime import connected, tell_answer

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.budgets import Budget
    from stemma_contracts.v1.outline import OutlineSection
    from stemma_contracts.v1.references import UploadRole
    from stemma_contracts.v1.requests import DocumentRequest
    from stemma_contracts.v1.views import DocumentView


CHAPTERS_WAIT_S = 60
"""How long a new document is waited for until its request is read, which may demand its chapters."""
ROLES: tuple[UploadRole, ...] = ("request", "past-text", "style", "form", "internal", "price")
Brief = Annotated[str | None, typer.Option("--brief", "-b", help="File with the brief, of any format; `-` is stdin.")]
Evidence = Annotated[
    list[Path] | None, typer.Option("--input", "-i", help="Input file or folder; may be given several times.")
]
Asking = Annotated[
    list[Path] | None, typer.Option("--request", help="The same, of what asks for the document, such as an RFP.")
]
PastText = Annotated[
    list[Path] | None, typer.Option("--past-text", help="The same, of earlier texts: how to write, and no fact.")
]
Style = Annotated[list[Path] | None, typer.Option("--style", help="The same, of rules of style.")]


Forms = Annotated[
    list[Path] | None, typer.Option(help="XLSX, DOCX or PDF of the buyer that is to come back with answers in it.")
]


Internal = Annotated[
    list[Path] | None, typer.Option(help="The same, of what is never quoted. Mails are internal unless you say more.")
]
RequestId = Annotated[str | None, typer.Option(help="Id of the request: the same one again gives the same document.")]
OutlineFrom = Annotated[
    list[Path] | None,
    typer.Option(help="File or folder that says which sections the document has to have; see `stemma outline`."),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option(metavar="BOUND=NUMBER", help="What it may cost: cost (US dollars), calls or tokens; repeatable."),
]
Prices = Annotated[list[Path] | None, typer.Option(help="The same, of rates and prices of yours.")]


async def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Kind of document, for example `proposal`.")],
    brief: Brief = None,
    inputs: Evidence = None,
    request: Asking = None,
    past_text: PastText = None,
    style: Style = None,
    form: Forms = None,
    internal: Internal = None,
    price: Prices = None,
    title: Annotated[str, typer.Option(help="Title; else that of the brief.")] = "",
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
    outline_from: OutlineFrom = None,
    budget: Bounds = None,
    request_id: RequestId = None,
    as_json: AsJson = False,
) -> None:
    """Ask for a new document.

    Example: stemma new proposal --brief brief.md --input inputs/
    Example: stemma new proposal --brief brief.md --budget cost=20
    """
    if outline is not None and outline_from:
        raise typer.BadParameter("--outline and --outline-from both give the sections: leave one of them out")

    from stemma_contracts.v1.review import ReviewMode, ReviewPolicy

    by_role = (request, past_text, style, form, internal, price)
    roles = {role: files or () for role, files in zip(ROLES, by_role, strict=True)}
    async with connected(as_json) as client:
        if sample:
            brief, inputs = _sample_of(kind, brief, inputs)
        accepted = await client.create_document(
            kind,
            brief=await _brief_in(brief),
            inputs=inputs or (),
            roles=roles,
            title=title,
            review=ReviewPolicy(mode=ReviewMode(policy), min_score=min_score) if policy else None,
            language=language,
            outline=await _outline_of(outline, outline_from),
            budget=_budget_of(budget) if budget else None,
            request_id=request_id,
        )
        if as_json:
            say_json(accepted)
        else:
            await _tell_new(client, accepted, [*(inputs or ()), *chain.from_iterable(roles.values())])


async def _tell_new(client: Client, accepted: RequestAccepted, given: Sequence[Path]) -> None:
    from stemma_client.reading import view_until

    from stemma_cli.rendering.inputs import role_lines
    from stemma_cli.wording import chapters_words

    say(accepted.document_id)
    view = await client.document(accepted.document_id, at_least=accepted.sequence)
    for line in role_lines(view):
        note(line)
    if view.awaits_chapters:
        view = await view_until(client, view.document_id, lambda now: not now.awaits_chapters, wait_s=CHAPTERS_WAIT_S)
    note(chapters_words(view))
    if files := _read_first(given):
        note(f"read first: {', '.join(files)}; see `stemma show {accepted.document_id[:8]} --inputs`")
    note(f"watch it with `stemma watch {accepted.document_id[:8]}`")


def _sample_of(kind: str, brief: str | None, inputs: list[Path] | None) -> tuple[str, list[Path]]:
    from stemma_client.samples import SAMPLES, sample_kinds

    if kind not in (known := sample_kinds()):
        raise CliError(ExitCode.USAGE, f"no sample comes with {kind!r}", f"there is one of {', '.join(known)}")
    folder = SAMPLES / kind
    if brief or inputs:
        raise CliError(ExitCode.USAGE, "--sample brings its own brief and inputs")
    return str(folder / "brief.md"), [folder / "inputs"]


def _budget_of(bounds: Sequence[str]) -> Budget:
    from stemma_contracts.v1.budgets import Bound, Budget

    def read(bound: str) -> tuple[str, float]:
        name, _, number = bound.partition("=")
        if name not in get_args(Bound) or not number.isascii():
            raise typer.BadParameter(f"--budget has {', '.join(get_args(Bound))}, such as cost=20, not {name!r}")
        try:
            return name, float(number) if name == "cost" else int(number)
        except ValueError:
            raise typer.BadParameter(f"--budget {name}: {number!r} is no number") from None

    return Budget.model_validate(each_once(map(read, bounds), "--budget"))


async def _brief_in(file: str | None) -> str | Path:
    """The words of a brief; a file of another format than text is sent as it is, to be read first."""
    from stemma_client.inputs import media_type_of
    from stemma_contracts.media import READ

    from stemma_cli.prompt import text_in

    if file is None:
        hint = "give --brief FILE, or --sample for a first look"
        raise CliError(ExitCode.USAGE, "a document needs a brief", hint)
    return Path(file) if file != "-" and media_type_of(file) not in READ else await text_in(file)


async def _outline_of(file: str | None, inputs: list[Path] | None) -> Sequence[OutlineSection] | None:
    """The sections that a person gives or has looked for; what was found is told, for nobody has seen it yet."""
    if file is not None:
        from stemma_client.outlines import read_outline

        from stemma_cli.prompt import text_in

        return read_outline(file, await text_in(file))
    if not inputs:
        return None
    sections = _find_sections(inputs)
    note(f"{len(sections)} sections are asked for: {', '.join(section.title for section in sections)}")
    return sections


def _find_sections(inputs: Sequence[Path]) -> tuple[OutlineSection, ...]:
    from stemma_client.inputs import collect, media_type_of, read
    from stemma_contracts.media import READ
    from stemma_evidence.requirements import find_outline

    files = collect(inputs)
    texts = [file for file in files if media_type_of(file.name) in READ]
    if not (sections := find_outline(read(file.path).decode("utf-8-sig", errors="replace") for file in texts)):
        hint = "write one: a heading for each section, the purpose below it, lines such as `max 500 words`"
        others = ", ".join(file.name for file in files if file not in texts)
        unread = f"; looked for in text alone, not in {others}" if others else ""
        words = f"no passage of the inputs says which sections the document has to have{unread}"
        raise CliError(ExitCode.FAILED, words, hint)
    return sections


def _read_first(inputs: Sequence[Path]) -> list[str]:
    from stemma_client.inputs import collect, media_type_of
    from stemma_contracts.media import is_attachment

    return [file.name for file in collect(inputs) if is_attachment(media_type_of(file.name))]


def outline(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT...", help="Files or folders that ask for a document.")],
    as_json: AsJson = False,
) -> None:
    """Print the sections that inputs ask for, to be looked at and changed before they are used.

    It looks for a passage about the form of the document, such as "Proposal format" or "in the following order:", in
    every language that there is. The purpose of a section begins with its number in the request.
    Each section is a heading; the text below is its purpose; lines such as `max 500 words`, `2 pages`, `id: budget`,
    `kind: budget` and `depends on: team, budget` say the rest.

    Example: stemma outline request.md > outline.md
    """
    from stemma_client.outlines import write_outline

    sections = _find_sections(inputs)
    if as_json:
        say_json([section.model_dump(mode="json", exclude_none=True) for section in sections])
        return
    print(clean(write_outline(sections)).rstrip())
    note(f"{len(sections)} sections: look at them, then `stemma new KIND --brief BRIEF --outline FILE`")


async def list_(as_json: AsJson = False) -> None:
    """List the documents, newest first.

    Example: stemma list
    """
    from stemma_cli.rendering.documents import LISTED

    async with connected(as_json) as client:
        listed = [(s, await title_of(client, s.document_id, s.title)) for s in await client.documents()]
    if as_json:
        say_json([{**dict(summary), "title": title} for summary, title in listed])
        return
    say_rows(LISTED, listed)
    if not listed:
        note("no documents yet: ask for one with `stemma new proposal --sample`")


async def show(
    document: Document,
    section: Annotated[str | None, typer.Argument(metavar="SECTION", help="Print the text of this section.")] = None,
    graph: Annotated[bool, typer.Option("--graph", "-g", help="Draw which section rests on which.")] = False,
    sources: Annotated[bool, typer.Option("--sources", help="Tell where each claim of the section stands.")] = False,
    citations: Annotated[
        bool, typer.Option("--citations", help="Footnotes say on which places of the inputs the section rests.")
    ] = False,
    inputs: Annotated[
        bool, typer.Option("--inputs", help="Tell what was read of the inputs, how well, and what uses it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a document section by section, the text of one section or its sources, its inputs, or the dependency map.

    Example: stemma show 3f2a research
    """
    if (sources or citations) and section is None:
        raise typer.BadParameter(f"{'--sources' if sources else '--citations'} goes with a section")
    if sources and citations:
        raise typer.BadParameter("--sources tells what --citations prints: say one of the two")
    if inputs and (section is not None or graph):
        raise typer.BadParameter("--inputs goes with a document alone")
    if graph and (section is not None or as_json):
        raise typer.BadParameter("--graph goes with a document alone")

    from stemma_cli.rendering import documents
    from stemma_cli.rendering.inputs import show_inputs

    async with connected(as_json) as client:
        if section is not None:
            found = await find_section(client, document, section)
            if sources:
                await documents.show_sources(client, *found, as_json=as_json)
            else:
                await documents.show_section(client, *found, as_json=as_json, citations=citations)
            return
        view = await client.document(await find_document(client, document))
        if inputs and as_json:
            say_json(view.input_views)
        elif inputs:
            await show_inputs(client, view)
        elif graph:
            say_tree(documents.map_tree(view))
        elif as_json:
            say_json(await documents.document_json(client, view))
        else:
            await documents.show_document(client, view)


async def kinds(as_json: AsJson = False) -> None:
    """List the kinds of documents that can be asked for, and what each consists of.

    Example: stemma kinds
    """
    from stemma_cli.rendering.documents import KINDS

    async with connected(as_json) as client:
        say_rows(KINDS, await client.kinds(), as_json=as_json)
    if not as_json:
        note("inputs are Markdown, text, CSV, JSON and images: `stemma new KIND --brief FILE --input FOLDER`")


async def watch(
    document: Document,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while it waits for a person.")] = False,
    from_sequence: Annotated[int, typer.Option("--from", min=0, help="First stream sequence to print.")] = 0,
    as_json: AsJson = False,
) -> ExitCode:
    """Watch a document being written, section by section.

    Ends when the document is completed, cancelled or failed, or waits for a person.

    Example: stemma watch 3f2a
    """
    from contextlib import aclosing

    from stemma_client.progress import usual_of
    from stemma_client.reading import Reading

    from stemma_cli.rendering.progress import is_over, live_text, screen_for, tell_verdict

    async with connected(as_json) as client:
        known = await client.document(await find_document(client, document))
        reading = Reading(known.document_id)
        with screen_for(as_json=as_json) as screen:
            screen.seconds = await usual_of(client, known)
            async with (
                live_text(client, known.document_id, screen),
                aclosing(client.follow(known.document_id)) as events,
            ):
                async for event in events:
                    reading = reading.after(event)
                    if event.sequence >= from_sequence:
                        screen.update(reading.view, event)
                    if event.pending == 0 and is_over(reading.view, follow=follow):
                        break
        return await tell_verdict(client, reading.view)


async def budget(
    document: Document,
    calls: Annotated[int | None, typer.Option("--calls", min=0, help="Model calls that it may take.")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", min=0, help="Tokens, read and written.")] = None,
    cost: Annotated[float | None, typer.Option("--cost", min=0, help="US dollars.")] = None,
    unbound: Annotated[bool, typer.Option("--none", help="No bound any more.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Write what waits, although that passes the budget.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Leave what waits until there is another budget.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a document may cost, say it anew, or answer the question that is asked before that is passed.

    What is written is never cut off; sections that would pass the budget wait until a person answers. Bounds that are
    not given are none.

    Example: stemma budget 3f2a --cost 20 --calls 400
    Example: stemma budget 3f2a --once
    """
    from stemma_cli.rendering.plans import budget_words

    bounds = {"calls": calls, "tokens": tokens, "cost": cost}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    if bool(given) + unbound + once + stop > 1:
        raise typer.BadParameter("give bounds, --none, --once or --stop")
    async with connected(as_json) as client:
        view = await client.document(await find_document(client, document))
        if given or unbound or once or stop:
            answer = "once" if once else "stop" if stop else ""
            accepted = await client.request(_asked(view, given, answer))
            view = await client.document(view.document_id, at_least=accepted.sequence)
            tell_answer(accepted, budget_words(view), as_json=as_json)
        elif as_json:
            say_json(view.budget)
        else:
            say(budget_words(view))


def _asked(view: DocumentView, bounds: dict[str, float], answer: str) -> DocumentRequest:
    from stemma_contracts.v1 import requests as r

    about = {"document_id": view.document_id}
    if not answer:
        return r.SetBudget.model_validate({**about, "budget": bounds})
    question = view.budget.question.question if view.budget and view.budget.question else "none"
    return r.AnswerBudget.model_validate({**about, "question": question, "answer": answer})


async def erase(
    document: Annotated[str | None, typer.Argument(metavar="DOC", help="Document id, or the beginning of it.")] = None,
    older_than: Annotated[
        int | None,
        typer.Option(
            "--older-than", metavar="DAYS", min=1, max=100_000, help="All that ended and were left so long as they are."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask at the terminal.")] = False,
    library: Annotated[
        bool, typer.Option("--library", help="Withdraw also what other documents took of it from the library.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and erase nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a document and all that is stored of it, for good. One that is running is cancelled first.

    It says how much would go from which store, and asks; a script says --yes. That it was erased, by whom and when, is
    all that stays: `stemma history DOC` certifies it. Backups and what people downloaded are not reached.

    With --older-than it is each document that is completed or cancelled and was not changed for so many days.

    Example: stemma erase 3f2a --dry-run
    Example: stemma erase 3f2a --yes
    Example: stemma erase --older-than 730 --dry-run
    """
    from stemma_contracts.v1 import requests as r

    from stemma_cli.consent import agreed

    if (document is None) == (older_than is None):
        raise typer.BadParameter("give either DOC or --older-than")
    async with connected(as_json) as client:
        if document is None:
            await _erase_old(client, older_than or 0, yes=yes, dry_run=dry_run, library=library, as_json=as_json)
            return
        document_id = await find_document(client, document)
        plan = await client.request(r.EraseDocument(document_id=document_id))
        told = [f"{one.store}: {one.count}" for one in plan.would_erase]
        if dry_run:
            reply(plan, *told, as_json=as_json)
            return
        if not yes:
            note("\n".join(told))
            hint = f"say it: stemma erase {document} --yes"
            await agreed(f"Erase {document_id} for good?", "nobody was asked", hint)
        accepted = await client.request(
            r.EraseDocument(document_id=document_id, sequence=plan.sequence, library=library)
        )
    tell_answer(accepted, f"{document_id} is being erased", as_json=as_json)


async def _erase_old(client: Client, days: int, *, yes: bool, dry_run: bool, library: bool, as_json: bool) -> None:
    from datetime import UTC, datetime, timedelta

    from stemma_contracts.v1.document import DocumentStatus

    from stemma_cli.consent import agreed

    before, ended = datetime.now(UTC) - timedelta(days=days), (DocumentStatus.COMPLETED, DocumentStatus.CANCELLED)
    listed = [one for one in await client.documents() if one.status in ended]
    old = {one.document_id: one.last_sequence for one in listed if (one.updated_at or one.created_at) < before}
    if old and not (dry_run or yes):
        note("\n".join(old))
        hint = f"say it: stemma erase --older-than {days} --yes"
        await agreed(f"Erase {len(old)} documents for good?", "nobody was asked", hint)
    left = {} if dry_run else await _left_of(client, old, library=library)
    gone = [document_id for document_id in old if document_id not in left]
    if as_json:
        say_json(gone)
    else:
        for document_id in gone:
            say(document_id)
        note(f"{len(gone)} {'would be' if dry_run else 'are being'} erased")
    if left:
        reasons = "\n".join(f"{document_id}: {reason}" for document_id, reason in left.items())
        raise CliError(ExitCode.REJECTED, f"{len(left)} are left:\n{reasons}", "say it again to look at them anew")


async def _left_of(client: Client, old: Mapping[str, int], *, library: bool) -> dict[str, str]:
    """Have documents erased that are as they were listed; those that are not, and others that are refused, with why."""
    from stemma_client.errors import RequestRejectedError
    from stemma_contracts.v1 import requests as r

    left = dict[str, str]()
    for document_id, sequence in old.items():
        try:
            plan = await client.request(r.EraseDocument(document_id=document_id))
            if (plan.sequence or 0) > sequence:
                left[document_id] = "it was changed meanwhile"
                continue
            asked = r.EraseDocument(document_id=document_id, sequence=plan.sequence, library=library)
            await client.request(asked)
        except RequestRejectedError as refusal:
            left[document_id] = str(refusal)
    return left
