"""The languages of documents as data: which one a text is in, and the words that a program writes in it.

Another language is another file in ``data``, named by its BCP 47 primary tag.
"""

from .deadlines import DeadlineCues, deadline_cues
from .demands import Demands, demands
from .detection import detect, foreign, load_detection
from .editing import Form, Grammar, Numbered, grammar
from .edits import AskedEdit, asked_edit
from .languages import DEFAULT, Language, UnknownLanguage, Words, language, primary, shipped
from .lists import (
    AnswerCues,
    BidWords,
    ClaimWords,
    FactWords,
    FormWords,
    ModeWords,
    SharedClaimWords,
    answer_cues,
    bid_words,
    claim_words,
    fact_words,
    form_words,
    mode_words,
    shared_claim_words,
)
from .outlines import asks_for_a_form, count_words, gathered_under, limits_in
from .roles import Role, is_mail, role_of_name, role_of_text, unknown_language
from .sentences import (
    is_addressed,
    is_caption,
    is_form_text,
    is_instruction,
    leans,
    negates,
    only_lists,
)
from .styles import english_style
