"""How well what a text uses tells whether a change of its upstream concerns it: edits of a specification, replayed.

Each of 92 commits of CloudEvents is an edit of one section on which up to five others rest: the formats, bindings and
the primer, as they were then. `edits/labels.toml` says which of them the commit made wrong.
"""

import json
import lzma
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import domain_asking as asking
from bench_report import row, target, title
from domain_story import PROVENANCE, Story, evaluation, validation
from stemma_artifacts.store import MemoryArtifactStore
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.commands import Command
from stemma_orchestrator.comparing import Comparing
from stemma_validator.resting import RestsCheck, Upstream

EDITS = Path(__file__).with_name("edits")
SPEC = "spec"
LEAST_GAIN = 3.0


@dataclass(frozen=True)
class Commit:
    """A change of the specification, the documents that rest on it, and which of these it concerns."""

    name: str
    before: str
    after: str
    documents: dict[str, str]
    concerns: frozenset[str]


@dataclass(frozen=True)
class Found:
    """``stale`` and ``concerned`` are pairs of a commit and a document, of ``pairs`` that there are."""

    pairs: int
    stale: frozenset[tuple[str, str]]
    concerned: frozenset[tuple[str, str]]

    @property
    def missed(self) -> frozenset[tuple[str, str]]:
        return self.concerned - self.stale

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / len(self.concerned)

    @property
    def precision(self) -> float:
        return len(self.stale & self.concerned) / len(self.stale)

    @property
    def precision_of_whole(self) -> float:
        """Where any change makes all stale that rest on the section."""
        return len(self.concerned) / self.pairs


def commits(only: Collection[str] = ()) -> Iterator[Commit]:
    """The commits, oldest first."""
    labels = tomllib.loads((EDITS / "labels.toml").read_text(encoding="utf-8"))["affected"]
    with lzma.open(EDITS / "commits.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            name = told["commit"]
            if not only or name in only:
                about = told["before"], told["after"], told["documents"]
                yield Commit(name, *about, frozenset(labels.get(name, ())))


async def replayed(edits: Iterable[Commit]) -> Found:
    """What each of the edits makes stale, by the core and what the services tell it."""
    pairs, stale, concerned = 0, set[tuple[str, str]](), set[tuple[str, str]]()
    for edit in edits:
        pairs += len(edit.documents)
        stale |= {(edit.name, name) for name in await _made_stale(edit)}
        concerned |= {(edit.name, name) for name in edit.concerns}
    return Found(pairs, frozenset(stale), frozenset(concerned))


async def _made_stale(edit: Commit) -> list[str]:
    artifacts = MemoryArtifactStore()
    before, after = [
        await artifacts.put(asking.TENANT, asking.DOCUMENT, text.encode(), media_type="text/markdown", name="draft.md")
        for text in (edit.before, edit.after)
    ]
    story = _written(edit, before)
    command: Command = asking.write(story.asked(), SPEC, 1, after)
    (edited, *_) = story.when(await Comparing(artifacts).compared(command, story.document))
    assert isinstance(edited, e.SectionEdited)
    return [mark.section_id for mark in edited.makes_stale]


def _written(edit: Commit, before: ArtifactRef) -> Story:
    story = Story()
    story.create({SPEC: (), **dict.fromkeys(edit.documents, (SPEC,))})
    story.outcome(o.SectionGenerated, SPEC, draft=before, provenance=PROVENANCE, evaluation=evaluation())
    story.validated(SPEC)
    story.approve(SPEC)
    for name, text in edit.documents.items():
        story.drafted(name, text)
        above = Upstream(section_id=SPEC, version=1, text=edit.before)
        used = RestsCheck(text=text, language="en", upstream=(above,)).run()
        found = validation().model_copy(update={"used_upstream": used})
        story.outcome(o.DraftValidated, name, validation=found)
        story.approve(name)
    return story


async def staleness() -> None:
    """Recall, and precision beside that of whole sections."""
    title("what an edit makes stale, of 92 commits of a specification")
    found = await replayed(commits())
    row("pairs of an edit and a document that rests on it", f"{found.pairs}, {len(found.concerned)} concerned")
    target("missed", len(found.missed), 0)
    row("precision", f"{found.precision:.3f}", f"of whole sections {found.precision_of_whole:.3f}")
    target("precision of whole sections, times", -found.precision / found.precision_of_whole, -LEAST_GAIN)
