"""``stemma eval``: requests are written by models with versions of the prompts, and measured."""
