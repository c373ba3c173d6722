"""ODT, RTF and HTML, by pandoc."""

from __future__ import annotations

import codecs
import re

from .composing import Composer
from .decoding import encoding_of
from .errors import Unreadable
from .kinds import open_package
from .tree import put_tree

_DECLARED = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w-]+)""", re.I)
_HEAD = 2048
_PICTURES = re.compile(rb"\\pict\b")
HTML = "html-native_divs-native_spans"


def read_odt(content: bytes, composer: Composer) -> None:
    """ODT with its images; raises `Unreadable`."""
    package = open_package(content, composer.limits)
    package.refuse_entities()
    if "content.xml" not in package:
        raise Unreadable("damaged", kind="ODT")
    put_tree(content, "odt", "ODT", composer, lambda name: package.read(name) if name in package else None)


def read_rtf(content: bytes, composer: Composer) -> None:
    """RTF; its images are left out and told. Raises `Unreadable`."""
    put_tree(content, "rtf", "RTF", composer)
    if _PICTURES.search(content):
        composer.warn("image_unread", "", "Images of RTF files are left out: save the file as DOCX to keep them.")


def read_html(content: bytes, composer: Composer) -> None:
    """A web page, without scripts and whatever is not in the file itself; raises `Unreadable`."""
    put_html(content.decode(_encoding(content), "replace"), composer)


def put_html(text: str, composer: Composer, images: dict[str, bytes] | None = None) -> None:
    """Write a web page; ``images`` has those that its message brings, by their addresses."""
    put_tree(text.encode("utf-8", "replace"), HTML, "HTML", composer, (images or {}).get)


def _encoding(content: bytes) -> str:
    """What the bytes say by themselves, else what the page says, else what the bytes look like."""
    found = encoding_of(content) or "utf-8"
    if found.startswith("utf") or not (declared := _DECLARED.search(content[:_HEAD])):
        return found
    name = (declared[1] or declared[2]).decode("ascii", "ignore")
    try:
        return "cp1252" if codecs.lookup(name).name in ("iso8859-1", "ascii") else name
    except LookupError:
        return found
