"""Forms of buyers (XLSX questionnaires, DOCX and PDF forms): which places wait for an answer, and the answers in them.

The formats are those of ECMA-376 (Office Open XML, transitional) and ISO 32000-1. Nothing here has I/O; whoever reads
the files of strangers calls it in a process with limits.
"""

from .field import AnswersRefused, Field, FormError, Kind, Limit, Unit, UnreadableForm, refusal_of
from .form import fill, find_fields, unsupported
from .markdown import (
    TooLong,
    Unaccepted,
    answers_in,
    as_markdown,
    too_long_answers,
    unaccepted_answers,
    without_questions,
)
