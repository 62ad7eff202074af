"""The guides: the pages of `docs/` that are for people who use the site."""
