"""What a version of a text changed in the one before, by the marks of what others can rest on."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import OSA

from .comparing import Comparisons, match_parts
from .marking import Marked

_LEAST_OF_A_TYPO = 5
_MOST_TYPED = 2
_FARTHEST = 50
"""How far above its place the item is looked for that something new comes after."""
IsWord = Callable[[str], bool]


@dataclass(frozen=True)
class Changed:
    """``touched`` are marks of the text before: of what says something else now, or is gone; ``extended`` are those of
    what has something new below, or that are gone.

    ``followed`` are those that have another mark now, each with the mark that stands in its place.
    """

    touched: tuple[str, ...] = ()
    extended: tuple[str, ...] = ()
    followed: Mapping[str, str] = field(default_factory=dict)


def changed_marks(old: Sequence[Marked], new: Sequence[Marked], is_word: IsWord | None = None) -> Changed:
    """What a new version changed. Looks and links change nothing, nor does the mending of a word that is none.

    ``is_word`` says of a word in small letters whether the language of the texts has it. Where a figure or a name alone
    is another one, who uses that is touched, and who uses other words of the sentence is not.
    """
    return _Change(old, new, is_word or (lambda _: False)).found()


class _Change:
    def __init__(self, old: Sequence[Marked], new: Sequence[Marked], is_word: IsWord) -> None:
        self._old, self._new, self._is_word = old, new, is_word
        self._comparisons = Comparisons(sum(len(one.text) for one in (*old, *new)))
        self._touched, self._followed = dict[str, None](), dict[str, str]()

    def found(self) -> Changed:
        had, has = {one.mark: one for one in self._old}, {one.mark for one in self._new}
        gone = [one for mark, one in had.items() if mark not in has]
        come = list({one.mark: one for one in self._new if one.mark not in had}.values())
        partners = self._partners(gone, come)
        for new, old in partners.items():
            self._replace(gone[old], come[new])
        extended = list[str]()
        for number in sorted(set(range(len(gone))) - set(partners.values())):
            one = gone[number]
            self._touch(one.mark, *one.facts.values())
            extended += [one.below, one.after]
        known = {mark: one for mark, one in had.items() if mark in has}
        known |= {come[new].mark: gone[old] for new, old in partners.items()}
        extended += _added_below(self._new, known)
        self._touch(*_names_gone(self._old, self._new))
        return Changed(tuple(self._touched), tuple(dict.fromkeys(extended)), self._followed)

    def _partners(self, gone: Sequence[Marked], come: Sequence[Marked]) -> dict[int, int]:
        """Which of what is gone each of what came takes the place of: a definition that of the same term."""
        terms = {one.defines: number for number, one in reversed(list(enumerate(gone))) if one.defines}
        same = {one.defines: number for number, one in reversed(list(enumerate(come))) if one.defines in terms}
        partners = {new: terms[term] for term, new in same.items()}
        old, new = _rest(gone, partners.values()), _rest(come, partners)
        before, after = ([" ".join(side[at].words) for at in rest] for side, rest in ((gone, old), (come, new)))
        found = match_parts(before, after, self._comparisons)
        return partners | {new[one]: old[other] for one, other in found.items()}

    def _touch(self, *marks: str) -> None:
        self._touched.update(dict.fromkeys(marks))

    def _replace(self, old: Marked, new: Marked) -> None:
        self._followed |= {old.mark: new.mark, old.below: new.below, old.after: new.after}
        now = {word: word for word in old.facts if word in new.facts}
        for (start, end), (first, last) in self._comparisons.runs(old.words, new.words):
            gone, come = old.words[start:end], new.words[first:last]
            if self._is_mended(gone, come):
                continue
            if _are_facts(gone, come, old, new):
                now |= dict(zip(gone, come, strict=True))
            else:
                self._touch(old.mark)
        for word, mark in old.facts.items():
            if word not in new.facts:
                self._touch(mark)
            if word in now:
                self._followed[mark] = new.facts[now[word]]

    def _is_mended(self, gone: Sequence[str], come: Sequence[str]) -> bool:
        return len(gone) == len(come) and all(map(self._is_typo, gone, come))

    def _is_typo(self, old: str, new: str) -> bool:
        if min(len(old), len(new)) < _LEAST_OF_A_TYPO or not (old.isalpha() and new.isalpha()) or old[0] != new[0]:
            return False
        near = OSA.distance(old, new, score_cutoff=_MOST_TYPED) <= _MOST_TYPED
        return near and not self._is_word(old) and self._is_word(new)


def _rest(side: Sequence[Marked], taken: Collection[int]) -> list[int]:
    left_out = set(taken)
    return [number for number in range(len(side)) if number not in left_out]


def _are_facts(gone: Sequence[str], come: Sequence[str], old: Marked, new: Marked) -> bool:
    """Whether as many figures and names take the place of others, and nothing else."""
    return len(gone) == len(come) and old.facts.keys() >= set(gone) and new.facts.keys() >= set(come)


def _added_below(new: Sequence[Marked], known: Mapping[str, Marked]) -> Iterator[str]:
    """What has something new right below it, under the same heading, as it was marked before."""
    for at, one in enumerate(new):
        above = None if one.mark in known else _above(new, at)
        if above is not None and (was := known.get(above.mark)) is not None:
            yield was.below if above.block == one.block else was.after


def _above(new: Sequence[Marked], at: int) -> Marked | None:
    """What stands above something under the same heading, and does not hang below another item."""
    one = new[at]
    for above in reversed(new[max(0, at - _FARTHEST) : at]):
        if above.section != one.section:
            return None
        if above.block != one.block or above.depth <= one.depth:
            return above
    return None


def _names_gone(old: Sequence[Marked], new: Sequence[Marked]) -> list[str]:
    names = {mark for one in new for mark in one.alone.values()}
    return list(dict.fromkeys(mark for one in old for mark in one.alone.values() if mark not in names))
