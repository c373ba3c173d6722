"""A naive model of a document, written from the rules in words: lists of texts, and what each rests on.

It knows no event, no job and no state of the core. Open work has a ticket, and an outcome names its ticket.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple


@dataclass(frozen=True)
class Ask:
    """What a person asks for; ``number`` is the version to restore, or the proposal to decide about.

    With ``several`` it is about these sections in these versions.
    """

    verb: str
    section: str = ""
    version: int = 0
    words: str = ""
    number: int = 0
    replace: bool = False
    several: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Say:
    """What a worker says of the work with a ticket."""

    verb: str
    ticket: int
    words: str = ""
    good: bool = True


Kept = dict[str, frozenset[tuple[str, str]]]
"""The stale upstreams that a text was kept against, and the words of those sections that had made them stale."""


class Both(NamedTuple):
    """What comes of two texts that were made of one."""

    words: str
    conflicts: int = 0


Merging = Callable[[str, str, str, Sequence[tuple[str, str]]], Both]
"""Of the text before, a person's, a machine's, and the texts around each change of people."""


def each_after_the_other(before: str, mine: str, theirs: str, steps: Sequence[tuple[str, str]]) -> Both:
    """Both texts; a machine's that ends with 2 is in conflict."""
    return Both(f"{mine} + {theirs}", int(theirs.endswith("2")))


@dataclass(frozen=True)
class Text:
    """``theirs`` are a machine's words that were merged into it; it is ``renewed`` if that made it."""

    words: str
    rests_on: dict[str, int]
    human: bool
    kept_anyway: Kept = field(default_factory=dict)
    unchecked: bool = False
    theirs: str = ""
    conflicts: int = 0
    renewed: bool = False


@dataclass
class Proposal:
    """An edit of a version; it has words once the editor has made it, which are checked then."""

    number: int
    version: int
    ticket: int
    words: str = ""
    check: int = 0


@dataclass
class Part:
    """A section. ``work`` is what is being done to it, ``checks`` what is being looked at beside its status."""

    ups: tuple[str, ...]
    by_policy: bool = False
    texts: list[Text] = field(default_factory=list)
    status: str = "queued"
    work: str = ""
    ticket: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    started_on: dict[str, int] = field(default_factory=dict)
    guidance: str = ""
    rounds: int = 0
    report: str = ""
    revisions: int = 0
    before: str = ""
    generated: bool = False
    evaluated_well: bool = False
    asks: bool = False
    again: str = ""
    proposal: Proposal | None = None
    fates: dict[int, str] = field(default_factory=dict)
    may_go: bool = False

    @property
    def busy(self) -> bool:
        return self.status in ("queued", "generating")

    @property
    def kept_anyway(self) -> Kept:
        """The stale upstreams that the text was kept against."""
        return self.texts[-1].kept_anyway if self.texts else {}

    @property
    def rests_unchecked(self) -> bool:
        """Whether it is at rest, and the last check of its text did not come to its end."""
        return (self.settled or self.status == "awaiting_review") and self.texts[-1].unchecked

    def checked(self, *, in_full: bool) -> None:
        self.texts[-1] = replace(self.texts[-1], unchecked=not in_full)

    @property
    def settled(self) -> bool:
        return self.status in ("approved", "edited")

    def put(self, text: Text) -> None:
        """Another text is another version; the same text is the same version, and a person's if it ever was."""
        same = bool(self.texts) and self.texts[-1].words == text.words
        self.may_go = self.may_go and same and not text.human
        if same:
            was = self.texts.pop()
            text = replace(text, human=was.human or text.human, theirs=text.theirs or was.theirs, renewed=was.renewed)
        elif self.proposal is not None:
            self.end_proposal("void proposal")
        self.texts.append(text)

    @property
    def is_kept(self) -> bool:
        """Whether a person's words stand that nobody gave up."""
        return bool(self.texts) and self.texts[-1].human and not self.may_go

    def merged(self, words: str, merging: Merging) -> Both | None:
        """What comes of a machine's words where a person's stand: both were made of its last words before."""
        if not self.is_kept:
            return None
        before, since = Text("", {}, human=False), list[Text]()
        for text in self.texts:
            before, since = (before, [*since, text]) if text.human else (text, [])
        base = [before.words, *(text.theirs for text in since if text.theirs)][-1]
        steps = [(was.words, now.words) for was, now in zip([before, *since], since, strict=False) if not now.renewed]
        return merging(base, since[-1].words, words, steps)

    def end_proposal(self, fate: str) -> None:
        assert self.proposal is not None
        self.fates[self.proposal.number] = fate
        self.proposal = None


