"""Claims that follow from others by one step of arithmetic: sums, products, shares, dates and durations."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from itertools import combinations, permutations, product

from stemma_evidence.claims.claim import Claim
from stemma_evidence.sources.source import Source, kept_with_source

MOST_OPERANDS = 24
"""Operands that are tried together; more of them make anything out of something."""

LEAST_SUMMED = 3
"""Claims of a run that are summed; two are a pair, and pairs are tried of all that stands in a block."""

_MOST_PARTS = 10
_POWERS_OF_TEN = frozenset(Decimal(10) ** power for power in range(1, 7))

Operands = tuple[Claim, ...]
Step = tuple[Operands, str]


def follows(claim: Claim, pool: Iterable[Claim]) -> Step | None:
    """The claims of ``pool`` that a claim follows from, and how; None if it does not."""
    operands = [other for other in pool if other.values != claim.values]
    if len(operands) > MOST_OPERANDS:
        return None
    if claim.kind == "date":
        return next(_dates(claim, operands), None)
    steps = (*_MEASURES, _duration) if claim.kind == "quantity" else _MEASURES
    return next((found for step in steps for found in step(claim, operands)), None)


def is_a_power_of_ten(claim: Claim) -> bool:
    """Whether to multiply by a claim is to move the point: what a wrong magnitude looks like, too."""
    return any(number in _POWERS_OF_TEN for number in claim.numbers)


def total(claim: Claim, run: Sequence[Claim]) -> Step | None:
    """The part of a run of one unit that a claim is the sum of, if it is one of at least three.

    Of a long run it is the beginning or the end: among all its parts nearly any number is a sum.
    """
    sums: dict[Decimal, int] = {Decimal(0): 0}
    reached = Decimal(0)
    for end, other in enumerate(run, 1):
        reached += other.numbers[0]
        for number in claim.numbers:
            begin = sums.get(reached - number)
            if begin is None or end - begin < LEAST_SUMMED:
                continue
            if len(run) <= MOST_OPERANDS or begin == 0 or end == len(run):
                return tuple(run[begin:end]), " + ".join(item.text for item in run[begin:end])[:300]
        sums.setdefault(reached, end)
    return None


def _same_unit(claim: Claim, other: Claim) -> bool:
    return bool(other.numbers) and (claim.units == other.units or bool(set(claim.units) & set(other.units)))


def _sums(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    same = [other for other in operands if _same_unit(claim, other)]
    for a, b in combinations(same, 2):
        if a.numbers[0] + b.numbers[0] in claim.numbers:
            yield (a, b), f"{a.text} + {b.text}"
        if abs(a.numbers[0] - b.numbers[0]) in claim.numbers:
            larger, smaller = (a, b) if a.numbers[0] > b.numbers[0] else (b, a)
            yield (larger, smaller), f"{larger.text} - {smaller.text}"


def _rests(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    """What is left of a whole when two parts are taken from it."""
    same = [other for other in operands if other.units and _same_unit(claim, other)]
    for whole, (one, other) in product(same[:_MOST_PARTS], combinations(same[:_MOST_PARTS], 2)):
        if whole.numbers[0] - one.numbers[0] - other.numbers[0] in claim.numbers:
            yield (whole, one, other), f"{whole.text} - {one.text} - {other.text}"


def _products(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    for price, times in permutations(operands, 2):
        if not (price.numbers and times.numbers) or times.kind != "quantity" or "percent" in times.units:
            continue
        if _same_unit(claim, price) and price.numbers[0] * times.numbers[0] in claim.numbers:
            yield (price, times), f"{price.text} × {times.text}"


def _shares(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    if "percent" in claim.units:
        for part, whole in permutations([other for other in operands if other.numbers], 2):
            if whole.numbers[0] and part.units and _same_unit(part, whole) and _is_share(part, whole, claim):
                yield (part, whole), f"{part.text} ÷ {whole.text}"
        return
    for share, whole in permutations(operands, 2):
        if "percent" in share.units and _same_unit(claim, whole):
            exact = whole.numbers[0] * share.numbers[0] / 100
            if any(_is_near(value, claim) for value in (exact, whole.numbers[0] + exact, whole.numbers[0] - exact)):
                yield (share, whole), f"{share.text} × {whole.text}"


def share_of(claim: Claim, whole: Claim, pool: Iterable[Claim]) -> Step | None:
    """The part that a percentage is of a whole; a rounded one may be off by one."""
    for part in pool:
        if claim.numbers and _same_unit(whole, part) and 0 < part.numbers[0] < whole.numbers[0]:
            share = part.numbers[0] / whole.numbers[0] * 100
            if _is_near(share, claim) or (claim.hedged and abs(share - claim.numbers[0]) <= 1):
                return (part, whole), f"{part.text} ÷ {whole.text}"
    return None


def _is_share(part: Claim, whole: Claim, claim: Claim) -> bool:
    share = part.numbers[0] / whole.numbers[0] * 100
    return _is_near(share, claim) or _is_near(abs(share - 100), claim)


def _yearly(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    for other in operands:
        if claim.kind == "amount" and _same_unit(claim, other) and other.numbers[0] * 12 in claim.numbers:
            yield (other,), f"{other.text} × 12"


_MEASURES: tuple[Callable[[Claim, list[Claim]], Iterator[Step]], ...] = (_sums, _rests, _products, _shares, _yearly)


def _duration(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    days = [(other, day) for other in operands if (day := _day(other))]
    for (first, begin), (second, end) in permutations(days, 2):
        if begin < end and any(_lasts(begin, end, n, u) for n in claim.numbers for u in claim.units):
            yield (first, second), f"{first.text} – {second.text}"


def _lasts(begin: date, end: date, number: Decimal, unit: str) -> bool:
    days = (end - begin).days
    months = (end.year - begin.year) * 12 + end.month - begin.month
    match unit:
        case "day":
            return number in (days, days + 1)
        case "week":
            return number in (days // 7, (days + 6) // 7)
        case "month":
            return number in (months, months + 1)
        case "year":
            return number in (months // 12, (months + 1) // 12)
        case _:
            return False


def _dates(claim: Claim, operands: list[Claim]) -> Iterator[Step]:
    """A date that lies a stated time before or after another."""
    wanted = _day(claim)
    if wanted is None:
        return
    for other, span in permutations(operands, 2):
        begin = _day(other)
        if begin is None or span.kind != "quantity" or not span.units:
            continue
        if any(moved == wanted for moved in _moved(begin, span)):
            yield (other, span), f"{other.text}, {span.text}"


def _moved(begin: date, span: Claim) -> Iterator[date]:
    number = span.numbers[0]
    if number != int(number) or abs(number) > 10_000:
        return
    for count in (int(number), -int(number)):
        match span.units[0]:
            case "day":
                yield begin + timedelta(days=count)
            case "week":
                yield begin + timedelta(weeks=count)
            case "month" | "year":
                months = begin.year * 12 + begin.month - 1 + count * (12 if span.units[0] == "year" else 1)
                if 12 <= months < 9999 * 12 and begin.day <= 28:
                    yield begin.replace(year=months // 12, month=months % 12 + 1)


def _day(claim: Claim) -> date | None:
    try:
        return date.fromisoformat(claim.values[0]) if claim.kind == "date" else None
    except ValueError:
        return None


def _is_near(value: Decimal, claim: Claim) -> bool:
    """Whether a number of the claim is ``value``, rounded to as many digits as the claim has."""
    for number in claim.numbers:
        exponent = number.as_tuple().exponent
        try:
            if isinstance(exponent, int) and value.quantize(Decimal(1).scaleb(min(exponent, 0))) == number:
                return True
        except InvalidOperation:
            continue
    return False


Run = tuple[Claim, ...]


@kept_with_source
def all_runs(source: Source) -> tuple[tuple[str, Run], ...]:
    """The runs of all claims of a source."""
    return tuple(runs(source, range(len(source.claims))))


def runs(source: Source, numbers: Iterable[int]) -> Iterator[tuple[str, Run]]:
    """Runs of the claims of a source that have one of the numbers, each with the unit that is theirs."""
    found: dict[tuple[str, tuple[Hashable, ...]], list[Claim]] = defaultdict(list)
    for number in numbers:
        claim = source.claims[number]
        for unit in (claim.units or ("",)) if claim.numbers else ():
            for group in _groups(source, number):
                found[unit, group].append(claim)
    for (unit, group), run in found.items():
        if len(run) >= LEAST_SUMMED and (not group or len(run) < len(found[unit, ()])):
            yield unit, tuple(run)


def _groups(source: Source, number: int) -> Iterator[tuple[Hashable, ...]]:
    """What a claim stands in: the text, which has no name, its chapter, its block and its column."""
    place = source.place(source.claims[number].line)
    yield from ((), ("part", place.part), ("block", place.block))
    if number in source.columns:
        yield ("column", *source.columns[number])
