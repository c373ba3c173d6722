"""Progress events: the log of a document, and at once its state, its audit trail and its feed.

The subject is ``stemma.event.v1.<tenant>.<document>.<name>``. Events hold references, never text.
``starts`` names the sections that the event sets to work, so that no event per dependent is needed.
"""

from __future__ import annotations

from .base import Event, SectionEvent
from .document import (
    DocumentCancelled,
    DocumentCompleted,
    DocumentExported,
    DocumentFailed,
    DocumentPaused,
    DocumentRequested,
    DocumentResumed,
    ExportFailed,
    ExportJobDead,
    ExportRequested,
    OutcomeSuperseded,
)
from .refusals import (
    DecisionRefused,
    RefusedByDocumentStatus,
    RefusedByStatus,
    RefusedNothingWritten,
    RefusedNotStale,
    RefusedOldVersion,
    RefusedReplacesEdit,
    RefusedRevisionLimit,
    RefusedUnknownNeed,
    RefusedUnknownSection,
    RefusedUnknownVersion,
    RefusedUpstreamStale,
)
from .section import (
    SectionAnswerMalformed,
    SectionApproved,
    SectionChecked,
    SectionDrafted,
    SectionEdited,
    SectionEditRequested,
    SectionFailure,
    SectionJobDead,
    SectionKept,
    SectionLintFailed,
    SectionModelUnavailable,
    SectionNeedAnswered,
    SectionNeedRaised,
    SectionRegenerationRequested,
    SectionRestored,
    SectionRetried,
    SectionReviewRequested,
    SectionRevised,
    SectionRevisionRefused,
    SectionRevisionRequested,
)

AnyFailure = SectionModelUnavailable | SectionAnswerMalformed | SectionJobDead
AnySectionEvent = (
    SectionDrafted
    | SectionLintFailed
    | SectionReviewRequested
    | SectionApproved
    | SectionRevisionRequested
    | SectionRevised
    | SectionRevisionRefused
    | AnyFailure
    | SectionRetried
    | SectionNeedRaised
    | SectionNeedAnswered
    | SectionEditRequested
    | SectionEdited
    | SectionRestored
    | SectionKept
    | SectionRegenerationRequested
    | SectionChecked
)
AnyExportOutcome = DocumentExported | ExportFailed | ExportJobDead
AnyRefusal = (
    RefusedOldVersion
    | RefusedByStatus
    | RefusedUnknownSection
    | RefusedUnknownNeed
    | RefusedByDocumentStatus
    | RefusedRevisionLimit
    | RefusedNothingWritten
    | RefusedNotStale
    | RefusedUpstreamStale
    | RefusedReplacesEdit
    | RefusedUnknownVersion
)
AnyDocumentEvent = (
    DocumentRequested
    | DocumentPaused
    | DocumentResumed
    | DocumentCancelled
    | DocumentCompleted
    | DocumentFailed
    | ExportRequested
    | AnyExportOutcome
    | OutcomeSuperseded
)
AnyEvent = AnyDocumentEvent | AnySectionEvent | AnyRefusal

__all__ = [
    "AnyDocumentEvent",
    "AnyEvent",
    "AnyExportOutcome",
    "AnyFailure",
    "AnyRefusal",
    "AnySectionEvent",
    "DecisionRefused",
    "DocumentCancelled",
    "DocumentCompleted",
    "DocumentExported",
    "DocumentFailed",
    "DocumentPaused",
    "DocumentRequested",
    "DocumentResumed",
    "Event",
    "ExportFailed",
    "ExportJobDead",
    "ExportRequested",
    "OutcomeSuperseded",
    "RefusedByDocumentStatus",
    "RefusedByStatus",
    "RefusedNotStale",
    "RefusedNothingWritten",
    "RefusedOldVersion",
    "RefusedReplacesEdit",
    "RefusedRevisionLimit",
    "RefusedUnknownNeed",
    "RefusedUnknownSection",
    "RefusedUnknownVersion",
    "RefusedUpstreamStale",
    "SectionAnswerMalformed",
    "SectionApproved",
    "SectionChecked",
    "SectionDrafted",
    "SectionEditRequested",
    "SectionEdited",
    "SectionEvent",
    "SectionFailure",
    "SectionJobDead",
    "SectionKept",
    "SectionLintFailed",
    "SectionModelUnavailable",
    "SectionNeedAnswered",
    "SectionNeedRaised",
    "SectionRegenerationRequested",
    "SectionRestored",
    "SectionRetried",
    "SectionReviewRequested",
    "SectionRevised",
    "SectionRevisionRefused",
    "SectionRevisionRequested",
]
