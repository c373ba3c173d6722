"""The verbs of the library: what was approved, what it is worth, and what of it is used again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from stemma_cli.lookup import AsJson, Document, Section, find_document
from stemma_cli.output import note, say, say_json, say_rows
from stemma_cli.runtime import ask, connected, tell_answer

if TYPE_CHECKING:
    from stemma_client.library import DemandOffers, LibraryEntry, Offer

MOST_OF_PASSAGE = 200
"""Characters of the passage that is nearest; --json has all."""
Expires = Annotated[
    datetime | None, typer.Option("--expires", formats=["%Y-%m-%d"], help="The last day on which it holds.")
]


async def listed(as_json: AsJson = False) -> None:
    """List the texts that people approved, the latest first.

    Example: stemma library list
    """
    from stemma_client.library import entries

    async with connected(as_json) as client:
        found = await entries(client)
    say_rows(COLUMNS, found, as_json=as_json)
    if not found and not as_json:
        note("no person approved a text yet")


async def search(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What to look for.")], as_json: AsJson = False
) -> None:
    """Find approved texts by their words and by the demands that they answered.

    Example: stemma library search "staff turnover"
    """
    from stemma_client.library import search as find

    async with connected(as_json) as client:
        found = await find(client, words)
    if as_json:
        return say_json(found)
    for offer in found:
        _say_offer(offer)
    return None if found else note("nothing has these words")


async def offer(document: Document, as_json: AsJson = False) -> None:
    """Offer approved texts of other documents to the demands that nothing answers yet. Nothing is taken by it.

    Example: stemma library offer 3f2a
    """
    from stemma_client.library import offers

    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        found = await offers(client, document_id)
    if as_json:
        return say_json(found)
    for row in found:
        _say_demand(row)
    hint = f"take one with `stemma reuse {document_id[:8]} DOC SECTION --for ROW`"
    return note(hint if found else "the library has nothing for what is open")


async def describe(
    document: Document,
    section: Section,
    owner: Annotated[str, typer.Option("--owner", help="Who keeps the text; else whoever approved it.")] = "",
    expires: Expires = None,
    withhold: Annotated[bool, typer.Option("--withhold", help="Offer it to nobody.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say who keeps an approved text, until when it holds, and whether it is withheld, in place of what was said.

    Example: stemma library describe 3f2a references --owner bea --expires 2027-06-30
    """
    from stemma_contracts.v1.requests import DescribeEntry

    until = expires.replace(hour=23, minute=59, second=59, tzinfo=UTC) if expires else None
    said = {"owner": owner, "expires": until, "withheld": withhold}
    await ask(DescribeEntry, document, section, done="described {section_id}", as_json=as_json, **said)


async def reuse(
    document: Document,
    source: Annotated[str, typer.Argument(metavar="FROM", help="Document that has the text.")],
    section: Section,
    version: Annotated[int | None, typer.Option("--version", min=1, help="The version that was read.")] = None,
    rows: Annotated[list[str] | None, typer.Option("--for", metavar="ROW", help="A demand it is to answer.")] = None,
    as_json: AsJson = False,
) -> None:
    """Take an approved text of another document as evidence. Nothing is written anew by it.

    It is told of here when what the text rests on changes there, or its time is over.

    Example: stemma reuse 3f2a 9b1c references --for R12
    """
    from stemma_contracts.v1.requests import ReuseEntry

    from stemma_cli.lookup import find_section, version_to_decide

    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        view, found = await find_section(client, source, section)
        number = version_to_decide(found, version)
        entry = {"document_id": view.document_id, "section_id": section, "version": number}
        about = {"document_id": document_id, "entry": entry, "requirement_ids": rows or ()}
        accepted = await client.request(ReuseEntry.model_validate(about))
        tell_answer(accepted, f"took {section} version {number} as evidence", as_json=as_json)


async def outcome(
    document: Document,
    became: Annotated[Literal["won", "lost", "withdrawn", "open"], typer.Argument(help="What became of the bid.")],
    as_json: AsJson = False,
) -> None:
    """Say what became of a bid: its texts are offered by it.

    Example: stemma outcome 3f2a won
    """
    from stemma_contracts.v1.requests import RecordOutcome

    await ask(RecordOutcome, document, done="the bid is {outcome}", as_json=as_json, outcome=became)


def _place(entry: LibraryEntry) -> str:
    return f"{entry.entry.document_id[:8]} {entry.entry.section_id}"


def _said(entry: LibraryEntry) -> str:
    """Who approved it and how long ago, and what became of the bid."""
    days = entry.age_in_days(datetime.now(UTC))
    by = f"approved {days} days ago by {entry.view.approved_by or 'somebody'}"
    return ", ".join(filter(None, (by, entry.outcome if entry.outcome != "open" else "", _until(entry))))


def _until(entry: LibraryEntry) -> str:
    return f"holds until {entry.view.expires:%Y-%m-%d}" if entry.view.expires else ""


def _say_offer(offer: Offer) -> None:
    entry = offer.entry
    say(f"{_place(entry)} (version {entry.entry.version}): {entry.section_title} - {entry.document_title}")
    say(f"  {_said(entry)}")
    say(f"  {' '.join(offer.passage.text.split())[:MOST_OF_PASSAGE]}")
    if offer.foreign:
        say(f"  in no input here: {', '.join(offer.foreign)}")


def _say_demand(row: DemandOffers) -> None:
    asked = row.demand
    say(f"{asked.id}{f' ({asked.form})' if asked.form else ''}: {asked.words}")
    for offer in row.offers:
        _say_offer(offer)
        if offer.demand:
            same = " ".join(offer.demand.split()) == " ".join(asked.words.split())
            say(f"  answered {'the same demand' if same else f'then: {offer.demand}'}")


COLUMNS: dict[str, Callable[[LibraryEntry], str]] = {
    "text": _place,
    "title": lambda entry: entry.section_title,
    "document": lambda entry: entry.document_title,
    "approved": lambda entry: f"{entry.view.approved_at:%Y-%m-%d}" if entry.view.approved_at else "",
    "owner": lambda entry: entry.view.owner,
    "bid": lambda entry: entry.outcome,
    "answers": lambda entry: str(len(entry.view.answers)),
    "used": lambda entry: str(len(entry.view.uses)),
    "state": lambda entry: entry.view.lapse or _until(entry) or "usable",
}
GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "library": (
        "Texts that people approved, for other documents.",
        {"list": listed, "search": search, "offer": offer, "describe": describe},
    )
}
