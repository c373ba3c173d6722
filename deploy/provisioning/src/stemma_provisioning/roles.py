"""The roles of people, which the server enforces; what each may ask for stands in the contracts."""

from stemma_contracts.roles import EVERY_REQUEST, ROLES, Role

__all__ = ["EVERY_REQUEST", "ROLES", "Role"]
