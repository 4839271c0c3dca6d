from eagerflow_compat.contrib.learn import (
    datasets as datasets,
    preprocessing as preprocessing,
)
from eagerflow_compat.contrib.learn.modes import ModeKeys as ModeKeys
