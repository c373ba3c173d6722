"""A source tells about how much memory it takes, by which those who keep sources bound them."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest
from stemma_evidence import ground
from stemma_evidence.sources.source import DRAFT, Source, read

NUMBER = 2
PROSE = "The hall costs EUR {n} a month. It was let to {n} children in March, and the rent is due on the first day.\n\n"
TEXTS = {
    "a brief": ("Write a proposal for a library of {n} bicycles in Aumont, for {n},000 EUR.", "text/markdown"),
    "prose": ("# Rent of {n}\n\n" + PROSE * 20, "text/markdown"),
    "a table": ("".join(f"{{n}},{row},{row * 7},name {row} of {{n}}\n" for row in range(40)), "text/csv"),
}


def sources(text: str, media_type: str, standing: str, numbers: range) -> list[Source]:
    return [read(text.replace("{n}", str(n)), media_type, "en", standing=standing, name="") for n in numbers]


@pytest.fixture
def looked_through() -> Iterator[None]:
    """What was there before is looked through for garbage once, and not with each measurement."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.req("S6")
@pytest.mark.usefixtures("looked_through")
@pytest.mark.parametrize("standing", ["input", DRAFT])
@pytest.mark.parametrize(("text", "media_type"), TEXTS.values(), ids=TEXTS)
def test_a_source_takes_about_the_memory_that_it_tells(text: str, media_type: str, standing: str) -> None:
    draft = read("412 of 17 children paid EUR 99 or 516 in all.", "text/markdown", "en", standing=DRAFT, name="")
    ground(draft, sources(text, media_type, standing, range(1000, 1001)))  # what is made once is no source's

    def measured(first: int) -> tuple[int, int]:
        gc.collect()
        tracemalloc.start()
        try:
            kept = sources(text, media_type, standing, range(first, first + NUMBER))
            ground(draft, kept)
            gc.collect()
            return tracemalloc.get_traced_memory()[0], sum(source.memory for source in kept)
        finally:
            tracemalloc.stop()

    # A cache of the process that grows meanwhile is no source's either: it grows in one of them at most.
    taken, told = sorted(map(measured, (2000, 3000, 4000)))[1]
    assert taken / 2 < told < taken * 2
