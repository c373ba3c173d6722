"""Which words a language has."""

import pytest
from stemma_languages.spelling import is_word

pytestmark = pytest.mark.req("L3")


def test_a_word_is_one_of_its_language_and_a_typo_of_none() -> None:
    assert is_word("receive", "en-GB")
    assert not is_word("recieve", "en")


def test_without_a_dictionary_nothing_is_a_word() -> None:
    assert not is_word("receive", "ja")
