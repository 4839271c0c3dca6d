"""Truncated normal values."""

from __future__ import annotations

import pytest

import eagerflow as tf


def test_bounds_between_which_there_is_no_number():
    """Every draw would be rejected, for ever."""
    with pytest.raises(tf.errors.InternalError, match="failed to accept a sample"):
        tf.random.stateless_parameterized_truncated_normal(
            [3], seed=[1, 2], minvals=1e30, maxvals=1.1e30
        )
