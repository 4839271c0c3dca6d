"""What every test and doctest finds: imported names, and the state of a fresh program."""

import gc
import itertools
import logging
import os
import random

import hypothesis
import numpy
import pytest

import eagerflow
import eagerflow.contrib
from eagerflow.framework import random_seed
from eagerflow.keras import naming, random_generator
from eagerflow.keras.mixed_precision.policy import set_global_policy

# Unseeded numbers follow from this in the tests: a failure comes back, and none comes by chance.
ENTROPY = int(os.environ.get("EAGERFLOW_TEST_ENTROPY", "0"))

hypothesis.settings.register_profile("eagerflow", deadline=None, derandomize=ENTROPY == 0)
hypothesis.settings.load_profile("eagerflow")

# Those who develop the package see its frames.
eagerflow.debugging.disable_traceback_filtering()

_finished = itertools.count(1)


def pytest_collection_finish():
    """Spares the garbage collector what stays: some tests call it often."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logfinish():
    """The same for reports and recorded answers, now and then."""
    if next(_finished) % 2000 == 0:
        pytest_collection_finish()


@pytest.fixture(autouse=True)
def _fresh_program(doctest_namespace, monkeypatch):
    monkeypatch.setattr(random_seed, "system_entropy", random.Random(ENTROPY).randbytes)
    random.seed(ENTROPY)
    numpy.random.seed(ENTROPY % 2**32)
    doctest_namespace["tf"] = eagerflow
    doctest_namespace["np"] = numpy
    eagerflow.random.set_seed(None)
    random_generator.set_seed_source(None)
    naming.reset_uids()
    set_global_policy(None)
    eagerflow.get_logger().setLevel(logging.NOTSET)


# For a type checker, which finds the mistakes in it.
collect_ignore = ["tests/typed_program.py"]
# Run by processes of their own; Keras imports its backend's modules, by other names, and tf2onnx is
# where operators are added to it.
collect_ignore_glob = [
    "tests/*/processes/*.py",
    "tests/*/programs/*.py",
    "eagerflow_compat/keras_backend/*.py",
    "eagerflow_compat/dropin/onnx_*.py",
]
