"""What a document has cost is shown with it."""

from typing import Any

from stemma_contracts.v1.usage import Usage


async def test_show_says_what_the_model_calls_of_all_sections_cost(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    paid = Usage(calls=3, input_tokens=1200, output_tokens=300, cost=0.25)
    first = drafted("research").model_copy(update={"usage": paid})
    await backstage.append(document_id, requested, first, drafted("solution"))

    shown = await cli("show", document_id)

    assert "model calls: 5, 1210 tokens read, 305 written, 0.25 dollars" in shown.stdout
