"""The languages of documents as data: which one a text is in, and the words that a program writes in it.

Another language is another file in ``data``, named by its BCP 47 primary tag.
"""

from __future__ import annotations

from .counting import count_words
from .detection import detect, foreign
from .edits import AskedEdit, asked_edit
from .instructions import is_instruction
from .language import Language
from .languages import DEFAULT, UnknownLanguage, language, primary, shipped
from .outlines import asks_for_a_form, limits_in
from .sentences import is_about_the_document, is_addressed, is_example, leans
from .words import Words

__all__ = [
    "DEFAULT",
    "AskedEdit",
    "Language",
    "UnknownLanguage",
    "Words",
    "asked_edit",
    "asks_for_a_form",
    "count_words",
    "detect",
    "foreign",
    "is_about_the_document",
    "is_addressed",
    "is_example",
    "is_instruction",
    "language",
    "leans",
    "limits_in",
    "primary",
    "shipped",
]
