"""Following a document at the terminal, in a pipe, or as JSON lines."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text
from stemma_client.client import Client, LiveText
from stemma_client.progress import CHARS_A_TOKEN, Seconds, elapsed, step_of
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_cli import wording
from stemma_cli.exit_codes import ExitCode
from stemma_cli.output import clean_line, console, note, say, say_json, table

from .findings import lines_about, lines_about_edit
from .inputs import brief_words
from .plans import budget_words

WIDE = 64
"""Columns of the screen below which a table by section tells statuses only."""
REFRESHES_A_SECOND = 4
LISTENED_S = 0.5
CHOOSING_S = 10.0
"""A model that says nothing for longer is not waited for by the choice of passages."""
ENDED = (DocumentStatus.COMPLETED, DocumentStatus.CANCELLED, DocumentStatus.FAILED)


class Screen:
    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self.seconds: Seconds = {}
        """How long sections take, by their kind."""

    def update(self, view: DocumentView, event: RecordedEvent) -> None:
        if self._as_json:
            say_json(event.view)
        else:
            say(wording.event_line(event))
        sys.stdout.flush()

    def live(self, piece: LiveText) -> None:
        """Text that is being written now."""


class TableScreen(Screen):
    """A table by section that changes in place, below a line per event, and goes on counting between them."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._view: DocumentView | None = None
        self._written: dict[str, Written] = {}
        self.display = Live(
            console=console, refresh_per_second=REFRESHES_A_SECOND, transient=False, get_renderable=self._rendered
        )

    def update(self, view: DocumentView, event: RecordedEvent) -> None:
        self._view = view
        self._written = {k: n for k, n in self._written.items() if view.sections[k].at_work}
        self.display.console.print(Text(clean_line(wording.event_line(event)), style="dim"))
        self.display.refresh()

    def live(self, piece: LiveText) -> None:
        if self._view is not None and piece.section_id in self._view.sections:
            written = self._written.setdefault(piece.section_id, Written(piece.at or 0))
            written.add(len(piece.text), time.monotonic())

    def _rendered(self) -> RenderableType:
        view = self._view
        if view is None:
            return Text()
        columns = ("SECTION", "STATUS", "FOR", "VERSION", "SCORE", "")
        shown = len(columns) if self.display.console.width >= WIDE else 2
        rows = [self._row(section)[:shown] for section in view.sections.values()]
        heard = sum(one.before + one.characters for one in self._written.values())
        told = wording.under_way_words(view, self.seconds, characters=heard)
        state = ", ".join([f"{view.document_id}: {view.status}", *told])
        return Group(table(columns[:shown], rows), Text(clean_line(state), style="bold"))

    def _row(self, section: SectionView) -> tuple[str, ...]:
        written = self._written.get(section.section_id)
        return (
            section.section_id,
            self._status(section),
            wording.work_words(section, self.seconds),
            wording.version_words(section.version),
            wording.score_words(section.evaluation),
            section.failure or (written.words if written and step_of(section) == "writing" else ""),
        )

    def _status(self, section: SectionView) -> str:
        """What is chosen for a prompt is chosen before the model is called, of which the first sign is live text."""
        words, is_heard = wording.status_words(section), section.section_id in self._written
        begins = step_of(section) == "writing" and elapsed(section, datetime.now(UTC)) < CHOOSING_S
        return words.replace("writing", "choosing") if begins and not is_heard else words


@dataclass
class Written:
    """What came of a text so far, and when its first and its last words came; nothing yet while the model reads.

    So many characters came ``before`` anybody listened.
    """

    before: int = 0
    characters: int = 0
    first: float = 0.0
    last: float = 0.0

    def add(self, characters: int, now: float) -> None:
        self.first = self.first if self.characters else now
        self.characters, self.last = self.characters + characters, now

    @property
    def words(self) -> str:
        if not self.characters:
            return "the model reads"
        took = self.last - self.first
        speed = f", about {self.characters / CHARS_A_TOKEN / took:.0f} tokens/s" if took >= 1 else ""
        return f"{self.characters} characters{speed}"


