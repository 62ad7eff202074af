"""`python -m scoring`, the same as `trackside`."""

import sys

from scoring.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
