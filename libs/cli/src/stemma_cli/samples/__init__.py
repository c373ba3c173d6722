"""A brief and inputs for each kind of document that ships with a sample."""

from pathlib import Path

SAMPLES = Path(__file__).parent
