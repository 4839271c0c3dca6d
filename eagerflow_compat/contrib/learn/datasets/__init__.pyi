from eagerflow_compat.contrib.learn.datasets import (
    base as base,
    mnist as mnist,
)
from eagerflow_compat.contrib.learn.datasets.base import (
    load_boston as load_boston,
    load_dataset as load_dataset,
    load_iris as load_iris,
)
