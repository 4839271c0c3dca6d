"""Sets in the last axis against Python's."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "string"])
@pytest.mark.parametrize("shape", [(4, 3, 5), (6, 9), (0, 3), (5, 0)])
def test_sets(dtype, shape):
    chance = np.random.RandomState(6)
    a = chance.randint(0, 7, shape)
    b = chance.randint(0, 7, (*shape[:-1], 4))
    for function, combine in (
        (tf.sets.intersection, set.intersection),
        (tf.sets.union, set.union),
        (tf.sets.difference, set.difference),
    ):
        kind = str if dtype == "string" else dtype
        result = function(tf.constant(a.astype(kind), dtype), tf.constant(b.astype(kind), dtype))
        rows = [item.reshape(-1, item.shape[-1]) if item.size else item for item in (a, b)]
        pairs = zip(rows[0].tolist(), rows[1].tolist(), strict=True)
        wanted = [sorted(combine(set(x), set(y))) for x, y in pairs]
        found = [int(item) for item in result.values.numpy().tolist()]
        assert found == [item for row in wanted for item in row]
        assert result.shape[-1] == max(map(len, wanted), default=0)
        lengths = [len(row) for row in wanted]
        assert tf.sets.size(result).numpy().reshape(-1).tolist() == lengths
