"""Progress events: the log of a document, and at once its state, its audit trail and its feed.

The subject is ``stemma.event.v1.<tenant>.<document>.<name>``. Events hold references, never text.
``starts`` names the sections that the event sets to work, so that no event per dependent is needed.
"""

from .base import Event as Event
from .base import PaidEvent as PaidEvent
from .base import SectionEvent as SectionEvent
from .document import BidOutcomeRecorded as BidOutcomeRecorded
from .document import DocumentBudgetAnswered as DocumentBudgetAnswered
from .document import DocumentBudgetReached as DocumentBudgetReached
from .document import DocumentBudgetRenewed as DocumentBudgetRenewed
from .document import DocumentBudgetSet as DocumentBudgetSet
from .document import DocumentCancelled as DocumentCancelled
from .document import DocumentCompleted as DocumentCompleted
from .document import DocumentErased as DocumentErased
from .document import DocumentErasureRequested as DocumentErasureRequested
from .document import DocumentExported as DocumentExported
from .document import DocumentFailed as DocumentFailed
from .document import DocumentInputAdded as DocumentInputAdded
from .document import DocumentInputApplied as DocumentInputApplied
from .document import DocumentInputRead as DocumentInputRead
from .document import DocumentInputReplaced as DocumentInputReplaced
from .document import DocumentInputRoleSet as DocumentInputRoleSet
from .document import DocumentInputUnreadable as DocumentInputUnreadable
from .document import DocumentInputWithdrawn as DocumentInputWithdrawn
from .document import DocumentPassageMarked as DocumentPassageMarked
from .document import DocumentPaused as DocumentPaused
from .document import DocumentRequested as DocumentRequested
from .document import DocumentResumed as DocumentResumed
from .document import DocumentThreadsErased as DocumentThreadsErased
from .document import EntryReused as EntryReused
from .document import EntryUseLapsed as EntryUseLapsed
from .document import ExportFailed as ExportFailed
from .document import ExportJobDead as ExportJobDead
from .document import ExportRequested as ExportRequested
from .document import FormExported as FormExported
from .document import FormExportFailed as FormExportFailed
from .document import FormExportRequested as FormExportRequested
from .document import FormFieldsConfirmed as FormFieldsConfirmed
from .document import InputEvent as InputEvent
from .document import OutcomeSuperseded as OutcomeSuperseded
from .document import RequirementsAdded as RequirementsAdded
from .document import RequirementsDecided as RequirementsDecided
from .document import RequirementsRead as RequirementsRead
from .document import RequirementsRequested as RequirementsRequested
from .document import RequirementsSplit as RequirementsSplit
from .document import RequirementsUnread as RequirementsUnread
from .document import ReturnApplied as ReturnApplied
from .document import ReturnRead as ReturnRead
from .document import ReturnRequested as ReturnRequested
from .document import ReturnUnread as ReturnUnread
from .document import RevisionCycleStarted as RevisionCycleStarted
from .refusals import DecisionRefused as DecisionRefused
from .section import EntryDescribed as EntryDescribed
from .section import EntryExpired as EntryExpired
from .section import EntryLapseTold as EntryLapseTold
from .section import EntryUsed as EntryUsed
from .section import ReviewConclusion as ReviewConclusion
from .section import SectionAnswerMalformed as SectionAnswerMalformed
from .section import SectionApprovalGiven as SectionApprovalGiven
from .section import SectionApprovalWithdrawn as SectionApprovalWithdrawn
from .section import SectionApproved as SectionApproved
from .section import SectionAssigned as SectionAssigned
from .section import SectionChecked as SectionChecked
from .section import SectionCheckRequested as SectionCheckRequested
from .section import SectionCommented as SectionCommented
from .section import SectionContextTooLong as SectionContextTooLong
from .section import SectionDrafted as SectionDrafted
from .section import SectionDueSoon as SectionDueSoon
from .section import SectionEditChecked as SectionEditChecked
from .section import SectionEdited as SectionEdited
from .section import SectionEditMerged as SectionEditMerged
from .section import SectionEditProposed as SectionEditProposed
from .section import SectionEditRejected as SectionEditRejected
from .section import SectionEditRequested as SectionEditRequested
from .section import SectionEditVoided as SectionEditVoided
from .section import SectionFailure as SectionFailure
from .section import SectionInputsMissing as SectionInputsMissing
from .section import SectionJobDead as SectionJobDead
from .section import SectionKept as SectionKept
from .section import SectionLintFailed as SectionLintFailed
from .section import SectionModelUnavailable as SectionModelUnavailable
from .section import SectionNeedAnswered as SectionNeedAnswered
from .section import SectionNeedRaised as SectionNeedRaised
from .section import SectionNoRoleLeft as SectionNoRoleLeft
from .section import SectionOverdue as SectionOverdue
from .section import SectionRegenerationRequested as SectionRegenerationRequested
from .section import SectionRestored as SectionRestored
from .section import SectionRetried as SectionRetried
from .section import SectionReviewRequested as SectionReviewRequested
from .section import SectionRevised as SectionRevised
from .section import SectionRevisionRefused as SectionRevisionRefused
from .section import SectionRevisionRequested as SectionRevisionRequested
from .section import SectionRoleAnalysisMissing as SectionRoleAnalysisMissing
from .section import SectionThreadLost as SectionThreadLost
from .section import SectionThreadReopened as SectionThreadReopened
from .section import SectionThreadResolved as SectionThreadResolved
from .section import SectionUnassigned as SectionUnassigned

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
    | SectionApprovalGiven
    | SectionApprovalWithdrawn
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
    | SectionEditMerged
    | SectionEdited
    | SectionRestored
    | SectionKept
    | SectionRegenerationRequested
    | SectionChecked
)
AnyExportOutcome = DocumentExported | ExportFailed | ExportJobDead
AnyFormEvent = FormFieldsConfirmed | FormExportRequested | FormExported | FormExportFailed
AnyReturnEvent = ReturnRequested | ReturnRead | ReturnUnread | ReturnApplied
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
AnyEntryEvent = EntryDescribed | EntryExpired | EntryUsed | EntryLapseTold
AnyReuseEvent = BidOutcomeRecorded | EntryReused
AnyInputEvent = (
    DocumentInputAdded
    | DocumentInputReplaced
    | DocumentInputApplied
    | DocumentInputWithdrawn
    | DocumentInputRoleSet
    | DocumentPassageMarked
    | DocumentInputRead
    | DocumentInputUnreadable
    | EntryUseLapsed
)
AnyErasureEvent = DocumentErasureRequested | DocumentThreadsErased | DocumentErased
AnyBudgetEvent = DocumentBudgetSet | DocumentBudgetReached | DocumentBudgetAnswered | DocumentBudgetRenewed
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
    | AnyBudgetEvent
    | AnyFormEvent
    | AnyReturnEvent
    | AnyInputEvent
    | AnyLedgerEvent
    | AnyErasureEvent
    | AnyReuseEvent
)
AnyEvent = AnyDocumentEvent | AnySectionEvent | AnyCommentEvent | AnyAssignmentEvent | AnyEntryEvent | DecisionRefused
