"""How the production stack bears a deadline night: `make load` prints a table."""
