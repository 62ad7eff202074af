"""How fast scoring is here: `python -m tools.bench` (make bench)."""
