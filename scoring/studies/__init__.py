"""Questions about all runs of a board that a worker answers once: arrays by name."""
