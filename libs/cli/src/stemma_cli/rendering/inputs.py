"""Inputs: what was read of them, how well, what uses them, and what a staged version would change."""

from collections.abc import Callable, Iterator, Mapping

from stemma_client.client import Client
from stemma_contracts.v1.inputs import BRIEF, ChangedPart, InputChanges
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import DocumentView, InputView, LedgerView

from stemma_cli.output import clean_line, note, say, say_rows

MOST_SHOWN = 12
_EXCERPT = 160
_LONG_WORD = 20


async def show_inputs(client: Client, view: DocumentView) -> None:
    say_rows(_COLUMNS, view.input_views)
    for one in view.input_views:
        for words in remarks_of(one):
            note(words)
        for passage in one.confidential:
            note(f"{one.name}, confidential: {clean_line(await client.stored_text(view.document_id, passage) or '')}")
    for words in reuse_lines(view):
        note(words)
    if view.lacks_brief:
        note(brief_words(view))


def reuse_lines(view: DocumentView) -> Iterator[str]:
    """Which inputs came from the library, whose text they were and for what, and whether they may still be used."""
    for reuse in view.reuses:
        one, entry = view.input(reuse.input_id), reuse.entry
        place = f"{entry.document_id[:8]} {entry.section_id} version {entry.version}"
        rows = f" for {', '.join(reuse.requirement_ids)}" if reuse.requirement_ids else ""
        lapsed = f": {reuse.lapse} there" if reuse.lapse else ""
        yield f"{one.name if one else reuse.input_id} came from {place}, taken by {reuse.by}{rows}{lapsed}"


async def unused_lines(client: Client, view: DocumentView) -> list[str]:
    """What of the evidence stands in no section, so that nothing is lost in silence."""
    from stemma_client.unused import unused_evidence

    found = await unused_evidence(client, view)
    told = [f"no section uses {clean_line(_passage_words(*one))}" for one in found[:MOST_SHOWN]]
    return [*told, f"and {len(found) - MOST_SHOWN} more passages"] if len(found) > MOST_SHOWN else told


def _passage_words(name: str, heading: str, place: str) -> str:
    return f"{name}{f', {place}' if place and place != heading else ''}{f': “{heading}”' if heading else ''}"


def role_lines(view: DocumentView) -> Iterator[str]:
    files: dict[str, list[str]] = {}
    for one in view.input_views:
        if one.input_id != BRIEF and one.state != "withdrawn":
            files.setdefault(_role(one), []).append(clean_line(one.name))
    for role, names in sorted(files.items()):
        more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
        yield f"{role}: {', '.join(names[:MOST_SHOWN])}{more}"


def _role(one: InputView) -> str:
    return f"{one.used_as} (proposed)" if one.proposed else one.used_as


def _remarks(one: InputView) -> str:
    count = len(one.warnings)
    warned = f"{count} warning{'' if count == 1 else 's'}" if count else ""
    return one.unreadable.reason.replace("_", " ") if one.unreadable else warned


def _uses(one: InputView) -> Iterator[str]:
    for use in one.uses:
        old = f" (of version {use.input_version})" if use.input_version != one.version else ""
        yield f"{use.section_id} {use.version}{old}"


def read_words(one: InputView) -> str:
    figures = one.figures
    told = (
        (figures.pages, "page"),
        (figures.recognised, "page recognised"),
        (figures.characters, "character"),
        (figures.tables, "table"),
        (one.images, "image"),
    )
    words = [f"{number} {_plural(word, number)}" for number, word in told if number]
    return ", ".join(words) or "as it is"


_COLUMNS: Mapping[str, Callable[[InputView], str]] = {
    "INPUT": lambda one: one.input_id,
    "NAME": lambda one: one.name,
    "ROLE": _role,
    "STATE": lambda one: one.state,
    "VERSION": lambda one: (
        f"{one.version} (+{one.staged_version} staged)" if one.staged_version else str(one.version or "")
    ),
    "READ": lambda one: read_words(one) if one.text is not None and one.state != "withdrawn" else "",
    "USED BY": lambda one: ", ".join(_uses(one)),
    "REMARKS": _remarks,
}


