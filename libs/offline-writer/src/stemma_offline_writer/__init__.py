"""The offline writer: an extract of what a prompt holds, by an author who needs no key and no network.

It is found by the entry point ``stemma.models``. It judges nothing, and prompts may hold inputs of any length.
"""

from stemma_models import Provider

from .model import OfflineWriter

PROVIDER = Provider(lambda _settings: OfflineWriter(), judges=False, reads_everything=True)
