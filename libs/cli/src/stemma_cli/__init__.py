"""The command `stemma`: its verbs over the client, and everything on one machine."""
