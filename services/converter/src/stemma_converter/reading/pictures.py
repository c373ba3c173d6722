"""Images: shown as they are, and recognised where tesseract is there."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageSequence, UnidentifiedImageError

from . import escaping
from .composing import Composer
from .drawings import svg_to_png
from .errors import Unreadable
from .recognition import Recogniser

_KINDS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP")
_DPI = 200
_SEVERAL = ("TIFF",)


def read_picture(content: bytes, composer: Composer) -> None:
    """An image, or the pages of a TIFF; raises `Unreadable`."""
    try:
        with Image.open(BytesIO(content), formats=_KINDS) as image:
            recogniser = Recogniser(composer.limits)
            several = image.format in _SEVERAL and getattr(image, "n_frames", 1) > 1
            for number, frame in enumerate(ImageSequence.Iterator(image) if several else [image], 1):
                if number > composer.limits.pages:
                    break
                if several:
                    composer.anchor("page", f"p. {number}")
                _put(frame, f"p. {number}" if several else "", composer, recogniser)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError, EOFError):
        raise Unreadable("damaged", kind="image") from None


def read_svg(content: bytes, composer: Composer) -> None:
    """A drawing, drawn; raises `Unreadable`."""
    composer.paragraph(composer.image(svg_to_png(content), composer.title))


def _put(image: Image.Image, place: str, composer: Composer, recogniser: Recogniser) -> None:
    if image.width * image.height > composer.limits.image_pixels:
        most = composer.limits.image_pixels // 1_000_000
        raise Unreadable("too_many_pixels", size=image.width * image.height // 1_000_000, most=most)
    composer.count(pages=1)
    buffer = BytesIO()
    image.convert("RGBA" if image.mode in ("RGBA", "LA", "PA", "P") else "RGB").save(buffer, "PNG", compress_level=1)
    composer.paragraph(composer.image(buffer.getvalue(), composer.title, place))
    if not recogniser.may():
        words = "Text in the picture, if there is any, was not recognised: tesseract is not there, or out of time."
        composer.warn("page_not_recognised", place, words)
        return
    found = recogniser.paragraphs(image, int(image.info.get("dpi", (_DPI,))[0]) or _DPI)
    composer.count(pages_recognised=1 if found else 0)
    for paragraph in found:
        composer.paragraph(escaping.inline(paragraph))
