"""`python -m scoring`, the same as `trackside`."""

import sys

from scoring.cli.main import main_of_process

if __name__ == "__main__":
    sys.exit(main_of_process())
