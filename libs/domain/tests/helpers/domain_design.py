"""The shipped design document, driven through the pure core."""

from itertools import count
from pathlib import Path
from typing import Any

import domain_asking as asking
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1.cycles import CycleStatus, ReviewVerdict
from stemma_contracts.v1.review import ReviewPolicy
from stemma_domain.blueprints.planning import plan_sections, planned_cycle
from stemma_domain.features.cycles import Cycle
from stemma_domain.state import State
from stemma_orchestrator.catalog import load_catalog
from stemma_testkit.deciding import Then

CONFIG = Path(__file__).parents[4] / "services" / "orchestrator" / "config"
DESIGN = load_catalog(CONFIG)["design_document"]
DRAFTS = ("hld_draft", "lld_draft", "database_schema")
EVERY = (*DRAFTS, "review_feedback", "final_document")


class Design(Story):
    """A design document whose agents write ``what they wrote before`` unless told otherwise."""

    texts: Any

    def begin(self, review: ReviewPolicy | None = None) -> Then[State, Any]:
        self.texts = count(1)
        sections = plan_sections(DESIGN.blueprint, DESIGN.dependencies, None, review)
        about: dict[str, Any] = {"kind": "design_document", "blueprint_digest": DESIGN.digest, "sections": sections}
        cycle = planned_cycle(DESIGN.blueprint, sections)
        return self.when(asking.create(self.asked("create"), cycle=cycle, **about))

    def write(self, section_id: str, text: str | None = None) -> Then[State, Any]:
        self.drafted(section_id, text or f"{section_id}, written {next(self.texts)}")
        return self.validated(section_id)

    def draft_all(self) -> None:
        for name in DRAFTS:
            self.write(name)

    def review(self, needs_revision: bool, text: str | None = None) -> Then[State, Any]:
        verdict = ReviewVerdict(needs_revision=needs_revision, findings={"major": int(needs_revision)})
        self.drafted("review_feedback", text or f"review {next(self.texts)}", review=verdict)
        return self.validated("review_feedback")

    @property
    def cycle(self) -> Cycle:
        assert self.document.cycle is not None
        return self.document.cycle

    def status_of_design(self) -> CycleStatus:
        return self.cycle.document_status

    def version(self, section_id: str) -> int:
        return self.document.sections[section_id].current_number

    def writing(self) -> j.GenerateSection:
        """The one section that is being written."""
        return self.job(j.GenerateSection)

    def ends(self) -> None:
        """All is drafted and reviewed, and the final document waits for a person."""
        self.draft_all()
        self.review(needs_revision=False)
        self.write("final_document")

    def cycle_again(self, feedback: str = "more", **leave: bool) -> e.RevisionCycleStarted:
        """A person wants a full cycle."""
        version = self.version("final_document")
        (again,) = self.ask(asking.revise, "final_document", version, ref(feedback), cycle=True, **leave)
        assert isinstance(again, e.RevisionCycleStarted)
        return again
