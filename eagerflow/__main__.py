"""`python -m eagerflow`, the command `eagerflow`."""

import sys

from eagerflow.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
