"""What every doctest of the package finds imported."""

import numpy
import pytest

import eagerflow


@pytest.fixture(autouse=True)
def _names_in_doctests(doctest_namespace):
    doctest_namespace["tf"] = eagerflow
    doctest_namespace["np"] = numpy
