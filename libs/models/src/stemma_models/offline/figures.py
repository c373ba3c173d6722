"""Which section shows which image, and where in it. Every section comes to the same answer on its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from .allocation import Outline, affinities, affinities_of_words
from .material import Place, Unit
from .phrases import source_name
from .plain import heading_text, safe
from .request import Image, Request

_NAMELESS = re.compile(r"^(?:image|img|figure|picture|screenshot|media)?[\W\d_]*$", re.I)
_LEAST_ROOM = 2
# Sections that images go to if they belong nowhere else.
_RARELY = frozenset({"timeline", "budget", "conclusion", "executive_summary", "problem_statement"})


def shown_here(request: Request) -> list[Image]:
    """The images that the section of a request shows, in the order in which they are given."""
    owners = _owners_of(request)
    return [
        image
        for image in request.images
        if owners.get(_key(image)) == request.section.id and not request.is_faulty(image)
    ]


def owner_by_unit(request: Request) -> dict[int, str]:
    """For every unit with an image beside it, the section that shows the image and therefore tells the unit."""
    places = request.material.places
    return {id(unit): owner for name, owner in _owners_of(request).items() if (unit := _beside(places.get(name)))}


def place_of(image: Image, request: Request) -> Place | None:
    """Where an image stands in the inputs."""
    return request.material.places.get(_key(image))


def image_words(image: Image, place: Place | None) -> str:
    """What an image shows: its alternative text, else the heading that it stands under and its file name."""
    name = source_name(image.name).removeprefix("the ")
    alt = heading_text(image.alt)
    if alt and not _NAMELESS.match(alt):
        return alt
    heading = next((heading for heading in reversed(place.headings) if heading), "") if place else ""
    return heading or name.strip("“”")


def figure(image: Image, words: str) -> str:
    """An image whose alternative text is its caption."""
    return f"![{safe(words)}]({_target(image.name)})"


def _target(name: str) -> str:
    return f"<{name}>" if any(character in name for character in " ()") else name


def _key(image: Image) -> str:
    return image.name.removeprefix("./")


def _beside(place: Place | None) -> Unit | None:
    return place.beside if place else None


def _owners_of(request: Request) -> dict[str, str]:
    material = request.material
    wanted = [image for image in request.images if _key(image) not in material.decorations]
    shown = tuple((_key(i), image_words(i, p := place_of(i, request)), _beside(p)) for i in wanted)
    return _owners(shown, request.outline)


@lru_cache(maxsize=32)
def _owners(shown: tuple[tuple[str, str, Unit | None], ...], outline: Outline) -> dict[str, str]:
    """Each image goes where it belongs best, as long as there is room; no section becomes a picture book."""
    room = max(_LEAST_ROOM, -(-2 * len(shown) // len(outline)))
    taken: Counter[str] = Counter()
    owners: dict[str, str] = {}
    for name, words, unit in shown:
        scores = affinities(unit, outline) if unit else affinities_of_words(words, outline)
        owners[name] = _best(scores, outline, {key for key, count in taken.items() if count >= room})
        taken[owners[name]] += 1
    return owners


def _best(scores: Sequence[float], outline: Outline, full: set[str]) -> str:
    ranked = sorted(range(len(outline)), key=lambda place: -scores[place])
    first = outline[ranked[0]]
    if first.id not in full:
        return first.id
    others = [outline[place] for place in ranked if outline[place].id not in full]
    fit = [entry for entry in others if entry.nature not in _RARELY]
    return (fit or others or [first])[0].id
