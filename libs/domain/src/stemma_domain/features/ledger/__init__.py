"""The requirement ledger: demands are read from the sources, by rules and by a model, and people decide about them."""
