"""Events and sections in words."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import floor, log10
from shlex import quote
from typing import Any

from stemma_client.comments import ReadThread
from stemma_client.findings import NOT_JUDGED, failed_criteria
from stemma_client.progress import CHARS_A_TOKEN, Seconds, elapsed, read_now, seconds_left, step_of
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1.bids import BidRule, RuleCheck
from stemma_contracts.v1.coverage import CoverageSummary, NotCovered
from stemma_contracts.v1.cycles import CycleSummary
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.events import DecisionRefused, ReviewConclusion
from stemma_contracts.v1.exports import Contradiction, OverlongSection
from stemma_contracts.v1.inputs import ChangedInput
from stemma_contracts.v1.ledger import RequirementChange
from stemma_contracts.v1.provenance import GenerationWarning, Origin, RetrievedSource
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.validation import GROUNDING, NOT_CHECKED, ValidationSummary
from stemma_contracts.v1.views import DocumentView, FormExportView, LedgerView, SectionView, VersionView
from stemma_domain.dependencies import held_up_by

from stemma_cli.output import clean_line

_ORIGINS = {
    Origin.GENERATED: "generated",
    Origin.REVISED: "revised",
    Origin.EDITED: "by instruction",
    Origin.WRITTEN: "by a text of one's own",
    Origin.RESTORED: "restored",
}


def conclusion_words(conclusion: ReviewConclusion) -> str:
    if not conclusion.needs_revision:
        return "no revision needed"
    return "gone on in spite of the review" if conclusion.forced_continuation else "a revision is needed"


def cycle_words(cycle: CycleSummary) -> str:
    words = [f"{cycle.document_status}, {cycle.revision_count} of {cycle.max_revisions} reviews asked for a revision"]
    if cycle.forced_continuation:
        words.append("the last one was not met any more")
    if cycle.human_revision_requested:
        words.append("a person asked for another cycle")
    return ", ".join(words)


def score_words(evaluation: Evaluation | None) -> str:
    """A score with two digits, that there is none because no model judged, or nothing."""
    if evaluation is None:
        return ""
    return f"{evaluation.score:.2f}" if evaluation.judged else NOT_JUDGED


def evaluation_words(evaluation: Evaluation) -> str:
    """What models and programs found of a draft, told apart: a score is a judgement, a check is none."""
    reason = f" ({evaluation.not_judged_reason})" if evaluation.not_judged_reason else ""
    judgement = f"score {evaluation.score:.2f}" if evaluation.judged else f"{NOT_JUDGED}{reason}"
    critical = (f"critical: {_criterion(evaluation, name)}" for name in evaluation.critical_failures)
    low = (f"low: {_criterion(evaluation, name)}" for name in failed_criteria(evaluation))
    checks = (f"check failed: {c.check}" for c in evaluation.checks if not c.passed)
    return ", ".join((judgement, *critical, *low, *checks))


def _criterion(evaluation: Evaluation, name: str) -> str:
    score = evaluation.scores.get(name)
    return name if score is None else f"{name} {score:.2f}"


def issues(count: int) -> str:
    return "no lint issues" if count == 0 else f"{count} lint issue{'' if count == 1 else 's'}"


def validation_words(validation: ValidationSummary) -> str:
    found = sorted((rule, count) for rule, count in validation.rules.items() if rule != NOT_CHECKED)
    rules = ", ".join(f"{rule_words(rule)} {count}" for rule, count in found)
    counts = f"{_found_words(validation)}{f' ({rules})' if rules else ''}"
    unread = f"not read: {', '.join(validation.unread)}" if validation.unread else ""
    unchecked = "" if validation.complete else f"not checked in full: {validation.not_checked or 'see the issues'}"
    return "; ".join(filter(None, (unchecked, counts, unread, coverage_words(validation.coverage))))


def rule_words(rule: str) -> str:
    """A rule as people read it: that of a linter by its own name, that of a lookup by the kind of claim."""
    return rule.removeprefix(GROUNDING)


def count_words(validation: ValidationSummary) -> str:
    if validation.complete:
        return _found_words(validation)
    return f"not checked in full, {_found_words(validation)}" if validation.found else "not checked"


def _found_words(validation: ValidationSummary) -> str:
    unsupported = validation.without_support
    lint = issues(validation.found - unsupported)
    return f"{lint}, {unsupported} unsupported" if unsupported else lint


def counted_warnings(warnings: Sequence[GenerationWarning]) -> str:
    names = ", ".join(f"{warning.code.replace('_', ' ')} {warning.count}" for warning in warnings)
    return f"{len(warnings)} warning{'' if len(warnings) == 1 else 's'}: {names}"


def given_words(sources: Sequence[RetrievedSource]) -> str:
    """Of which inputs a draft was given not all passages."""
    return ", ".join(f"{one.given} of {one.of} passages of {one.name}" for one in sources if one.of is not None)


_DETAILS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("proposal_id", "edit {}".format),
    ("version", "version {}".format),
    ("evaluation", evaluation_words),
    ("validation", validation_words),
    ("processing_metadata", lambda took: took_words(*took)),
    ("retrieved_context", given_words),
    ("round", "round {}".format),
    ("conclusion", conclusion_words),
    ("revision_count", "revision {}".format),
    ("asked_by", "asked for by the {}".format),
    ("overrides_review", lambda _: "although the last review was not met, or there was none"),
    ("format", str),
    ("need", lambda need: f"asks: {need.kind} {need.need_id}"),
    ("assignee", str),
    ("due", lambda due: f"due {due.astimezone():%Y-%m-%d %H:%M}"),
    ("answered_by", lambda who: "" if who == "person" else f"by the {who}"),
    ("failed", lambda _: "it could not be met"),
    ("partial", lambda _: "partial"),
    ("warnings", counted_warnings),
    ("detail", str),
    ("outcome", lambda ce_type: " ".join(ce_type.split(".")[1:-1])),
    ("current_version", "current version is {}".format),
    ("restored_version", "the text of version {}".format),
    ("origin", lambda origin: _ORIGINS[origin]),
    ("accepted", lambda accepted: f"against {', '.join(f'{a.section_id} {a.version}' for a in accepted)}"),
    ("status", lambda status: f"the section is {status.replace('_', ' ')}"),
    ("problem", lambda problem: problem.message),
    ("by_policy", lambda _: "by policy"),
    ("actor", "by {}".format),
    ("starts", lambda starts: f"starts {', '.join(starts)}"),
    (
        "makes_stale",
        lambda marks: f"makes stale {', '.join(f'{m.section_id} [{_mark_words(m)}]' for m in marks)}",
    ),
    ("clears_stale", lambda names: f"not stale any more: {', '.join(names)}"),
)


def _mark_words(mark: StaleMark) -> str:
    return _because(mark.reasons, mark.inputs, mark.requirements)


def because_words(section: SectionView) -> str:
    return _because(section.stale_reasons, section.stale_inputs, section.stale_requirements)


def _because(reasons: Iterable[StaleReason], inputs: Iterable[ChangedInput], rows: Iterable[RequirementChange]) -> str:
    told = (reasons_words(reasons), changed_words(inputs), rows_words(rows))
    return ", ".join(filter(None, told))


def rows_words(rows: Iterable[RequirementChange]) -> str:
    return ", ".join(f"{row.requirement_id} {row.change}" for row in rows)


def reasons_words(reasons: Iterable[StaleReason]) -> str:
    return ", ".join(_reason_words(reason) for reason in reasons)


def _reason_words(reason: StaleReason) -> str:
    if reason.accepted_version == reason.current_version:
        return f"{reason.upstream_section_id} is stale"
    return f"{reason.upstream_section_id} {reason.accepted_version} -> {reason.current_version}"


def changed_words(changed: Iterable[ChangedInput]) -> str:
    return ", ".join(f"{one.name} {_what_changed(one)}" for one in changed)


def _what_changed(one: ChangedInput) -> str:
    if one.role:
        return f"is {one.role} now"
    if one.lapse and not one.withdrawn:
        return f"came from the library: {one.lapse} there"
    return "withdrawn" if one.withdrawn else f"{one.accepted_version} -> {one.current_version}"


def person_words(name: str, *, verified: bool) -> str:
    return name if verified or not name else f"{name} (claimed)"


def event_words(event: RecordedEvent) -> str:
    about = getattr(event.contract, "section_id", None) or "document"
    details = detail_words(event)
    return f"{about}: {name_words(event)}{f' ({details})' if details else ''}"


def name_words(event: RecordedEvent) -> str:
    if isinstance(event.contract, DecisionRefused):
        return "refused"
    return event.name.replace("-", " ").removeprefix("section ").removeprefix("document ")


def detail_words(event: RecordedEvent, without: Container[str] = ()) -> str:
    told = ((tell, _detail(event.contract, name)) for name, tell in _DETAILS if name not in without)
    return ", ".join(filter(None, (tell(value) for tell, value in told if value)))


def _detail(contract: Any, name: str) -> Any:
    value = getattr(contract, name, None)
    if name == "processing_metadata" and value:
        return value.seconds, contract.usage.output_tokens
    return person_words(value, verified=contract.actor_verified) if name == "actor" and value else value


def event_line(event: RecordedEvent) -> str:
    return f"{event.envelope.time.astimezone():%H:%M:%S} {event_words(event)}"


def status_words(section: SectionView) -> str:
    proposed = ", edit proposed" if section.proposes else ", being edited" if section.is_being_edited else ""
    gone = ", its form is withdrawn" if section.form_withdrawn else ""
    given = len(section.current.approvals) if section.current else 0
    several = f", {given} of {section.approvals_needed} approvals" if section.waits_for_review else ""
    needed = several if section.approvals_needed > 1 else ""
    return f"{_status_words(section)}{needed}{', stale' if section.stale else ''}{proposed}{gone}"


def _status_words(section: SectionView) -> str:
    if section.need is not None and section.asks:
        return f"waits for an answer ({section.need.need_id})"
    if section.need is not None:
        return f"{section.status} ({section.need.kind} under way)"
    if section.status is SectionStatus.GENERATING and section.activity:
        return f"{section.status} ({step_of(section)})"
    return section.status.replace("_", " ") + (" (being checked)" if section.checks else "")


def queued_words(view: DocumentView, section_id: str) -> str:
    """What a queued section waits for before it is written; empty if nothing holds it up."""
    waits = [_upstream_words(upstream) for upstream in held_up_by(view, section_id)]
    if view.sections[section_id].status is SectionStatus.QUEUED and view.status is DocumentStatus.PAUSED:
        waits.append("`stemma resume`: the document is paused")
    return f"waits for {', '.join(waits)}" if waits else ""


def _upstream_words(section: SectionView) -> str:
    name = section.section_id
    if section.waits_for_review:
        return f"approval of {name}"
    if section.asks:
        return f"an answer to {name}"
    if section.is_to_be_kept_or_regenerated:
        return f"{name}, which is stale"
    return f"{name}, which {'has failed' if section.status is SectionStatus.FAILED else f'is {section.status}'}"


def form_export_words(export: FormExportView) -> str:
    if export.artifact is None:
        return "; ".join(export.reasons) or "under way"
    return f"{len(export.answered)} answered, {len(export.unanswered)} open"


def failure_words(view: DocumentView, failed: Sequence[SectionView]) -> Iterable[str]:
    """What failed and what to do about it; where the same would only fail again, what has to come first."""
    document = view.document_id[:8]
    for section in (s for s in failed if s.missing is not None):
        yield f"failed: {section.section_id} ({section.failure}); {_remedy(view, section, document)}"
    if again := [s.section_id for s in failed if s.missing is None]:
        yield f"failed: {', '.join(again)}; try again with `stemma retry {document} {again[0]}`"


def _remedy(view: DocumentView, section: SectionView, document: str) -> str:
    """How a section gets the inputs that it lacks: texts of other sections can be written, given files stay."""
    missing = section.missing or ()
    if not missing or any(name not in view.sections for name in missing):
        return f"other inputs are needed: ask for a new document with `stemma new {view.kind}`"
    retry = f"`stemma retry {document} {section.section_id}`"
    return f"first write {', '.join(missing)} with `stemma edit {document} {missing[0]} --editor`, then {retry}"


def waits_since(section: SectionView) -> datetime | None:
    """Since when the section waits for a person, for whatever it waits longest."""
    times = [section.waits_since if section.waits_for_review or section.asks else None]
    times.append(section.proposal.made_at if section.proposal and section.proposes else None)
    times.append(section.stale.since if section.stale and section.is_to_be_kept_or_regenerated else None)
    return min((time for time in times if time is not None), default=None)


def age_words(since: datetime | None, now: datetime | None = None) -> str:
    if since is None:
        return ""
    age = max(timedelta(), (now or datetime.now(UTC)) - since)
    for unit, seconds in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if (number := int(age.total_seconds() // seconds)) > 0:
            return f"{number} {unit}"
    return "now"


def seconds_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def took_words(seconds: float, tokens: int) -> str:
    """How long a draft took, and how fast its model wrote; nothing of less than a second."""
    if seconds < 1:
        return ""
    return f"in {seconds_words(seconds)}{f', {tokens / seconds:.0f} tokens/s' if tokens else ''}"


def work_words(section: SectionView, seconds: Seconds, now: datetime | None = None) -> str:
    """For how long a section is worked at, and how long that takes as a rule; nothing of one that rests."""
    if section.activity_since is None or step_of(section) is None:
        return ""
    usual = seconds.get(section.kind) if step_of(section) == "writing" else None
    of = f" of about {seconds_words(usual)}" if usual else ""
    return f"{seconds_words(elapsed(section, now or datetime.now(UTC)))}{of}"


def under_way_words(
    view: DocumentView, seconds: Seconds, now: datetime | None = None, *, characters: int = 0
) -> list[str]:
    """What is read and written, how long the rest will take, and how to stop it; nothing of a document that rests.

    ``characters`` were heard of the answers under way.
    """
    if not view.is_moving or view.status is not DocumentStatus.RUNNING:
        return []
    name, left = view.document_id[:8], seconds_left(view, seconds, now or datetime.now(UTC))
    told = [f"reading {', '.join(names)}"] if (names := read_now(view)) else []
    if answers := sum(step_of(section) == "writing" for section in view.sections.values()):
        seen = f", about {characters // CHARS_A_TOKEN} tokens so far" if characters else ""
        told.append(f"{'1 answer' if answers == 1 else f'{answers} answers'} under way{seen}")
    if left and view.at_work:
        told.append(f"about {seconds_words(left)} left to write")
    return [*told, f"`stemma pause {name}` stops it, `stemma cancel {name}` ends it"]


def waiting_words(sections: Iterable[SectionView]) -> str:
    return f"waits for a person: {', '.join(map(_waiting, sections))}; see `stemma inbox`"


def _waiting(section: SectionView) -> str:
    told = ", ".join(filter(None, (section.title, age_words(waits_since(section)))))
    return f"{section.section_id} ({told})" if told else section.section_id


def paused_words(view: DocumentView) -> str:
    return f"paused: go on with `stemma resume {view.document_id[:8]}`"


def cost_words(cost: float) -> str:
    """A sum of dollars in cents, a smaller one with its first two digits."""
    if not 0 < cost < 0.1:
        return f"{cost:.2f} dollars"
    whole, _, digits = f"{cost:.{1 - floor(log10(cost))}f}".partition(".")
    return f"{whole}.{digits.rstrip('0'):0<2} dollars"


def origin_words(version: VersionView | None) -> str:
    if version is None:
        return ""
    how = f"restored from {version.restored_version}" if version.origin is Origin.RESTORED else version.origin
    if not version.made_by:
        return how
    by_a_model = version.origin is Origin.GENERATED
    return f"{how} by {person_words(version.made_by, verified=by_a_model or version.verified)}"


def proposal_words(section: SectionView) -> str:
    proposal = section.proposal
    if proposal is None:
        return ""
    if proposal.draft is None:
        return f"the editor is at work on version {proposal.version}"
    asked_by = person_words(proposal.asked_by, verified=proposal.verified)
    by = f" for {asked_by}" if asked_by else ""
    return f"edit {proposal.proposal_id} of version {proposal.version} proposed{by}: accept or reject"


def conflict_words(section: SectionView) -> str:
    count = section.open_conflicts
    return f"{count} open conflict{'s' if count > 1 else ''} with what people wrote" if count else ""


def conflict_lines(view: DocumentView, section: SectionView) -> list[str]:
    see = f"stemma settle {view.document_id[:8]} {section.section_id}"
    return [f"{words}: see `{see}`"] if (words := conflict_words(section)) else []


def recipe_words(outdated: Sequence[str]) -> str:
    return f"outdated recipe ({', '.join(outdated)})" if outdated else ""


def overlong_words(section: OverlongSection) -> str:
    return f"{section.section_id} takes {section.pages} pages, at most {section.max_pages} are allowed"


def contradiction_words(contradiction: Contradiction) -> str:
    """Two statements of one fact: "terms, line 4: 24 months (as in rates.md, 3); offer, line 9: 36 months: ..."."""
    places = (
        f"{one.section_id}, line {one.line}: {clean_line(one.text)}"
        + (f" (as in {clean_line(one.source)})" if one.source else "")
        for one in (contradiction.one, contradiction.other)
    )
    return f"{'; '.join(places)}: the two do not agree"


def bid_rule_words(rule: BidRule) -> str:
    """A rule for the bid in words: "page limit of the technical quotation: 5"."""
    about = f"{rule.kind.replace('_', ' ')}{f' of {rule.part}' if rule.part else ''}"
    wanted = ", ".join(filter(None, (_rule_number(rule), (", " if rule.kind == "order" else " or ").join(rule.values))))
    advised = " (advised)" if rule.advised else ""
    return f"{about}: {wanted}{advised}" if wanted else f"{about}{advised}"


def check_lines(checks: Sequence[RuleCheck]) -> Iterator[str]:
    """How an exported file holds to each rule for the bid; what has no measure in one line."""
    for check in checks:
        if check.state == "broken":
            yield f"warning: {check.rule_id} is broken: {_check_words(check)}"
    for check in checks:
        if check.state != "broken" and check.kind != "exclusion":
            yield f"{check.rule_id} {'kept' if check.state == 'kept' else 'for a person to see'}: {_check_words(check)}"
    if excluding := [check.rule_id for check in checks if check.kind == "exclusion"]:
        yield f"for a person to see, what excludes a bid: {', '.join(excluding)}; see `stemma ledger --bid`"


def _check_words(check: RuleCheck) -> str:
    about = f"{check.kind.replace('_', ' ')}{f' of {check.part}' if check.part else ''}"
    wanted = f", wanted {check.wanted}" if check.wanted else ""
    return f"{about}{wanted}{f', here {check.measured}' if check.measured else ''}"


def _rule_number(rule: BidRule) -> str:
    return f"{rule.number:g} {rule.unit}".rstrip() if rule.number is not None else ""


def version_words(version: int) -> str:
    return str(version) if version else ""


WHY = {
    "absent": "nothing of it is in the text",
    "words": "too little of it is in the text",
    "facts": "amounts, dates or names are missing",
    "unreadable": "it is no text that can be read",
}

_UNKNOWN = "nobody knows what of the inputs it covers; `stemma show` says why, or export again in a moment"


def coverage_lines(validation: ValidationSummary | None, covers_inputs: bool) -> Iterator[str]:
    """A line for the whole, and one for each chapter that lacks something; that nobody knows is told too."""
    coverage = validation.coverage if validation else None
    if validation and covers_inputs and coverage is None:
        yield "coverage: nobody could find out what of the inputs it covers"
    if coverage is None or coverage.covered == coverage.total:
        return
    counts = {"missing": coverage.missing_blocks, "left out": coverage.left_out}
    counts["not comparable"] = coverage.not_comparable
    rest = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    yield f"coverage: {coverage.covered} of {coverage.total} blocks of the inputs are covered; {rest}"
    for chapter in coverage.missing:
        title = f", {chapter.chapter}" if chapter.chapter else ""
        times = f" ({chapter.blocks} blocks)" if chapter.blocks > 1 else ""
        yield f"not covered: {chapter.file}{title}, line {chapter.line}: {WHY[chapter.why]}{times}"
    if coverage.more:
        yield f"not covered: {coverage.more} more chapters; the export names them"
    for one in coverage.foreign:
        yield f"{one.file}: {incomparable_words(one.blocks, [one.language], coverage.language)}"


def coverage_words(coverage: CoverageSummary | None) -> str:
    """In a few words, for a table; nothing if all is covered or left out."""
    if coverage is None:
        return ""
    lost = f"{coverage.missing_blocks} of {coverage.total} blocks of the inputs not covered"
    foreign = incomparable_words(coverage.not_comparable, [one.language for one in coverage.foreign], coverage.language)
    return "; ".join(filter(None, (lost if coverage.missing_blocks else "", foreign)))


def incomparable_words(blocks: int, languages: Iterable[str], text_language: str) -> str:
    """Why blocks cannot be compared with a text; nothing if there are none."""
    if not blocks:
        return ""
    spoken = " and ".join(_name(tag) for tag in dict.fromkeys(languages)) or "another language"
    text = f", which is in {_name(text_language)}" if text_language else ""
    return f"{blocks} block{'' if blocks == 1 else 's'} in {spoken} not comparable with the text{text}"


def _name(tag: str) -> str:
    # Few verbs name a language, and what knows them takes long to load.
    from stemma_languages import DEFAULT, language

    return language(DEFAULT).name_of(tag)


def export_lines(sections: Sequence[NotCovered]) -> Iterator[str]:
    for section in sections:
        if not section.checked:
            yield f"{section.section_id}: {_UNKNOWN}"
        elif section.missing_blocks:
            count = section.missing_blocks
            yield f"{section.section_id}: blocks of the inputs that are missing: {count}; a page says which"
        if foreign := incomparable_words(section.not_comparable, section.languages, section.language):
            yield f"{section.section_id}: {foreign}; a page says which"


def lacks_inputs(sections: Sequence[NotCovered]) -> bool:
    return any(section.missing_blocks or not section.checked for section in sections)


def assignment_words(assignee: str, due: datetime | None, now: datetime | None = None) -> str:
    """Who is asked, and by when in the time of this machine; nothing where nobody in particular is."""
    return ", ".join(filter(None, (assignee, due_words(due, now))))


def due_words(due: datetime | None, now: datetime | None = None) -> str:
    if due is None:
        return ""
    is_past = due <= (now or datetime.now(UTC))
    return f"{'overdue since' if is_past else 'due'} {due.astimezone():%Y-%m-%d %H:%M}"


GONE = "passage not in the text any more"


def lines_of_thread(thread: ReadThread) -> Iterator[str]:
    where = f"line {thread.line}" if thread.line else GONE if thread.gone else "whole section"
    state = f", resolved by {thread.view.resolved_by}" if thread.view.resolved else ""
    quote = f": “{clean_line(thread.quote)}”" if thread.quote else ""
    yield f"{thread.view.thread_id} ({where}{state}){quote}"
    for comment in thread.comments:
        text = "not stored any more" if comment.text is None else clean_line(comment.text)
        yield f"  {comment.view.made_by}, version {comment.view.version}: {text}"


def comments_words(section: SectionView) -> str:
    count = len(section.open_threads)
    return f"open comments: {count}" if count else ""


def chapters_words(view: DocumentView) -> str:
    if view.awaits_chapters:
        return "the request is being read: its chapters replace those of the kind if it demands an order"
    titles = ", ".join(clean_line(section.title) for section in view.sections.values())
    by = f", as {clean_line(view.outlined_by)} demands" if view.outlined_by else ""
    return f"{len(view.sections)} sections{by}: {titles}"


def ledger_words(ledger: LedgerView) -> str:
    if ledger.reading:
        return "the requirements are being read"
    if ledger.failure:
        return f"the requirements were not read: {clean_line(ledger.failure)}"
    found = ledger.summary
    rows = len(found.mandatory) + len(found.others)
    return (
        f"requirements: {rows}, of which {len(ledger.open_mandatory)} must be answered and are not; see `stemma ledger`"
    )


LEDGER_WARNINGS = {
    "language_unknown": "its language is not known, so demands and deadlines are missed",
    "no_demands": "no demand was found in more than a page",
    "no_deadlines": "no deadline was found in more than a page",
    "amends_nothing": "it deletes or replaces a section in which no demand stands",
}


def ledger_warnings(document_id: str, ledger: LedgerView) -> Iterator[str]:
    for one in ledger.warnings:
        why = LEDGER_WARNINGS.get(one.code, one.code.replace("_", " "))
        closed = quote(f"{one.code}={one.source}")
        yield f"warning: {one.source}: {why}: read it, then `stemma ledger {document_id[:8]} --close {closed}`"