def _plural(word: str, number: int) -> str:
    first, _, rest = word.partition(" ")
    return " ".join(filter(None, (first if number == 1 else f"{first}s", rest)))


def remarks_of(one: InputView) -> Iterator[str]:
    if one.unreadable is not None:
        kept = "; the version before counts on" if one.text is not None else ""
        yield f"{one.name} was not read: {clean_line(one.unreadable.detail) or one.unreadable.reason}{kept}"
    for warning in one.warnings:
        place = f", {clean_line(warning.place)}" if warning.place else ""
        yield f"{one.name}{place}: {clean_line(warning.detail) or warning.code}"


def brief_words(view: DocumentView) -> str:
    why = next((clean_line(one.unreadable.detail) for one in view.input_views if one.unreadable), "")
    give = f"give another with `stemma input replace {view.document_id[:8]} brief FILE`"
    return f"the brief could not be read ({why or 'see the inputs'}), so nothing is written: {give}"


async def changes_in(client: Client, document_id: str, ref: ArtifactRef | None) -> InputChanges:
    """What a version of an input changed; nothing if nobody keeps it any more."""
    return await client.stored(document_id, ref, InputChanges) or InputChanges()


def change_lines(changes: InputChanges, most: int = MOST_SHOWN) -> Iterator[str]:
    for part in changes.changed[:most]:
        yield f"{_place(part)}:"
        around = _changed_at(*(_line(text) for text in (part.before, part.after)))
        yield from (f"{sign} {_short(text, around)}" for sign, text in (("-", part.before), ("+", part.after)) if text)
    more = len(changes.changed) + changes.left_off - most
    if more > 0:
        yield f"and {more} more"


def _place(part: ChangedPart) -> str:
    line = f"line {part.line}"
    return f"{clean_line(part.heading)}, {line}" if part.heading else line


def _short(text: str, around: int = 0) -> str:
    line = _line(text)
    if len(line) <= _EXCERPT:
        return line
    start = max(0, min(around - _EXCERPT // 3, len(line) - _EXCERPT))
    start = line.find(" ", max(0, start - _LONG_WORD), start) + 1 or start
    end = start + _EXCERPT
    return f"{'...' * (start > 0)}{line[start:end]}{'...' * (end < len(line))}"


def _line(text: str) -> str:
    return clean_line(" ".join(text.split()))


def _changed_at(before: str, after: str) -> int:
    """Where two texts begin to differ; at the beginning if one of them is new or gone."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))


async def show_plan(client: Client, view: DocumentView, one: InputView) -> None:
    for words in remarks_of(one):
        note(words)
    changes = await changes_in(client, view.document_id, one.changes)
    blocks = len(changes.changed) + changes.left_off
    count = "1 block changes" if blocks == 1 else f"{blocks} blocks change"
    say(f"{one.name}: {count}" if one.version > 0 else f"{one.name} is new: {read_words(one)}")
    for line in change_lines(changes):
        say(line)
    if one.concerns:
        say(f"stale would be: {', '.join(one.concerns)}")
    else:
        say("no section rests on what it changes")


async def show_requirements(client: Client, view: DocumentView, one: InputView) -> None:
    """The rows of the ledger that stand in what a staged version would change, with the sections that answer them."""
    if view.ledger is None or view.ledger.rows is None or not is_source(one, view.ledger):
        return
    changes = await changes_in(client, view.document_id, one.changes)
    changed = [_letters(part.before) for part in changes.changed]
    for entry in (await client.ledger_of(view)).entries:
        wanted = _letters(entry.row.quote)
        if entry.row.source == one.source and entry.counts and any(wanted in before for before in changed):
            section = f" ({entry.standing.section_id})" if entry.standing.section_id else ""
            say(f"{entry.row.requirement_id}{section} is in it: {_short(entry.row.quote)}")


def is_source(one: InputView, ledger: LedgerView) -> bool:
    return ledger.brief if one.input_id == BRIEF else one.used_as == "request"


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
