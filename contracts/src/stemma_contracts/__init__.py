"""Event contracts of Stemma: Pydantic models and the names that they travel under. Nothing else."""

from .base import Contract
from .envelope import MAX_MESSAGE_BYTES, Envelope, InvalidEnvelope, envelope_for
from .registry import Entry, Family, Registry, UnknownContract, UpcastFailed, registry

__all__ = [
    "MAX_MESSAGE_BYTES",
    "Contract",
    "Entry",
    "Envelope",
    "Family",
    "InvalidEnvelope",
    "Registry",
    "UnknownContract",
    "UpcastFailed",
    "envelope_for",
    "registry",
]
