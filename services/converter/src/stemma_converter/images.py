"""Images of a document: only real ones of known kinds pass, and they pass re-encoded."""

from dataclasses import dataclass
from io import BytesIO

from PIL import Image, UnidentifiedImageError

KINDS = ("PNG", "JPEG", "GIF", "WEBP")
PIXELS_PER_INCH = 96
PAGE_INCHES = (6.3, 7.5)
MAX_EDGE = 2400


@dataclass(frozen=True)
class ImageLimits:
    """What an image may be: bytes of its file, and pixels when it is unpacked."""

    max_bytes: int = 20 * 1024 * 1024
    max_pixels: int = 40_000_000


@dataclass(frozen=True)
class Picture:
    """An image as it goes into a document; ``inches`` is its width on the page."""

    data: bytes
    suffix: str
    inches: float

    @property
    def media_type(self) -> str:
        return "image/jpeg" if self.suffix == "jpg" else "image/png"


def vet(data: bytes, limits: ImageLimits) -> Picture | None:
    """The image re-encoded, without metadata and scripts; none if it is not an image or beyond the limits."""
    if len(data) > limits.max_bytes:
        return None
    try:
        with Image.open(BytesIO(data), formats=KINDS) as image:
            if image.width * image.height > limits.max_pixels:
                return None
            image.load()
            return _encode(image, keep_lossy=image.format == "JPEG")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError, EOFError):
        return None


def _encode(image: Image.Image, *, keep_lossy: bool) -> Picture:
    inches = _width_on_page(image.width, image.height)
    image.thumbnail((MAX_EDGE, MAX_EDGE))
    buffer = BytesIO()
    if keep_lossy:
        image.convert("RGB").save(buffer, "JPEG", quality=88)
        return Picture(buffer.getvalue(), "jpg", inches)
    transparent = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    image.convert("RGBA" if transparent else "RGB").save(buffer, "PNG", optimize=False)
    return Picture(buffer.getvalue(), "png", inches)


def _width_on_page(width: int, height: int) -> float:
    wide, high = width / PIXELS_PER_INCH, height / PIXELS_PER_INCH
    scale = min(1.0, PAGE_INCHES[0] / wide, PAGE_INCHES[1] / high)
    return round(wide * scale, 2)
