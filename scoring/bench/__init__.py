"""How fast scoring is here: `python -m scoring.bench` (make bench)."""
