"""The verbs of the requirement ledger, its deadlines, and the matrix of demands by sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, Document, each_once, find_document
from stemma_cli.output import note, say, say_json, say_rows
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_client.ledgers import LedgerEntry, ListedDeadline, RequirementLedger
    from stemma_contracts.v1.bids import BidRule
    from stemma_contracts.v1.deadlines import Deadline, DeadlineChange, DueTime
    from stemma_contracts.v1.ledger import LedgerRow, LedgerWarning, RequirementDecision, RowCuts, SecondOpinion

Ids = list[str] | None
Closed = Annotated[
    Ids, typer.Option("--close", metavar="WARNING=INPUT", help="A warning was looked into: no_deadlines=rfp.pdf.")
]
Imported = Annotated[
    Path | None, typer.Option("--import", metavar="PATH", help="Show what was changed in an exported file.")
]
MOST_SHOWN = 20
"""Rules for the bid below the rows; `--bid` lists all."""
SHOWN_OF_ANSWER = 80
"""Characters of the block that answers a row; the spreadsheet and --json have all."""


@dataclass(frozen=True)
class Reading:
    without_brief: bool
    second_opinion: bool


@dataclass(frozen=True)
class Changes:
    """What is asked for about rows: what is decided about some, and how some are cut."""

    decisions: Sequence[RequirementDecision] = ()
    splits: Sequence[RowCuts] = ()
    closed: Sequence[LedgerWarning] = ()


async def ledger(
    document: Document,
    read: Annotated[bool, typer.Option("--read", help="Read the demands of the sources, or read them again.")] = False,
    no_brief: Annotated[bool, typer.Option("--no-brief", help="With --read: the brief is no request.")] = False,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="With --read: ask a model, too, for what the rules do not find.")
    ] = False,
    kind: Annotated[
        Literal["instruction", "evaluation", "work", "form"] | None, typer.Option("--kind", help="Only this kind.")
    ] = None,
    only_open: Annotated[bool, typer.Option("--open", help="Only what must be answered and is not.")] = False,
    deadlines: Annotated[bool, typer.Option("--deadlines", help="The deadlines, by their days.")] = False,
    bid: Annotated[bool, typer.Option("--bid", help="What is said about the bid itself, such as its limits.")] = False,
    confirm: Annotated[Ids, typer.Option("--confirm", metavar="ID", help="It is a demand.")] = None,
    drop: Annotated[Ids, typer.Option("--drop", metavar="ID", help="It is none.")] = None,
    merge: Annotated[Ids, typer.Option("--merge", metavar="ID=ID", help="The first says what the second does.")] = None,
    split: Annotated[
        Ids, typer.Option("--split", metavar="ID=WORDS", help="Cut it: a row of its own begins with these words.")
    ] = None,
    assign: Annotated[Ids, typer.Option("--assign", metavar="ID=SECTION", help="The section that answers it.")] = None,
    owner: Annotated[Ids, typer.Option("--owner", metavar="ID=NAME", help="Who sees to it.")] = None,
    mark: Annotated[
        Ids, typer.Option("--mark", metavar="ID=STATUS", help="open, addressed, verified or not_applicable.")
    ] = None,
    close: Closed = None,
    export: Annotated[Path | None, typer.Option("--export", metavar="PATH", help="Write it as .xlsx or .csv.")] = None,
    imported: Imported = None,
    apply: Annotated[bool, typer.Option("--apply", help="With --import: make those decisions.")] = False,
    as_json: AsJson = False,
) -> None:
    """The demands that a document answers: read, listed, decided about, and as a spreadsheet; and its deadlines.

    Rows keep their ids when the request is amended and read again; what changed is told.

    Example: stemma ledger 3f2a --read
    Example: stemma ledger 3f2a --confirm R1 --drop R4 --assign R1=approach
    Example: stemma ledger 3f2a --split "R3=and keep all records"
    Example: stemma ledger 3f2a --export requirements.xlsx
    Example: stemma ledger 3f2a --deadlines
    """
    if apply and imported is None:
        raise CliError(ExitCode.USAGE, "--apply goes with --import")
    reading = Reading(no_brief, second_opinion) if read else None
    decisions = _decisions(confirm, drop, merge, assign, owner, mark)
    async with connected(as_json) as client:
        document_id = await find_document(client, document)
        found = await _found(client, document_id, reading)
        told = _imported(imported, found) if imported else Changes()
        asked = Changes((*decisions, *told.decisions), (*_splits(split, found), *told.splits), _closed(close))
        if imported is None or apply:
            found = await _made(client, document_id, asked, found)
    if imported is not None:
        return _tell(asked, applied=apply, as_json=as_json)
    if deadlines or bid:
        return (show_deadlines if deadlines else show_bid_rules)(found, as_json=as_json)
    if export:
        return _write(export, found)
    return _list(document_id, found, _chosen(found, kind, only_open), as_json=as_json)


def _decisions(confirm: Ids, drop: Ids, merge: Ids, assign: Ids, owner: Ids, mark: Ids) -> list[RequirementDecision]:
    fields: dict[str, dict[str, object]] = {}
    for name in confirm or ():
        fields.setdefault(name, {})["confirmed"] = True
    for name in drop or ():
        fields.setdefault(name, {})["dropped"] = True
    for field, option, pairs in (
        ("merged_into", "--merge", merge),
        ("section_id", "--assign", assign),
        ("owner", "--owner", owner),
        ("status", "--mark", mark),
    ):
        for name, value in each_once(map(_pair, pairs or ()), option).items():
            fields.setdefault(name, {})[field] = value
    return [_decision(name, given) for name, given in fields.items()]


def _closed(asked: Ids) -> list[LedgerWarning]:
    from stemma_contracts.v1.ledger import LedgerWarning

    return [LedgerWarning(code=code, source=source) for code, source in map(_pair, asked or ())]


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CliError(ExitCode.USAGE, f"{text!r} is not ID=VALUE")
    return name, value


def _decision(name: str, given: dict[str, object]) -> RequirementDecision:
    from pydantic import ValidationError
    from stemma_contracts.v1.ledger import RequirementDecision

    try:
        return RequirementDecision.model_validate({"requirement_id": name, **given})
    except ValidationError as error:
        wrong = ", ".join(f"{value}" for value in {item["input"] for item in error.errors()})
        raise CliError(ExitCode.USAGE, f"{name}: this cannot be: {wrong}") from None


def _splits(asked: Ids, found: RequirementLedger) -> list[RowCuts]:
    words: dict[str, list[str]] = {}
    for name, begin in map(_pair, asked or ()):
        words.setdefault(name, []).append(begin)
    return [found.cuts_before(name, beginnings) for name, beginnings in words.items()]


async def _found(client: Client, document_id: str, reading: Reading | None) -> RequirementLedger:
    if reading is None:
        return await client.ledger(document_id)
    found = await client.read_requirements(
        document_id, without_brief=reading.without_brief, second_opinion=reading.second_opinion
    )
    note_changes(found)
    if found.view.opinion is not None:
        note_opinion(found.view.opinion)
    return found


async def _made(client: Client, document_id: str, asked: Changes, found: RequirementLedger) -> RequirementLedger:
    """The ledger with what is asked for: the decisions first, for they hold for the parts of what is cut then."""
    from stemma_contracts.v1.requests import DecideRequirements, SplitRequirements

    sequence = None
    if asked.decisions or asked.closed:
        decided = DecideRequirements(
            document_id=document_id, decisions=tuple(asked.decisions), closed=tuple(asked.closed)
        )
        sequence = (await client.request(decided)).sequence
    if asked.splits:
        cut = SplitRequirements(document_id=document_id, rows_digest=found.rows_digest, splits=tuple(asked.splits))
        sequence = (await client.request(cut)).sequence
    return found if sequence is None else await client.ledger(document_id, at_least=sequence)


def _imported(path: Path, found: RequirementLedger) -> Changes:
    from stemma_cli import spreadsheets

    if not path.is_file():
        raise CliError(ExitCode.USAGE, f"there is no file {path}")
    rows = spreadsheets.read(path)
    decisions = spreadsheets.decisions_in(rows, found.entries)
    return Changes(decisions, spreadsheets.splits_in(rows, found.entries))


def _write(path: Path, found: RequirementLedger) -> None:
    from stemma_cli import exports, spreadsheets

    exports.write_atomically(path, spreadsheets.write(path, found.entries))
    say(str(path))


def _tell(asked: Changes, *, applied: bool, as_json: bool) -> None:
    told = [decision.model_dump(exclude_none=True) for decision in asked.decisions]
    any_asked = bool(asked.decisions or asked.splits)
    if as_json:
        say_json({"decisions": told, "splits": asked.splits, "applied": applied and any_asked})
        return
    for decision in told:
        name = decision.pop("requirement_id")
        say(f"{name}: {', '.join(f'{field} {value}' for field, value in decision.items())}")
    for split in asked.splits:
        say(f"{split.requirement_id}: cut into {len(split.cuts) + 1} rows")
    if not any_asked:
        note("nothing was changed")
    elif not applied:
        note("nothing is decided yet: --apply makes these changes")


def note_changes(found: RequirementLedger) -> None:
    changes, summary = found.difference, found.view.summary
    note(
        f"{len(found.entries)} requirements: {len(changes.new)} new, {len(changes.changed)} changed,"
        f" {len(changes.withdrawn)} withdrawn"
    )
    for row in changes.new if len(changes.new) < len(found.entries) else ():
        note(f"new {row.requirement_id}: {row.quote}")
    for change in changes.changed:
        name = change.requirement_id
        is_amended = change.after.amended and change.before.quote == change.after.quote
        words = change.after.amended if is_amended else f"{change.before.quote} -> {change.after.quote}"
        note(f"changed {name}{_answered_in(found, name)}: {words}")
    for row in changes.withdrawn:
        note(f"withdrawn {row.requirement_id}{_answered_in(found, row.requirement_id)}: {row.quote}")
    for words in moved_deadlines(found):
        note(f"deadline {words}")
    if found.view.stale_sections:
        note(f"sections that answer what changed: {', '.join(found.view.stale_sections)}")
    if summary.unread:
        note(f"no text, and not read: {', '.join(summary.unread)}")
    if summary.more:
        note(f"{summary.more} more than a ledger can have were left out")


def _answered_in(found: RequirementLedger, requirement_id: str) -> str:
    standing = found.view.standings.get(requirement_id)
    return f" ({standing.section_id})" if standing and standing.section_id else ""


def note_opinion(opinion: SecondOpinion) -> None:
    new = (*opinion.mandatory, *opinion.others)
    if new or not opinion.failure:
        note(f"second opinion of {opinion.model}: {len(new)} more{': ' if new else ''}{', '.join(new)}")
    if opinion.unfounded:
        note(f"{opinion.unfounded} that do not stand in the sources so were left out")
    if opinion.failure:
        note(f"the second opinion of {opinion.model or 'a model'} is not whole: {opinion.failure}")
    if opinion.unasked:
        note(f"it was not asked about {opinion.unasked} characters of the sources")


def _chosen(found: RequirementLedger, kind: str | None, only_open: bool) -> list[LedgerEntry]:
    wanted = set(found.view.open_mandatory)
    return [
        entry
        for entry in found.entries
        if (kind is None or entry.row.kind == kind) and (not only_open or entry.row.requirement_id in wanted)
    ]


def _list(document_id: str, found: RequirementLedger, entries: Sequence[LedgerEntry], *, as_json: bool) -> None:
    from stemma_cli.wording import ledger_warnings

    say_rows(ROWS, entries, as_json=as_json)
    if as_json:
        return
    if coming := next_deadline(found):
        note(coming)
    for row in (entry.row for entry in entries if entry.row.amended):
        note(f"{row.requirement_id} may be changed by {row.amended}")
    for words in (*about_the_bid(found), *ledger_warnings(document_id, found.view)):
        note(words)


def _stands(entry: LedgerEntry) -> str:
    by = "" if entry.row.found_by == "rules" else f" ({entry.row.found_by})"
    return f"{entry.decided}{by}"


def _cited(row: LedgerRow | Deadline | BidRule) -> str:
    """The place as people look it up: in the file that was given, else in its text."""
    return f"{row.source}, {row.place}" if row.place else f"{row.source}:{row.line}"


DOUBTS = {
    "order": "day and month may be the other way round",
    "year": "no year is said",
    "weekday": "it is another day of the week",
    "day": "there is no such day",
}


def show_deadlines(ledger: RequirementLedger, *, as_json: bool) -> None:
    """List the deadlines by their days. Raises `CliError` if the ledger was read without looking for any."""
    from stemma_client.ledgers import listed_deadlines

    if ledger.deadlines is None:
        raise CliError(ExitCode.FAILED, "no deadlines were looked for when the requirements were read: `--read` does")
    say_rows(DEADLINES, listed_deadlines(ledger.deadlines, date.today()), as_json=as_json)
    if ledger.more_deadlines and not as_json:
        note(f"{ledger.more_deadlines} more than a ledger can have were left out")


def show_bid_rules(ledger: RequirementLedger, *, as_json: bool) -> None:
    """List the rules for the bid. Raises `CliError` if the ledger was read without looking for any."""
    if ledger.bid is None:
        raise CliError(ExitCode.FAILED, "no rules for the bid were looked for when they were read: `--read` does")
    say_rows(BID_RULES, ledger.bid.found, as_json=as_json)
    if ledger.bid.more and not as_json:
        note(f"{ledger.bid.more} more than are kept were left out")


def about_the_bid(ledger: RequirementLedger) -> Iterator[str]:
    rules = ledger.bid.found if ledger.bid else ()
    shown = [one for one in rules if one.kind not in ("exclusion", "criterion") or _against(one)]
    if rules:
        yield "about the bid:"
    for one in shown[:MOST_SHOWN]:
        yield f"  {one.rule_id} {_rule_words(one)} ({_cited(one)}){_against(one)}"
    if others := len(rules) - len(shown[:MOST_SHOWN]):
        yield f"  {others} more, such as exclusions and criteria: --bid lists all {len(rules)}"


def _rule_words(rule: BidRule) -> str:
    from stemma_cli.wording import bid_rule_words

    return bid_rule_words(rule)


def _against(rule: BidRule) -> str:
    told = f"; contradicts {', '.join(rule.contradicts)}" if rule.contradicts else ""
    return f"{told}; replaced by {rule.replaced_by}" if rule.replaced_by else told


def moved_deadlines(ledger: RequirementLedger) -> Iterator[str]:
    for one in ledger.deadlines or ():
        if one.deadline_id in ledger.difference.deadlines and one.changes:
            change = one.changes[-1]
            yield f"{one.kind}: was {change.before.written}, now {one.due.written} ({_amendment(change)})"


def next_deadline(ledger: RequirementLedger) -> str:
    """The next deadline in words, and how many there are; empty if there is none to come."""
    from stemma_client.ledgers import listed_deadlines

    listed = listed_deadlines(ledger.deadlines or (), date.today())
    one = next((one for one in listed if one.state in ("today", "coming")), None)
    return (
        f"next: {one.deadline.kind} {one.deadline.due.written} ({_state(one)}); --deadlines lists {len(listed)}"
        if one
        else ""
    )


def _day(due: DueTime) -> str:
    """The day as its words decide it; what they leave open is told as that."""
    days = " or ".join(due.days)
    return f"{days} to {due.until}" if due.until else days


def _state(one: ListedDeadline) -> str:
    match one.state:
        case "coming":
            return "in 1 day" if one.days_left == 1 else f"in {one.days_left} days"
        case "open":
            return "" if one.deadline.due.days else "counted"
        case _:
            return one.state


def _amendment(change: DeadlineChange) -> str:
    version = f", version {change.version}" if change.version else ""
    return f"{change.source}{version}{f', {change.file}' if change.file not in ('', change.source) else ''}"


ROWS: Mapping[str, Callable[[LedgerEntry], str]] = {
    "id": lambda entry: entry.row.requirement_id,
    "source": lambda entry: _cited(entry.row),
    "kind": lambda entry: entry.row.kind,
    "obligation": lambda entry: entry.row.obligation,
    "standing": _stands,
    "section": lambda entry: entry.standing.section_id,
    "status": lambda entry: entry.standing.status,
    "text": lambda entry: entry.row.quote,
    "answer": lambda entry: entry.answer[:SHOWN_OF_ANSWER],
}
DEADLINES: Mapping[str, Callable[[ListedDeadline], str]] = {
    "id": lambda one: one.deadline.deadline_id,
    "day": lambda one: _day(one.deadline.due),
    "time": lambda one: " ".join(word for word in (one.deadline.due.time, one.deadline.due.zone) if word),
    "state": _state,
    "due": lambda one: one.deadline.kind,
    "source": lambda one: _cited(one.deadline),
    "as written": lambda one: "; ".join((one.deadline.due.written, *map(DOUBTS.__getitem__, one.deadline.due.doubts))),
    "before": lambda one: "; ".join(
        f"was {change.before.written} ({_amendment(change)})" for change in reversed(one.deadline.changes)
    ),
    "text": lambda one: one.deadline.quote,
}
BID_RULES: Mapping[str, Callable[[BidRule], str]] = {
    "id": lambda one: one.rule_id,
    "rule": _rule_words,
    "source": _cited,
    "against": lambda one: _against(one).strip("; "),
    "text": lambda one: one.quote,
}


async def matrix(
    document: Document,
    holes: Annotated[bool, typer.Option("--holes", help="Only demands that nothing answers.")] = False,
    suspect: Annotated[
        bool, typer.Option("--suspect", help="Only those that changed, or whose section did, since somebody looked.")
    ] = False,
    section: Annotated[str, typer.Option("--section", help="Only those of this section.")] = "",
    looked: Annotated[
        list[str] | None, typer.Option("--looked", metavar="ID", help="You looked at it: it is not suspect any more.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", metavar="PATH", help="Write it as .xlsx or .html.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which section answers which demand, which demands have no answer, and which sections answer none.

    A demand is suspect if its words or the text of its section changed since somebody decided about both.

    Example: stemma matrix 3f2a --holes
    Example: stemma matrix 3f2a --to matrix.xlsx
    Example: stemma matrix 3f2a --looked R1
    """
    from stemma_client.ledgers import matrix_of
    from stemma_contracts.v1.ledger import RequirementDecision
    from stemma_contracts.v1.requests import DecideRequirements

    async with connected(as_json) as client:
        document_id, sequence = await find_document(client, document), 0
        if looked:
            decisions = tuple(RequirementDecision(requirement_id=name, looked=True) for name in dict.fromkeys(looked))
            asked = DecideRequirements(document_id=document_id, decisions=decisions)
            sequence = (await client.request(asked)).sequence or 0
        view = await client.document(document_id, at_least=sequence)
        ledger = await client.ledger_of(view)
    chosen = (entry for entry in ledger.entries if entry.counts)
    chosen = (entry for entry in chosen if (not holes or entry.is_hole) and (not suspect or entry.standing.suspect))
    found = matrix_of(view, ledger, (one for one in chosen if section in ("", one.standing.section_id)))
    if to is not None:
        from stemma_cli import exports, spreadsheets

        exports.write_atomically(to, spreadsheets.write_matrix(to, found))
        say(str(to))
    elif as_json:
        say_json(found)
    else:
        say_rows(ANSWERS, found.entries)
        for name in found.idle:
            note(f"{name} answers no demand")


def _answer(entry: LedgerEntry) -> str:
    from stemma_cli.spreadsheets import answer_words

    return answer_words(entry)


ANSWERS: Mapping[str, Callable[[LedgerEntry], str]] = {
    "id": lambda entry: entry.row.requirement_id,
    "obligation": lambda entry: entry.row.obligation,
    "section": lambda entry: entry.standing.section_id or "-",
    "answer": _answer,
    "text": lambda entry: entry.row.quote,
}