ALLOWED = {
    "pause": ("running", "failed"),
    "resume": ("paused",),
    "cancel": ("running", "paused", "failed"),
    "export": ("running", "paused", "failed", "completed", "cancelled"),
}
RUNNING_AGAIN = ("retry", "write", "edit", "accept", "regenerate", "restore")
AGAIN = {"validate": "validate", "resume": "resume again", "resume again": "resume again"}


class Book:
    """A document."""

    def __init__(
        self,
        ups: dict[str, tuple[str, ...]],
        by_policy: set[str],
        max_rounds: int,
        max_revisions: int,
        proposes: bool = False,
        merging: Merging = each_after_the_other,
    ):
        self.parts = {name: Part(above, name in by_policy) for name, above in ups.items()}
        self.status = "running"
        self.exports, self._answered, self.started = set[int](), set[int](), set[str]()
        self._tickets, self._max_rounds, self._max_revisions = count(1), max_rounds, max_revisions
        self._merging = merging
        self._proposes, self.proposals, self.refused = proposes, 0, list[tuple[int, str]]()
        self._go_on()

    def reasons(self, name: str) -> list[tuple[str, int, int, bool]]:
        """Why a section is stale: the upstream, the version it rests on, the one there is, whether that is stale."""
        part = self.parts[name]
        if not part.texts:
            return []
        found = []
        for up in part.ups:
            accepted, there, stale = part.texts[-1].rests_on[up], len(self.parts[up].texts), bool(self.reasons(up))
            if self.words(up, accepted) != self.words(up, there):
                found.append((up, accepted, there, stale))
            elif stale and not self.causes(up) <= part.texts[-1].kept_anyway.get(up, frozenset()):
                found.append((up, there, there, True))
        return found

    def causes(self, name: str) -> frozenset[tuple[str, str]]:
        """The words, of whichever section above, that make a section stale."""
        found = set[tuple[str, str]]()
        for up, accepted, there, _ in self.reasons(name):
            found |= self.causes(up)
            if accepted != there:
                found.add((up, self.parts[up].texts[-1].words))
        return frozenset(found)

    def words(self, name: str, number: int) -> str | None:
        """What a version says."""
        return self.parts[name].texts[number - 1].words if number else None

    def stale(self) -> set[str]:
        return {name for name in self.parts if self.reasons(name)}

    def tickets(self) -> dict[int, tuple[str, str]]:
        """All open work: what, and in which section."""
        found = {part.ticket: (part.work, name) for name, part in self.parts.items() if part.work}
        for name, part in self.parts.items():
            found |= {ticket: (f"check-{kind}", name) for kind, ticket in part.checks.items()}
            if part.proposal is not None and not part.proposal.words:
                found[part.proposal.ticket] = ("propose", name)
            if part.proposal is not None and part.proposal.check:
                found[part.proposal.check] = ("check-proposal", name)
        return found | dict.fromkeys(self.exports, ("convert", ""))

    def merged(self, ticket: int, words: str) -> Both | None:
        """What comes of words of a machine that has this ticket."""
        kind, name = self.tickets().get(ticket, ("", ""))
        if kind == "propose":
            return self._changed(self.parts[name], words)
        return self.parts[name].merged(words, self._merging) if kind.startswith(("generate", "resume")) else None

    def _changed(self, part: Part, words: str) -> Both | None:
        """What comes of a change of an earlier version."""
        assert part.proposal is not None
        if part.proposal.version == len(part.texts):
            return None
        return self._merging(part.texts[part.proposal.version - 1].words, part.texts[-1].words, words, ())

    def waiting(self, ask: Ask) -> tuple[str, str, Both] | None:
        """A person's text, the words of the edit that waits there, and what that is as a change of the text."""
        part = self.parts.get(ask.section)
        if part is None or not part.texts or part.proposal is None or not part.proposal.words:
            return None
        if ask.verb == "restore" and 1 <= ask.number <= len(part.texts):
            given = part.texts[ask.number - 1].words
        elif ask.verb == "write":
            given = ask.words
        else:
            return None
        return given, part.proposal.words, self._merging(part.texts[-1].words, given, part.proposal.words, ())

    def ask(self, ask: Ask) -> str:
        """Do what is asked, or tell why not."""
        self.started = set()
        refusal = self.refusal(ask)
        if not refusal:
            for one in self._ones(ask) if ask.several else [ask]:
                self._do(one)
            self._go_on()
        return refusal

    def _ones(self, ask: Ask) -> list[Ask]:
        """What is asked of several sections, one after the other; the parts are in dependency order."""
        order = list(self.parts)
        places = sorted(ask.several, key=lambda seen: order.index(seen[0]) if seen[0] in order else len(order))
        return [replace(ask, section=name, version=version, several=()) for name, version in places]

    def _refusal_of_several(self, ask: Ask) -> str:
        """Each after those that it rests on were done; what is fresh by then was stale before."""
        stale, trial, found = self.stale(), deepcopy(self), dict[str, str]()
        for one in self._ones(ask):
            refusal = trial.refusal(one)
            if refusal == "not stale" and one.section in stale:
                refusal = ""
            if refusal:
                found[one.section] = refusal
            else:
                trial._do(one)
        self.refused = [(i, found[name]) for i, (name, _) in enumerate(ask.several) if name in found]
        return "several" if self.refused else ""

    def refusal(self, ask: Ask) -> str:
        """Why something would not be done."""
        if ask.several:
            return "document status" if self.status == "cancelled" else self._refusal_of_several(ask)
        if ask.verb in ALLOWED:
            return "" if self.status in ALLOWED[ask.verb] else "document status"
        part = self.parts.get(ask.section)
        if part is None:
            return "unknown section"
        if self.status == "cancelled":
            return "document status"
        if ask.verb == "retry":
            return "" if part.status == "failed" or part.work or part.rests_unchecked else "status"
        if ask.verb == "answer":
            return "" if part.asks else "unknown need"
        if ask.verb in ("accept", "reject"):
            return self._refusal_of_proposal(ask, part)
        if ask.version != len(part.texts):
            return "old version"
        if ask.verb in ("approve", "revise") and part.status != "awaiting_review":
            return "status"
        if ask.verb == "revise" and part.revisions == self._max_revisions:
            return "revision limit"
        if not part.texts and ask.verb != "write":
            return "nothing written"
        return self._refusal_of_change(ask, part)

    def _refusal_of_proposal(self, ask: Ask, part: Part) -> str:
        proposal = part.proposal
        if proposal is None or proposal.number != ask.number:
            return part.fates.get(ask.number, "unknown proposal")
        if ask.version != proposal.version:
            return "old version"
        return "open proposal" if ask.verb == "accept" and not proposal.words else ""

    def _refusal_of_change(self, ask: Ask, part: Part) -> str:
        match ask.verb:
            case "approve" if part.texts[-1].conflicts:
                return "conflicts"
            case "edit" if part.work in ("edit", "revise"):
                return "status"
            case "edit" if part.proposal is not None:
                return "open proposal"
            case "edit" if self._proposes and not part.settled and part.revisions == self._max_revisions:
                return "revision limit"
            case "keep" | "regenerate" if part.busy:
                return "status"
            case "keep" if not self.reasons(ask.section):
                return "not stale"
            case "restore" if not 1 <= ask.number < len(part.texts):
                return "unknown version"
            case _:
                return ""

    def _do(self, ask: Ask) -> None:
        if ask.verb in ALLOWED:
            self._steer(ask.verb)
            return
        part = self.parts[ask.section]
        if ask.verb == "edit" and self._proposes and part.settled:
            self.proposals += 1
            part.proposal = Proposal(self.proposals, len(part.texts), next(self._tickets))
            return
        self._reopen(ask.verb, part)
        match ask.verb:
            case "accept" | "reject":
                self._do_about_proposal(ask.verb, part)
            case "approve":
                part.status = "approved"
            case "write":
                self._keep_edit(part)
                rests_on = part.texts[-1].rests_on if part.texts else self._numbers(part)
                self._give(ask, part, Text(ask.words, rests_on, True, part.kept_anyway))
            case "restore":
                old = part.texts[ask.number - 1]
                self._give(ask, part, replace(old, human=True, theirs="", conflicts=0, renewed=False))
            case "keep":
                anyway = {up: self.causes(up) for up in part.ups if self.reasons(up)}
                part.texts[-1] = replace(part.texts[-1], rests_on=self._numbers(part), kept_anyway=anyway)
            case "regenerate":
                self._queue(part, ask.words)
                part.may_go = ask.replace
            case "retry":
                self._retry(part)
            case "answer":
                self._open(part, "resume")
            case "edit" | "revise":
                unwritten = part.busy and part.work != "validate"
                part.before = part.status if part.settled else "queued" if unwritten else "awaiting_review"
                part.checks = {}
                self._open(part, "revise" if self._proposes else ask.verb)

    def _give(self, ask: Ask, part: Part, text: Text) -> None:
        """A person's text; an edit that is being made goes on beside one that is written, one that waits is merged."""
        proposal, waiting, before = part.proposal, self.waiting(ask), len(part.texts)
        goes_on = ask.verb == "write" and proposal is not None and not proposal.words
        if proposal is None or not (waiting or goes_on):
            self._settle(part, text)
            return
        part.proposal = None
        self._settle(part, text)
        part.proposal = proposal
        if waiting and len(part.texts) > before:
            both = waiting[-1]
            proposal.version, proposal.words, proposal.check = len(part.texts), both.words, next(self._tickets)
            if both.words == text.words:
                part.end_proposal("void proposal")

    def _keep_edit(self, part: Part) -> None:
        """What the editor changes will be proposed."""
        if part.work in ("edit", "revise") and part.proposal is None:
            self.proposals += 1
            part.proposal = Proposal(self.proposals, len(part.texts), part.ticket)

    def _reopen(self, verb: str, part: Part) -> None:
        only_checks = verb == "retry" and part.settled
        if self.status in ("completed", "failed") and verb in RUNNING_AGAIN and not only_checks:
            self.status = "running"

    def _do_about_proposal(self, verb: str, part: Part) -> None:
        words = part.proposal.words if part.proposal else ""
        part.end_proposal("decided proposal")
        if verb == "accept":
            self._settle(part, Text(words, part.texts[-1].rests_on, True, part.kept_anyway))

    def _steer(self, verb: str) -> None:
        if verb == "export":
            self.exports.add(next(self._tickets))
        else:
            self.status = {"pause": "paused", "resume": "running", "cancel": "cancelled"}[verb]
        if verb == "cancel":
            for part in self.parts.values():
                self._close(part)

    def _close(self, part: Part) -> None:
        """Nothing is waited for any more; what was there before is there."""
        part.checks, part.proposal = {}, None
        if part.work in ("edit", "revise"):
            part.status = part.before
        elif part.work or part.asks:
            part.status = "awaiting_review" if part.texts else "queued"
        part.work, part.asks = "", False

    def say(self, say: Say) -> str:
        """Take in an outcome; ``late`` if its work is not open any more, ``again`` if it was said before."""
        self.started = set()
        if say.ticket in self._answered:
            return "again"
        self._answered.add(say.ticket)
        if say.ticket not in self.tickets():
            return "late"
        kind, name = self.tickets()[say.ticket]
        if kind == "convert":
            self.exports.remove(say.ticket)
        elif kind == "propose":
            self._proposed(self.parts[name], say)
        elif kind == "check-proposal":
            self._checked_proposal(self.parts[name])
        elif kind.startswith("check-"):
            del self.parts[name].checks[kind.removeprefix("check-")]
            if kind == "check-validate":
                self.parts[name].checked(in_full=say.verb == "validated")
        else:
            self._result(self.parts[name], say)
            self._go_on()
        return ""

    def _proposed(self, part: Part, say: Say) -> None:
        assert part.proposal is not None
        if say.verb == "revised":
            both = self._changed(part, say.words)
            part.proposal.words = both.words if both else say.words
            part.proposal.version, part.proposal.check = len(part.texts), next(self._tickets)
            if both and both.words == part.texts[-1].words:
                part.end_proposal("void proposal")
        else:
            part.end_proposal("withdrawn proposal")

    def _checked_proposal(self, part: Part) -> None:
        """Whatever is found is shown and changes nothing."""
        assert part.proposal is not None
        part.proposal.check = 0

    def _retry(self, part: Part) -> None:
        if part.settled:
            part.checks["validate"] = next(self._tickets)
            return
        again = "validate" if part.rests_unchecked else part.work or part.again
        part.generated = part.generated and not part.rests_unchecked
        self._open(part, again) if again else self._queue(part, part.guidance)

    def _result(self, part: Part, say: Say) -> None:
        work, part.work = part.work, ""
        match say.verb:
            case "generated":
                both = part.merged(say.words, self._merging)
                part.put(_drafted(say.words, part.started_on, both))
                part.generated, part.evaluated_well = True, say.good
                self._open(part, "validate")
                part.checks = {"evaluate": next(self._tickets)} if both else {}
            case "paused":
                part.asks = True
            case "revised" if work == "edit":
                self.status = "running" if self.status in ("completed", "failed") else self.status
                self._settle(part, Text(say.words, part.texts[-1].rests_on, True, part.kept_anyway))
            case "revised":
                part.put(Text(say.words, part.texts[-1].rests_on, part.texts[-1].human, part.kept_anyway))
                part.generated, part.revisions = False, part.revisions + 1
                self._open(part, "validate")
                part.checks = {"evaluate": next(self._tickets)}
            case "validated":
                part.checked(in_full=True)
                self._validated(part, say)
            case _ if work == "validate":
                part.checked(in_full=False)
                part.status = "awaiting_review"
            case _ if work in ("edit", "revise"):
                part.status = part.before
            case _:
                given_up = (work, say.verb) == ("resume again", "dead")
                part.status, part.again = "failed", "" if given_up else AGAIN.get(work, "")

    def _validated(self, part: Part, say: Say) -> None:
        """What a round finds just as the one before it did, another round would not mend."""
        if part.generated and not say.good and part.rounds < self._max_rounds and say.words != part.report:
            part.rounds, part.report = part.rounds + 1, say.words
            self._open(part, "generate")
        elif part.generated and say.good and part.by_policy and part.evaluated_well and not part.texts[-1].theirs:
            part.status = "approved"
        else:
            part.status = "awaiting_review"

    def _open(self, part: Part, work: str) -> None:
        part.status, part.work, part.ticket, part.asks = "generating", work, next(self._tickets), False

    def _queue(self, part: Part, guidance: str) -> None:
        part.status, part.work, part.checks, part.guidance, part.again = "queued", "", {}, guidance, ""

    def _settle(self, part: Part, text: Text) -> None:
        part.put(text)
        part.status, part.work, part.asks, part.again, part.guidance = "edited", "", False, "", ""
        part.checks = {kind: next(self._tickets) for kind in ("validate", "evaluate")}

    def _numbers(self, part: Part) -> dict[str, int]:
        return {up: len(self.parts[up].texts) for up in part.ups}

    def _go_on(self) -> None:
        """Start what may start; if nothing can and nothing is stale, the document may be at its end."""
        if self.status != "running":
            return
        stale = self.stale()
        self.started = {name for name, part in self.parts.items() if part.status == "queued" and self._met(part, stale)}
        for name in self.started:
            part = self.parts[name]
            part.started_on, part.rounds, part.report, part.checks = self._numbers(part), 0, "", {}
            self._open(part, "generate")
        statuses = {part.status for part in self.parts.values()}
        if self.started or stale:
            return
        if statuses <= {"approved", "edited"}:
            self.status = "completed"
        elif "failed" in statuses and statuses <= {"approved", "edited", "failed", "queued"}:
            self.status = "failed"

    def _met(self, part: Part, stale: set[str]) -> bool:
        return all(self.parts[up].settled and up not in stale for up in part.ups)


def _drafted(words: str, rests_on: dict[str, int], both: Both | None) -> Text:
    if both is None:
        return Text(words, rests_on, human=False)
    return Text(both.words, rests_on, human=True, theirs=words, conflicts=both.conflicts, renewed=True)
