"""What every doctest of the package finds: imported names, and the state of a fresh program."""

import numpy
import pytest

import eagerflow
from eagerflow.keras import naming, random_generator


@pytest.fixture(autouse=True)
def _fresh_program(doctest_namespace):
    doctest_namespace["tf"] = eagerflow
    doctest_namespace["np"] = numpy
    eagerflow.random.set_seed(None)
    random_generator.set_seed_source(None)
    naming.reset_uids()


collect_ignore_glob = ["tests/keras/saved/*.py"]
