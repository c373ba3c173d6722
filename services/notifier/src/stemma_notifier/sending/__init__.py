"""The ways to tell somebody."""

from .base import NotSent, Refused, trusted_ssl_context
from .guard import Guard
from .mail import Mail, MailServer
from .webhook import Webhook

__all__ = ["Guard", "Mail", "MailServer", "NotSent", "Refused", "Webhook", "trusted_ssl_context"]
