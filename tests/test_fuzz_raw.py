"""What `make fuzz` does to raw operations, with fewer calls, and its limits."""

import ast
import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf

if sys.platform != "linux":
    pytest.skip("the campaigns read what Linux counts", allow_module_level=True)
sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import limits
import raw_calls

CALLS = int(os.environ.get("FUZZ_EXAMPLES", "8")) * 25


def test_seeds_are_the_recorded_calls():
    calls = [raw_calls.text(seed) for seed in raw_calls.run.seeds]
    assert len(set(calls)) > 300 and all(call.startswith("raw.") for call in calls)
    assert raw_calls.text(raw_calls._SEEDS.code("raw.Abs(x=x)")) == "raw.Abs(x=x)"


def test_mutations_are_calls():
    chance = random.Random(os.environ.get("FUZZ_SEED", "0"))
    calls = {raw_calls.text(chance.randbytes(60)) for _ in range(CALLS)}
    assert len(calls) > CALLS * 0.6
    for call in calls:
        assert isinstance(ast.parse(call, mode="eval").body, ast.Call)


def test_valid_calls_stay_within_the_limits():
    for seed in raw_calls.run.seeds[::8]:
        raw_calls.run(seed)


def _wasteful_tensors():
    return tf.reduce_sum(tf.zeros([2**25]) + tf.constant(1.0))


def _wasteful_array():
    return float(np.zeros(2**25).sum() + np.ones(2**25).sum())


@pytest.mark.parametrize("function", [_wasteful_tensors, _wasteful_array])
def test_much_memory_for_a_small_result_is_a_finding(function):
    with pytest.raises(limits.Excess, match="here took .* MB") as error:
        limits.within("here", function)
    assert error.value.place == "here"
    large = limits.within("here", lambda: tf.zeros([2**25]) + tf.constant(1.0))
    assert large.shape == [2**25]


def test_what_the_process_had_before_does_not_hide_memory():
    np.ones(2**27)
    with pytest.raises(limits.Excess, match="here took .* MB"):
        limits.within("here", _wasteful_array)


def test_exceptions_pass():
    with pytest.raises(ZeroDivisionError):
        limits.within("here", lambda: 1 // 0)
