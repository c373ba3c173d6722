"""What a document has cost is shown with it."""

from typing import Any

import pytest
from stemma_cli.wording import cost_words
from stemma_contracts.v1.usage import Usage


async def test_show_says_what_the_model_calls_of_all_sections_cost(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    paid = Usage(calls=3, input_tokens=1200, output_tokens=300, cost=0.25)
    first = drafted("research").model_copy(update={"usage": paid})
    await backstage.append(document_id, requested, first, drafted("solution"))

    shown = await cli("show", document_id)

    assert "model calls: 5, 1210 tokens read, 305 written, 0.25 dollars" in shown.stdout


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (0, "0.00 dollars"),
        (0.00000012, "0.00000012 dollars"),
        (0.0045, "0.0045 dollars"),
        (0.00451234, "0.0045 dollars"),
        (0.00996, "0.01 dollars"),
        (0.04, "0.04 dollars"),
        (0.0999, "0.10 dollars"),
        (0.256, "0.26 dollars"),
        (1234567.891, "1234567.89 dollars"),
    ],
)
def test_a_small_sum_has_the_digits_that_it_needs(cost: float, words: str) -> None:
    assert cost_words(cost) == words
