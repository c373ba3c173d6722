"""What the model calls of a document cost: by section and by what they were made for, and by version."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.usage import Usage

from .recorded import RecordedEvent

Work = Literal["writing", "editing", "checking"]
WORKS: tuple[Work, ...] = ("writing", "editing", "checking")
NOTHING = Usage()
_EDITING = (e.SectionRevised, e.SectionRevisionRefused, e.SectionEditProposed, e.SectionEdited)
_CHECKING = (e.SectionChecked, e.SectionEditChecked)


_WORK_OF: Mapping[Activity, Work] = {Activity.EDIT: "editing", Activity.GENERATE: "writing"}


@dataclass(frozen=True)
class Costs:
    """``by_work`` has a section, empty where an event names none, and what was done; ``by_version`` its versions.

    What an edit cost that a person accepted is of the version that it became, and that of others of none.
    """

    by_work: Mapping[tuple[str, Work], Usage]
    by_version: Mapping[tuple[str, int], Usage]

    def of_section(self, section_id: str) -> Usage:
        """All that was spent on a section."""
        spent = [self.by_work[key] for work in WORKS if (key := (section_id, work)) in self.by_work]
        return reduce(Usage.plus, spent) if spent else NOTHING


def costs_of(history: Iterable[RecordedEvent]) -> Costs:
    """The costs that the events of a document tell; together they are its usage."""
    by_work: dict[tuple[str, Work], Usage] = defaultdict(Usage)
    by_version: dict[tuple[str, int], Usage] = defaultdict(Usage)
    proposed: dict[str, Usage] = defaultdict(Usage)
    for event in history:
        match event.contract:
            case e.SectionEditProposed() | e.SectionEditChecked() as edit:
                proposed[edit.proposal_id] = proposed[edit.proposal_id].plus(edit.usage)
            case e.SectionEdited(proposal_id=str(proposal_id)) as edited:
                key = (edited.section_id, edited.version)
                by_version[key] = by_version[key].plus(proposed[proposal_id])
        if isinstance(event.contract, e.PaidEvent):
            _add(event.contract, by_work, by_version)
    return Costs(dict(by_work), dict(by_version))


def _add(event: e.PaidEvent, by_work: dict[tuple[str, Work], Usage], by_version: dict[tuple[str, int], Usage]) -> None:
    section_id = getattr(event, "section_id", "")
    if event.usage != NOTHING:
        work = (section_id, work_of(event))
        by_work[work] = by_work[work].plus(event.usage)
    if isinstance(event, e.SectionDrafted | e.SectionRevised | e.SectionEdited | e.SectionChecked):
        version = (section_id, event.version)
        by_version[version] = by_version[version].plus(event.usage)


def work_of(event: e.PaidEvent) -> Work:
    """What the model calls of an event were made for."""
    if isinstance(event, e.SectionFailure):
        return _WORK_OF.get(event.activity, "checking")
    if isinstance(event, _EDITING):
        return "editing"
    return "checking" if isinstance(event, _CHECKING) else "writing"
