"""Progress events: the log of a document, and at once its state, its audit trail and its feed.

The subject is ``stemma.event.v1.<tenant>.<document>.<name>``. Events hold references, never text.
``starts`` names the sections that the event sets to work, so that no event per dependent is needed.
"""

from __future__ import annotations

from stemma_contracts.v1.events.document import (
    DocumentInputAdded,
    DocumentInputApplied,
    DocumentInputRead,
    DocumentInputReplaced,
    DocumentInputUnreadable,
    DocumentInputWithdrawn,
    InputEvent,
)
from stemma_contracts.v1.events.section import (
    SectionAssigned,
    SectionCommented,
    SectionDueSoon,
    SectionOverdue,
    SectionThreadReopened,
    SectionThreadResolved,
    SectionUnassigned,
)

from .base import Event, PaidEvent, SectionEvent
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
    FormExported,
    FormExportFailed,
    FormExportRequested,
    FormFieldsConfirmed,
    OutcomeSuperseded,
    RequirementsAdded,
    RequirementsDecided,
    RequirementsRead,
    RequirementsRequested,
    RequirementsSplit,
    RequirementsUnread,
    RevisionCycleStarted,
)
from .refusals import DecisionRefused
from .section import (
    ReviewConclusion,
    SectionAnswerMalformed,
    SectionApproved,
    SectionChecked,
    SectionCheckRequested,
    SectionContextTooLong,
    SectionDrafted,
    SectionEditChecked,
    SectionEdited,
    SectionEditProposed,
    SectionEditRejected,
    SectionEditRequested,
    SectionEditVoided,
    SectionFailure,
    SectionInputsMissing,
    SectionJobDead,
    SectionKept,
    SectionLintFailed,
    SectionModelUnavailable,
    SectionNeedAnswered,
    SectionNeedRaised,
    SectionNoRoleLeft,
    SectionRegenerationRequested,
    SectionRestored,
    SectionRetried,
    SectionReviewRequested,
    SectionRevised,
    SectionRevisionRefused,
    SectionRevisionRequested,
    SectionRoleAnalysisMissing,
    SectionThreadLost,
)

AnyFailure = (
    SectionModelUnavailable
    | SectionAnswerMalformed
    | SectionContextTooLong
    | SectionInputsMissing
    | SectionRoleAnalysisMissing
    | SectionNoRoleLeft
    | SectionThreadLost
    | SectionJobDead
)
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
    | SectionCheckRequested
    | SectionNeedRaised
    | SectionNeedAnswered
    | SectionEditRequested
    | SectionEditProposed
    | SectionEditChecked
    | SectionEditRejected
    | SectionEditVoided
    | SectionEdited
    | SectionRestored
    | SectionKept
    | SectionRegenerationRequested
    | SectionChecked
)
AnyExportOutcome = DocumentExported | ExportFailed | ExportJobDead
AnyFormEvent = FormFieldsConfirmed | FormExportRequested | FormExported | FormExportFailed
AnyLedgerEvent = (
    RequirementsRequested
    | RequirementsRead
    | RequirementsUnread
    | RequirementsDecided
    | RequirementsSplit
    | RequirementsAdded
)
AnyCommentEvent = SectionCommented | SectionThreadResolved | SectionThreadReopened
AnyAssignmentEvent = SectionAssigned | SectionUnassigned | SectionDueSoon | SectionOverdue
AnyInputEvent = (
    DocumentInputAdded
    | DocumentInputReplaced
    | DocumentInputApplied
    | DocumentInputWithdrawn
    | DocumentInputRead
    | DocumentInputUnreadable
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
    | RevisionCycleStarted
    | AnyFormEvent
    | AnyInputEvent
    | AnyLedgerEvent
)
AnyEvent = AnyDocumentEvent | AnySectionEvent | AnyCommentEvent | AnyAssignmentEvent | DecisionRefused

__all__ = [
    "AnyAssignmentEvent",
    "AnyCommentEvent",
    "AnyDocumentEvent",
    "AnyEvent",
    "AnyExportOutcome",
    "AnyFailure",
    "AnyFormEvent",
    "AnyInputEvent",
    "AnyLedgerEvent",
    "AnySectionEvent",
    "DecisionRefused",
    "DocumentCancelled",
    "DocumentCompleted",
    "DocumentExported",
    "DocumentFailed",
    "DocumentInputAdded",
    "DocumentInputApplied",
    "DocumentInputRead",
    "DocumentInputReplaced",
    "DocumentInputUnreadable",
    "DocumentInputWithdrawn",
    "DocumentPaused",
    "DocumentRequested",
    "DocumentResumed",
    "Event",
    "ExportFailed",
    "ExportJobDead",
    "ExportRequested",
    "FormExportFailed",
    "FormExportRequested",
    "FormExported",
    "FormFieldsConfirmed",
    "InputEvent",
    "OutcomeSuperseded",
    "PaidEvent",
    "RequirementsAdded",
    "RequirementsDecided",
    "RequirementsRead",
    "RequirementsRequested",
    "RequirementsSplit",
    "RequirementsUnread",
    "ReviewConclusion",
    "RevisionCycleStarted",
    "SectionAnswerMalformed",
    "SectionApproved",
    "SectionAssigned",
    "SectionCheckRequested",
    "SectionChecked",
    "SectionCommented",
    "SectionContextTooLong",
    "SectionDrafted",
    "SectionDueSoon",
    "SectionEditChecked",
    "SectionEditProposed",
    "SectionEditRejected",
    "SectionEditRequested",
    "SectionEditVoided",
    "SectionEdited",
    "SectionEvent",
    "SectionFailure",
    "SectionInputsMissing",
    "SectionJobDead",
    "SectionKept",
    "SectionLintFailed",
    "SectionModelUnavailable",
    "SectionNeedAnswered",
    "SectionNeedRaised",
    "SectionNoRoleLeft",
    "SectionOverdue",
    "SectionRegenerationRequested",
    "SectionRestored",
    "SectionRetried",
    "SectionReviewRequested",
    "SectionRevised",
    "SectionRevisionRefused",
    "SectionRevisionRequested",
    "SectionRoleAnalysisMissing",
    "SectionThreadLost",
    "SectionThreadReopened",
    "SectionThreadResolved",
    "SectionUnassigned",
]
