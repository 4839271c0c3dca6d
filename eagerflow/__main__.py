"""`python -m eagerflow [--generation 1.x|2.x] [-m module | script.py] args…`."""

import importlib
import sys

from eagerflow.util import own_code

if __name__ == "__main__":
    if not own_code.is_installed():
        sys.exit(own_code.absent("python -m eagerflow"))
    sys.exit(importlib.import_module(f"{own_code.NEIGHBOR}.dropin.run").main())