@contextmanager
def screen_for(*, as_json: bool) -> Iterator[Screen]:
    if as_json or not sys.stdout.isatty():
        yield Screen(as_json=as_json)
        return
    screen = TableScreen(console())
    with screen.display:
        yield screen


@asynccontextmanager
async def live_text(client: Client, document_id: str, screen: Screen) -> AsyncIterator[None]:
    async def show() -> None:
        async with aclosing(client.follow_live(document_id)) as pieces:
            async for piece in pieces:
                screen.live(piece)

    task = asyncio.create_task(show())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def heard_now(client: Client, view: DocumentView) -> int:
    """How many characters the answers under way have, as far as they are streamed."""
    if all(step_of(section) != "writing" for section in view.sections.values()):
        return 0
    async with aclosing(client.follow_live(view.document_id)) as pieces:
        return await heard_of(pieces)


async def heard_of(pieces: AsyncIterator[LiveText]) -> int:
    """The same of pieces that come within a moment: each tells its place in its text."""
    heard = dict[str, int]()
    with suppress(TimeoutError):
        async with asyncio.timeout(LISTENED_S):
            async for piece in pieces:
                heard[piece.section_id] = (piece.at or 0) + len(piece.text)
    return sum(heard.values())


def is_over(view: DocumentView, *, follow: bool) -> bool:
    """Whether nothing more is to come, or nothing without a person."""
    if view.status is DocumentStatus.COMPLETED:
        return not view.checking
    needs_a_person = bool(view.waiting) or view.lacks_brief or view.status is DocumentStatus.PAUSED
    needs_a_person |= bool(view.budget and (view.budget.question or view.budget.left))
    return view.status in ENDED or (needs_a_person and not view.at_work and not follow)


async def tell_verdict(client: Client, view: DocumentView) -> ExitCode:
    await _tell_proposals(client, view)
    for section in (s for s in view.sections.values() if s.refusal):
        note(f"the editor refused {section.section_id}: {await client.text(view.document_id, section.refusal)}")
    if view.status is DocumentStatus.COMPLETED:
        note(f"completed: take it out with `stemma export {view.document_id[:8]}`")
        return ExitCode.OK
    failed = [s for s in view.sections.values() if s.status is SectionStatus.FAILED]
    for words in wording.failure_words(view, failed):
        note(words)
    for section in view.waiting:
        for words in await lines_about(client, view, section):
            note(f"{section.section_id}: {words}")
    _tell_who_waits(view)
    if view.lacks_brief:
        note(brief_words(view))
    if view.budget is not None and (view.budget.question or view.budget.left):
        note(budget_words(view))
    if view.status is DocumentStatus.PAUSED:
        note(wording.paused_words(view))
    return ExitCode.FAILED if failed or view.status in ENDED else ExitCode.OK


async def _tell_proposals(client: Client, view: DocumentView) -> None:
    for section in (s for s in view.sections.values() if s.proposes):
        assert section.proposal is not None
        name = f"{view.document_id[:8]} {section.section_id}"
        proposed = f"{section.section_id}: {wording.proposal_words(section)}"
        note(f"{proposed}; see `stemma show {name}`, `stemma accept-edit {name}`")
        for words in await lines_about_edit(client, view, section):
            note(f"{section.section_id}: edit {section.proposal.proposal_id}: {words}")


def _tell_who_waits(view: DocumentView) -> None:
    for section in view.stale:
        because = wording.because_words(section)
        note(f"stale: {section.section_id} ({because})")
    if view.stale:
        note(f"decide with `stemma keep` or `stemma regenerate`; see `stemma stale {view.document_id[:8]}`")
    asked = [s for s in view.waiting if s.asks or s.status is SectionStatus.AWAITING_REVIEW]
    if asked:
        note(wording.waiting_words(asked))
