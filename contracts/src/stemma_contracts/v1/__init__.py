"""Version 1 of every message. Importing this package fills the registry."""

from . import answers, events, jobs, outcomes, requests

__all__ = ["answers", "events", "jobs", "outcomes", "requests"]
