"""The process of generation-graph with the model of the bench: ``bench_generation.py MILLISECONDS``.

The service is the real one to the last line; only where it would make its chat model it gets ours.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from bench_model import TrivialModel
from langchain_core.language_models import BaseChatModel
from stemma_cli.local.run import YIELDS, end_with_parent, run_command, set_up
from stemma_confinement.process import yield_processor
from stemma_contracts import subjects
from stemma_generation_graph import app
from stemma_models import ModelSettings, caller
from stemma_models.providers import Provider


def main() -> None:
    """Run the service."""
    latency_s = int(sys.argv[1]) / 1000
    yield_processor(YIELDS)
    end_with_parent()
    set_up(subjects.GENERATION)
    with in_place_of_others(TrivialModel(latency_s=latency_s)):
        run_command(subjects.GENERATION)


@contextmanager
def in_place_of_others(model: BaseChatModel) -> Iterator[None]:
    """Whatever model the service is told, it gets this one; raises `AttributeError` if it makes models elsewhere.

    It is asked for scores: without them a document makes half of the calls that count.
    """

    async def opened(_: ModelSettings) -> BaseChatModel:
        return model

    def provided(_: str) -> Provider:
        return Provider(lambda _: model, judges=True)

    with patch.object(app, "open_chat_model", opened), patch.object(caller, "provider", provided):
        yield


if __name__ == "__main__":
    main()
