"""Version 1 of every message. Importing this package fills the registry."""

from . import answers, events, jobs, outcomes, requests, values

__all__ = ["answers", "events", "jobs", "outcomes", "requests", "values"]
