"""Event contracts of Stemma: Pydantic models and the names that they travel under. Nothing else."""

from .base import Contract
from .envelope import MAX_MESSAGE_BYTES, MAX_REQUEST_BYTES, Envelope, InvalidEnvelope, envelope_for
from .registry import Entry, Family, Registry, UnknownContract, UpcastFailed, registry
