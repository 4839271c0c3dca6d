"""`python -m eagerflow [--generation 1.x|2.x] [-m module | script.py] args…`."""

import sys

from eagerflow.dropin.run import main

if __name__ == "__main__":
    sys.exit(main())
