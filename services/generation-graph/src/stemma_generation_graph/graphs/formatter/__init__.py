"""Makes one document of reviewed drafts: the model introduces it, code puts the drafts into it word for word."""
