"""Where the claims of a draft stand in its sources."""
