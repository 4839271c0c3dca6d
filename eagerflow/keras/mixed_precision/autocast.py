"""Variables that layers of mixed dtype policies read in their compute dtype."""

from __future__ import annotations

from eagerflow.variable import Variable


class AutoCastVariable(Variable):
    """A variable whose layer reads it in its compute dtype."""
