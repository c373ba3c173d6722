"""The command line over the client."""
