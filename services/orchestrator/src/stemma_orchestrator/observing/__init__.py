"""What the orchestrator measures of the whole installation: it alone is in the account of the streams.

Each of several orchestrators sees the same, so that who adds up takes the largest of what they tell.
"""

from .census import Census
from .copies import Copies
from .fleet import Fleet
from .observer import GAUGES, Observer

__all__ = ["GAUGES", "Census", "Copies", "Fleet", "Observer"]
