"""A program gives the same value and derivatives wherever it runs."""

import os

from hypothesis import HealthCheck, given, settings

from placements import check, placements

# `make placements` draws more.
EXAMPLES = int(os.environ.get("PLACEMENTS", "400"))


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(placements())
def test_an_operation_has_one_answer(placement):
    check(placement)
