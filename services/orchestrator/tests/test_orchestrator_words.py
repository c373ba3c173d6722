"""Whatever people and machines do, in whatever order: each sentence that a person wrote stands, none that was deleted.

The reader knows nothing of versions, hands and merges: it hears what people decide, and sees the texts.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import domain_asking as asking
import pytest
from domain_asking import DOCUMENT, TENANT
from domain_story import PROVENANCE, Story, evaluation, validation
from hypothesis import given
from hypothesis import strategies as st
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Asked, Command, Record
from stemma_domain.features.proposals import Proposed
from stemma_domain.state import Section
from stemma_domain.work import open_jobs
from stemma_markdown import merge, single_changes, without
from stemma_orchestrator.renewing import Renewing
from stemma_testkit.plugin import examples

WORDS = ("hall", "attic", "yard", "roof", "door", "lift", "ramp", "gate")
SENTENCES = [f"The {word} opens on day {number}." for number, word in enumerate(WORDS)]
VERBS = [
    *["work"] * 8,
    *["write", "regenerate", "approve"] * 3,
    *["edit", "accept", "import", "settle"] * 2,
    *["restore", "revise", "take back", "retry", "replace", "reject"],
]


Changes = list[tuple[int, int]]
"""Sentences with places: one that is there goes, or moves if the place is odd; another one comes."""
CHANGES = st.lists(st.tuples(st.integers(0, len(WORDS) - 1), st.integers(0, 9)), min_size=1, max_size=3)
STEPS = st.lists(st.tuples(st.sampled_from(VERBS), CHANGES, st.integers(0, 20)), min_size=15, max_size=40)


def changed(text: str, changes: Changes) -> str:
    """Paragraphs of one to three sentences, changed."""
    order = sorted(said(text), key=text.index)
    for number, place in changes:
        sentence = SENTENCES[number]
        if is_there := sentence in order:
            order.remove(sentence)
        if not is_there or place % 2:
            order.insert(place % (len(order) + 1), sentence)
    ends = [" " if SENTENCES.index(one) % 3 else "\n\n" for one in order]
    return "".join(map("".join, zip(order, ends, strict=True))) or f"{SENTENCES[0]}\n"


def said(text: str) -> set[str]:
    return {sentence for sentence in SENTENCES if sentence in text}


@dataclass
class Reader:
    """What people wrote in a section and deleted since they last let it go, and its text as it was read last."""

    text: str = ""
    wrote: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    let_go: bool = False

    def decided(self, text: str) -> None:
        """A person gave the section a text, or what came of their words."""
        before, now = said(self.text), said(text)
        self.wrote, self.deleted = (self.wrote & now) | (now - before), (self.deleted | before) - now
        self.text = text

    def written_anew(self, text: str) -> None:
        if self.let_go:
            self.wrote, self.deleted, self.let_go = set(), set(), False
        assert self.wrote <= said(text), "words of a person are gone"
        assert not self.deleted & said(text), "what a person deleted is there again"
        assert all(text.count(one) <= max(1, self.text.count(one)) for one in SENTENCES), "it is there twice"
        self.text = text


class House:
    """A document with people and machines at work on one section, and its reader."""

    def __init__(self) -> None:
        self.story, self.artifacts, self.reader = Story(), MemoryArtifactStore(), Reader()
        self.asked_about = ""
        self.machine = "".join(f"{one}\n\n" for one in SENTENCES[:5])
        self.story.create({"research": ()}, review_edits="human", max_revisions=50, max_lint_rounds=1)

    @property
    def section(self) -> Section:
        return self.story.document.sections["research"]

    async def stored(self, text: str) -> ArtifactRef:
        return await self.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="draft.md")

    async def read(self, ref: ArtifactRef) -> str:
        return (await self.artifacts.get(TENANT, DOCUMENT, ref)).decode()

    async def step(self, verb: str, changes: Changes, choice: int) -> None:
        command = await (self._outcome(changes, choice) if verb == "work" else self._asked(verb, changes, choice))
        if command is None:
            return
        renewing = Renewing(self.artifacts, self.story.document)
        if isinstance(command, Record):
            command = replace(command, merged=await renewing.draft(command.outcome))
        else:
            command = replace(command, seen=renewing.seen, waiting=await renewing.waiting(command))
        for event in self.story.when(command).events:
            await self._read(event, command)

    async def _read(self, event: e.AnyEvent, command: Command) -> None:
        match event:
            case e.SectionDrafted():
                assert event.merge or not self.reader.wrote or self.reader.let_go
                self.reader.written_anew(await self.read(event.draft))
            case e.SectionEdited() | e.SectionRestored():
                self.reader.decided(await self.read(event.draft))
                self.reader.let_go = False
            case e.SectionRevised() if self.section.versions[-1].is_a_persons:
                self.reader.decided(await self.read(event.draft))
            case e.SectionRevised():
                self.reader.text = await self.read(event.draft)
            case e.SectionRegenerationRequested():
                self.reader.let_go = not event.merges
            case e.SectionRevisionRequested() | e.SectionEditRequested():
                self.asked_about = self.reader.text
            case e.SectionEditProposed() if event.merge:
                await self._hold(event, self.asked_about)
            case e.SectionEditMerged():
                await self._hold(event, self.reader.text)
            case _:
                pass

    async def _hold(self, event: e.SectionEditProposed | e.SectionEditMerged, text: str) -> None:
        """An edit that waits has what people made of a text since."""
        given, before = said(await self.read(self.section.versions[-1].draft)), said(text)
        waits = said(await self.read(event.draft))
        assert given - before <= waits, "the edit that waits drops what a person has written"
        assert not (before - given) & waits, "the edit that waits brings back what a person has deleted"

    async def _outcome(self, changes: Changes, choice: int) -> Record | None:
        jobs = open_jobs(self.story.state)
        if not jobs:
            return None
        job = jobs[choice % len(jobs)]
        about: Any = {"tenant": TENANT, "document_id": DOCUMENT, "job_id": job.job_id, "section_id": "research"}
        # A machine writes from its own text before, or from that which it was given.
        text = changed(self.reader.text if choice % 2 and self.reader.text else self.machine, changes)
        draft = await self.stored(text)
        match job:
            case _ if choice == 20:
                return Record(o.JobDead(**about))
            case j.GenerateSection():
                self.machine = text
                about |= {"evaluation": evaluation(), "provenance": PROVENANCE}
                return Record(o.SectionGenerated(**about, draft=draft))
            case j.ReviseDraft():
                return Record(o.DraftRevised(**about, draft=draft, summary=draft, provenance=PROVENANCE))
            case j.ValidateDraft():
                return Record(o.DraftValidated(**about, validation=validation(choice % 3 > 0)))
            case _:
                return Record(o.DraftEvaluated(**about, evaluation=evaluation(), provenance=PROVENANCE))

    async def _asked(self, verb: str, changes: Changes, choice: int) -> Asked[Any] | None:
        number, meta = self.section.current_number, self.story.asked()
        proposal_id = self.section.proposal.proposal_id if isinstance(self.section.proposal, Proposed) else "none"
        one: Callable[..., Asked[Any]]
        match verb:
            case "write":
                return asking.write(meta, "research", number, await self.stored(changed(self.reader.text, changes)))
            case "import" | "settle" | "take back":
                given = await getattr(self, f"_{verb.replace(' ', '_')}")(changes, choice)
                return asking.write(meta, "research", number, await self.stored(given)) if given else None
            case "edit" | "revise":
                one = asking.edit if verb == "edit" else asking.revise
                return one(meta, "research", number, await self.stored(f"Say {choice}."))
            case "accept" | "reject":
                one = asking.accept if verb == "accept" else asking.reject
                return one(meta, "research", number, proposal_id)
            case "restore":
                return asking.restore(meta, "research", number, 1 + choice % max(1, number))
            case "regenerate" | "replace":
                return asking.regenerate(meta, "research", number, None, verb == "replace")
            case "retry":
                return asking.retry(meta, "research")
            case _:
                return asking.approve(meta, "research", number)

    async def _import(self, changes: Changes, choice: int) -> str | None:
        """A file that left with some version comes back changed; where both changed the same it is refused."""
        if not self.section.versions:
            return None
        base = await self.read(self.section.versions[choice % len(self.section.versions)].draft)
        text, now = changed(base, changes), await self.read(self.section.versions[-1].draft)
        merged = merge(base, text, now)
        if merged.conflicts or merged.text == now:
            return None
        assert said(text) - said(base) <= said(merged.text), "the import lost words"
        assert not (said(base) - said(text)) & said(merged.text), "the import brought back words"
        return merged.text

    async def _settle(self, _changes: Changes, _choice: int) -> str | None:
        """Keep the text as it stands, with whatever is in dispute."""
        return await self.read(self.section.versions[-1].draft) if self.section.versions else None

    async def _take_back(self, _changes: Changes, choice: int) -> str | None:
        if len(self.section.versions) < 2:
            return None
        old, new = [await self.read(version.draft) for version in self.section.versions[-2:]]
        changes = single_changes(old, new)
        return without(new, [changes[choice % len(changes)]]) if changes else None


async def lived(steps: list[tuple[str, Changes, int]]) -> House:
    house = House()
    for step in steps:
        await house.step(*step)
    return house


@pytest.mark.req("L4")
@examples(40)
@given(STEPS)
def test_every_sentence_that_a_person_wrote_or_deleted_is_honoured_in_any_history(
    steps: list[tuple[str, Changes, int]],
) -> None:
    asyncio.run(lived(steps))
