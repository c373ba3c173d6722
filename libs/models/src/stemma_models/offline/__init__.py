"""The embedded default model: deterministic, without a key, without a network."""

from .model import OfflineWriter

__all__ = ["OfflineWriter"]
