"""The graphs, a package each; `registry` finds them by name."""
