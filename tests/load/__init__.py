"""How the production stack bears a deadline night: `make load` prints a table."""

# So that everybody may read the board while runs still come.
PUBLISHED = "board_audience=2, per_topic_audience=2"
