"""A document that is driven step by step, at random, by what people ask for and workers answer."""

from dataclasses import replace

from domain_naive import Ask, Book, Both
from domain_story import Story, merged
from domain_witness import Move, Witness, command_of, outcome_of, say_of
from hypothesis import strategies as st
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.commands import Command, Merged, Record
from stemma_domain.decide import decide
from stemma_domain.state import NO_NOTES, Document, State

MAX_ROUNDS, MAX_REVISIONS = 2, 2
VERBS = [
    *["work"] * 12,
    *["approve", "write", "keep"] * 4,
    *["edit", "regenerate", "restore"] * 3,
    *["accept", "reject", "keep several", "regenerate several"] * 2,
    *["revise", "retry", "answer", "late"] * 2,
    *["export", "pause", "resume", "again"],
    "cancel",
]
Step = tuple[str, int, int, bool]
STEP = st.tuples(st.sampled_from(VERBS), st.integers(0, 20), st.integers(0, 20), st.booleans())
STEPS = st.lists(STEP, min_size=20, max_size=60)


@st.composite
def dependency_maps(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    names = "abcdef"[: draw(st.integers(3, 6))]
    return {name: tuple(up for up in names[:i] if draw(st.booleans())) for i, name in enumerate(names)}


def without_notes(state: State) -> State:
    """A state that tells nothing but what decisions rest on."""
    if not isinstance(state, Document):
        return state
    return replace(state, sections={name: replace(s, notes=NO_NOTES) for name, s in state.sections.items()})


class Run:
    """A document that is driven step by step, watched by a witness."""

    def __init__(self, dependencies: dict[str, tuple[str, ...]], by_policy: bool, proposes: bool = True) -> None:
        self.story = Story()
        every = set(dependencies) if by_policy else set()
        self.witness = Witness(Book(dependencies, every, MAX_ROUNDS, MAX_REVISIONS, proposes))
        mode = ReviewMode.NONE if by_policy else ReviewMode.HUMAN
        policy = ReviewPolicy(mode=mode)
        limits = {"max_lint_rounds": MAX_ROUNDS, "max_revisions": MAX_REVISIONS}
        edits = "human" if proposes else "none"
        self.witness.begun(self.story.create(dependencies, policy, review_edits=edits, **limits).events)
        self.commands: list[Command] = []

    def settle(self) -> None:
        """All goes well until the document is completed: changes have dependents then."""
        book = self.witness.book
        while book.status != "completed":
            for ticket, work in book.tickets().items():
                self._do(say_of(ticket, work, choice=0, good=True))
            for name, part in book.parts.items():
                if part.status == "awaiting_review":
                    self._do(Ask("approve", name, len(part.texts)))

    def step(self, step: Step) -> Move | None:
        """One step; nothing, if there is nothing that it could be about."""
        verb, which, choice, flag = step
        if verb == "again":
            self._again(which)
            return None
        move = self._answer(verb, which, choice, flag) if verb in ("work", "late") else self._ask(step)
        if move is not None:
            self._do(move)
        return move

    def _ask(self, step: Step) -> Ask:
        """Mostly something that will be done, if there is a section that it can be done to."""
        book = self.witness.book
        if step[0].endswith("several"):
            return self._ask_about_several(step)
        asks = [self._ask_about(name, step) for name in (*book.parts, "nowhere")]
        possible = [ask for ask in asks if not book.refusal(ask)]
        chosen = possible if possible and step[2] % 4 else asks
        return chosen[step[1] % len(chosen)]

    def _ask_about_several(self, step: Step) -> Ask:
        """All that it can be done to, all at once or without the first; now and then with one too much."""
        verb, which, choice, flag = step
        book, one = self.witness.book, verb.partition(" ")[0]
        asks = [self._ask_about(name, (one, which, choice, flag)) for name in (*book.parts, "nowhere")]
        stale = book.stale() if one == "keep" else set(book.parts)
        chosen = [ask for ask in asks if ask.section in stale and ask.version][which % 2 :]
        chosen += asks[which % len(asks) :][:1] if choice % 5 == 0 else []
        seen = dict.fromkeys((ask.section, max(1, ask.version)) for ask in reversed(chosen))
        if not seen:
            seen = {("nowhere", 1): None}
        return Ask(one, words=asks[0].words, replace=flag or choice % 2 == 0, several=tuple(seen))

    def _ask_about(self, name: str, step: Step) -> Ask:
        verb, _, choice, flag = step
        parts = self.witness.book.parts
        current = len(parts[name].texts) if name in parts else 1
        version = max(0, current + {18: 1, 19: -1}.get(choice, 0))
        words = f"{name} {choice % 5}" if verb == "write" else f"say {choice}" if flag else ""
        number = self._proposal(name, step) if verb in ("accept", "reject") else choice % 3
        return Ask(verb, name, version, words, number, replace=flag)

    def _proposal(self, name: str, step: Step) -> int:
        """Mostly the one that is open."""
        part = self.witness.book.parts.get(name)
        if part is not None and part.proposal is not None and step[2] % 4:
            return part.proposal.number
        return step[1] % (self.witness.book.proposals + 2)

    def _answer(self, verb: str, which: int, choice: int, good: bool) -> Move | None:
        tickets = sorted(self.witness.book.tickets() if verb == "work" else self.witness.work)
        if not tickets:
            return None
        ticket = tickets[which % len(tickets)]
        return say_of(ticket, self.witness.work[ticket], choice, good)

    def _do(self, move: Move) -> None:
        command = self._command(move)
        self.commands.append(command)
        assert decide(command, without_notes(self.story.state)) == decide(command, self.story.state)
        self.witness.saw(move, list(self.story.when(command)))
        assert decide(command, self.story.state) == [], "deciding again gives nothing"
        assert self.witness.state == self.story.state, "what was encoded and decoded folds to the same"

    def _command(self, move: Move) -> Command:
        if isinstance(move, Ask):
            command = command_of(move, self.story.asked(), self.witness.proposals)
            waiting = self.witness.book.waiting(move)
            return replace(command, waiting=(_merged(*waiting),)) if waiting else command
        name = self.witness.work[move.ticket][1]
        both = self.witness.book.merged(move.ticket, move.words)
        outcome = outcome_of(move, self.witness.jobs[move.ticket], name or None)
        ours = self.witness.book.parts[name].texts[-1].words if both else ""
        return Record(outcome, _merged(ours, move.words, both) if both else None)

    def _again(self, which: int) -> None:
        if self.commands:
            assert decide(self.commands[which % len(self.commands)], self.story.state) == []


def _merged(ours: str, theirs: str, both: Both) -> Merged:
    return merged(both.words, theirs, both.conflicts, ours)
