"""What the lists of words are for, each a folder of ``data`` with a file for each language; a missing file has none."""

from collections.abc import Mapping
from functools import cache, lru_cache

from .languages import DATA, DEFAULT, primary
from .wordlists import NOTHING, Cue, CueInAnyCase, WordList, read_lists

Named = Mapping[str, tuple[str, ...]]


class ClaimWords(WordList):
    """By which amounts, units, dates and names are told.

    ``magnitudes`` multiply the number before them, as powers of ten; ``opening`` words begin sentences (function words,
    weekdays, numerals); ``stop`` words have no content of their own: published lists have several times as many, among
    them `million`, `member` and `system`.
    """

    magnitudes: Mapping[str, int] = {}
    opening: frozenset[str] = frozenset()
    stop: frozenset[str] = frozenset()


class SharedClaimWords(WordList):
    """Of any language, as the CLDR does not have them.

    ``currencies`` and ``hundredths`` have the ISO codes that a sign or word may mean, ``units`` the unit of the CLDR;
    ``no_units`` are abbreviations of the CLDR that are everyday words. ``month_leads`` make a month alone a date,
    ``hedges`` call a number rounded. ``captions`` stand before the title of a table or picture, ``numbered``
    (expressions, ``numbered_unspaced`` where no spaces stand) before the number of an entry, such as a finding.
    ``joining`` stand inside of names, ``titles`` before those of people, ``companies`` behind those of companies.
    """

    currencies: Mapping[str, tuple[str, ...]] = {}
    hundredths: Mapping[str, tuple[str, ...]] = {}
    units: Mapping[str, str] = {}
    no_units: frozenset[str] = frozenset()
    quarters: frozenset[str] = frozenset()
    halves: frozenset[str] = frozenset()
    ordinals: Mapping[str, int] = {}
    month_leads: frozenset[str] = frozenset()
    hedges: frozenset[str] = frozenset()
    captions: frozenset[str] = frozenset()
    numbered: tuple[str, ...] = ()
    numbered_unspaced: tuple[str, ...] = ()
    joining: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    companies: frozenset[str] = frozenset()


@lru_cache(maxsize=32)
def claim_words(tag: str) -> ClaimWords:
    """The words of a language; none of one without a file."""
    return read_lists(ClaimWords, "claims", tag)


@lru_cache(maxsize=1)
def shared_claim_words() -> SharedClaimWords:
    """The words of any language."""
    return read_lists(SharedClaimWords, "claims", "any")


class ModeWords(WordList):
    """Of how a sentence holds: the phrases of each mode (a ``*`` at the end stands for any ending), and words of
    fractions, ordinals and clauses. The mode ``back`` marks phrases behind what they belong to."""

    modes: Mapping[str, tuple[str, ...]] = {}
    numerators: Mapping[str, int] = {}
    denominators: Mapping[str, int] = {}
    of: tuple[str, ...] = ()
    ordinals: tuple[str, ...] = ()
    ordinal_ends: tuple[str, ...] = ("",)
    joining: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()


@lru_cache(maxsize=32)
def mode_words(tag: str) -> ModeWords:
    """The words of a language; none of one without a file."""
    return read_lists(ModeWords, "modes", tag)


class FactWords(WordList):
    """By which two statements of one fact are found.

    ``generic`` words say little of what a value is about, ``prepositions`` bind what is behind them, ``rates`` stand
    between an amount and its unit of time, ``times`` say how often; behind ``each_of`` is the number of all.
    ``numbered`` nouns are told apart by a number. ``roles`` are nouns that end or begin a role, ``plain`` words do not
    make it another one, ``linking`` words stand between it and a name, ``past`` ones where somebody had it once, ``of``
    before what it is of, ``definite`` before the only one that has it. ``leaders`` are roles of who is the head of
    something, ``leading`` says what they do, ``led_by`` of what they do it. ``defining`` phrases define the term before
    them, ``defining_quoted`` one in quotation marks; ``defined_behind`` stand before a term that ``meant`` stands
    behind, ``calling`` before one alone. ``concepts`` are words for one matter, as for a contract or a beginning.
    ``known`` abbreviations need no meaning; those of every language are in the file ``any``.
    """

    generic: tuple[str, ...] = ()
    prepositions: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    linking: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    defining: tuple[str, ...] = ()
    defining_quoted: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    definite: tuple[str, ...] = ()
    leaders: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    led_by: tuple[str, ...] = ()
    defined_behind: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    calling: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()
    each_of: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    concepts: Mapping[str, tuple[str, ...]] = {}


@lru_cache(maxsize=32)
def fact_words(tag: str) -> FactWords:
    """The words of a language; none of one without a file."""
    return read_lists(FactWords, "facts", tag)


class AnswerCues(WordList):
    """The words by which a draft answers a demand, or leaves it open: expressions, matched against the folded text.

    In an answer: ``we`` as its subject, anywhere, and ``our`` near its beginning are the voice of the bidder.
    ``doubts`` make it uncertain: a possibility, a refusal, an exception, the past, another place, an empty promise.
    In a demand: ``at_least`` says that a figure may be exceeded, ``told`` that it wants a description or a paper,
    which a promise does not replace. In both: ``none`` says that something is not there, ``earlier`` and ``later``
    that something comes before or after something else.
    """

    we: Cue = NOTHING
    our: Cue = NOTHING
    doubts: Cue = NOTHING
    at_least: Cue = NOTHING
    none: Cue = NOTHING
    earlier: Cue = NOTHING
    later: Cue = NOTHING
    told: Cue = NOTHING


