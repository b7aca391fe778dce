"""`python -m refrank`: the command line."""

import sys

from refrank.cli import main

if __name__ == "__main__":
    sys.exit(main())
