"""`python -m tablelaw` is the `tablelaw` command."""

import sys

from tablelaw.cli import main

if __name__ == "__main__":
    sys.exit(main())