@lru_cache(maxsize=32)
def answer_cues(language: str) -> AnswerCues:
    """The expressions of a language, a BCP 47 tag; none for a language without a data file."""
    return read_lists(AnswerCues, "answers", primary(language) or DEFAULT)


class BidWords(WordList):
    """The words by which a request says how the bid itself has to be: expressions, matched whatever the case.

    ``bids`` are words for the whole of what is handed in, ``parts`` for parts of it, ``bidders`` for who does that;
    ``others`` are what a contract is about. ``handed`` and ``written`` are what is done with a bid. ``form`` is in
    headings above rules about its form, and ``criteria`` above those about how it is judged; ``best`` stands beside the
    most points that a criterion has. ``advised`` makes a rule a wish, ``denied`` makes it none, and ``amends`` is in
    the name of an amendment.

    Limits: ``pages`` and ``words`` are units; ``at_most`` stands before the number, ``or_less`` behind the unit or,
    in an expression that begins with ``^``, between the two. ``numbers`` are numbers in words.

    Form: ``font`` and ``size`` of it, in other places (``tables``); ``sheets`` stand beside A4; ``spacing`` has the
    expressions by the lines that they are; ``copies`` of a bid; ``named`` stands before the name of a file.
    ``languages`` have the names by their tags, as they stand behind ``in_language``.

    ``valid`` says that a bid binds, ``binding`` where no bid is named too, for ``units`` of time. ``blind`` forbids to
    name the bidder, ``excludes`` says that a bid is rejected, unless the buyer only may or it is denied (``free``), and
    ``order`` demands an order of chapters.
    """

    bids: CueInAnyCase = NOTHING
    parts: CueInAnyCase = NOTHING
    bidders: CueInAnyCase = NOTHING
    others: CueInAnyCase = NOTHING
    handed: CueInAnyCase = NOTHING
    written: CueInAnyCase = NOTHING
    form: CueInAnyCase = NOTHING
    criteria: CueInAnyCase = NOTHING
    best: CueInAnyCase = NOTHING
    advised: CueInAnyCase = NOTHING
    denied: CueInAnyCase = NOTHING
    amends: CueInAnyCase = NOTHING
    pages: CueInAnyCase = NOTHING
    words: CueInAnyCase = NOTHING
    at_most: CueInAnyCase = NOTHING
    or_less: CueInAnyCase = NOTHING
    limit: CueInAnyCase = NOTHING
    numbers: Mapping[str, int] = {}
    font: CueInAnyCase = NOTHING
    size: CueInAnyCase = NOTHING
    tables: CueInAnyCase = NOTHING
    sheets: CueInAnyCase = NOTHING
    spacing: Mapping[str, CueInAnyCase] = {}
    copies: CueInAnyCase = NOTHING
    named: CueInAnyCase = NOTHING
    in_language: CueInAnyCase = NOTHING
    languages: Mapping[str, CueInAnyCase] = {}
    valid: CueInAnyCase = NOTHING
    binding: CueInAnyCase = NOTHING
    units: Mapping[str, CueInAnyCase] = {}
    blind: CueInAnyCase = NOTHING
    excludes: CueInAnyCase = NOTHING
    free: CueInAnyCase = NOTHING
    order: CueInAnyCase = NOTHING


@lru_cache(maxsize=32)
def bid_words(language: str) -> BidWords:
    """The expressions of a language, a BCP 47 tag; none for a language without a data file."""
    return read_lists(BidWords, "bids", primary(language) or "")


class FormWords(WordList):
    """Of forms.

    Headers of columns: ``question``, ``answer``, ``not_answer``, ``price``, ``quantity``, and ``ticks`` of those of
    which a row has one crossed. Placeholders: ``insert``.
    Answers: ``yes``, ``no``. Limits: ``words``, ``characters``, ``least``.

    ``concepts`` name what a field asks for, ``roles`` and ``parties`` whose it is (``own`` is the bidder). ``opening``
    begins a request for a text and ``counting`` one for a number; ``asking`` are words of a question that say nothing
    of its subject. ``hedges`` limit a statement. ``things`` join the words for one subject, ``units`` those for a unit.
    """

    question: tuple[str, ...]
    answer: tuple[str, ...]
    not_answer: tuple[str, ...]
    price: tuple[str, ...]
    insert: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    signature: tuple[str, ...]
    words: tuple[str, ...]
    characters: tuple[str, ...]
    least: tuple[str, ...]
    quantity: tuple[str, ...]
    ticks: tuple[str, ...]
    concepts: Named
    roles: Named
    parties: Named
    asking: tuple[str, ...]
    opening: tuple[str, ...]
    counting: tuple[str, ...]
    hedges: tuple[str, ...]
    things: Named
    units: Named


@cache
def form_words() -> Mapping[str, FormWords]:
    """The words of forms by the tags of their languages."""
    files = sorted((DATA / "forms").glob("*.json"))
    return {file.stem: FormWords.model_validate_json(file.read_bytes()) for file in files}
