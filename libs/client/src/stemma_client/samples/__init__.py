"""A brief and inputs for each kind of document that ships with a sample, each in a folder with the name of its kind."""

from pathlib import Path

SAMPLES = Path(__file__).parent


def sample_kinds() -> list[str]:
    """The kinds that have a sample: ``brief.md`` and ``inputs`` in a folder of `SAMPLES`."""
    return sorted(path.parent.name for path in SAMPLES.glob("*/brief.md"))
