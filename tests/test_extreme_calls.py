"""Calls with extreme arguments: a sample of `extreme_calls.py`, and calls that cost more than results do."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import eagerflow as tf
import extreme_calls

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's measures of memory")

# Families of cases that take seconds, and have calls of most operations.
FAMILIES = ("raw_ops", "strings", "sparse", "ragged", "special")
STEP = 29  # a prime, so that all kinds of mutations are drawn

HUGE = 2**62
IMAGE = tf.ones([1, 4, 4, 1])
WORDS = tf.constant(["a", "b"])
CELL = (
    [tf.constant([[0, 0]], tf.int64)],
    [tf.constant(["a"])],
    [tf.constant([2**40, 2], tf.int64)],
)


def doubled(times: int) -> Any:
    """A vector that a function doubles so often."""

    @tf.function
    def run(x: tf.Tensor) -> tf.Tensor:
        for _ in range(times):
            x = tf.concat([x, x], 0)
        return x

    return run(tf.ones([1]))


def sets_of_rows(rows: int) -> Any:
    cells = tf.SparseTensor([[0, 0], [3, 1]], [1, 2], [rows, 2])
    return tf.sets.intersection(cells, cells).values


def test_sample_of_mutations() -> None:
    calls = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in extreme_calls.seeds(1, FAMILIES).values():
            calls.append(list(itertools.chain.from_iterable(map(extreme_calls.mutations, found))))
    every = itertools.chain.from_iterable(calls)
    findings = extreme_calls.check(list(itertools.islice(every, 0, None, STEP)))
    assert not [f"{what}: {call}" for call, what in findings]


REFUSED: dict[str, Callable[[], Any]] = {
    "segments": lambda: tf.strings.unsorted_segment_join(WORDS, [0, 1], tf.constant(HUGE)),
    "runs of words": lambda: tf.raw_ops.StringNGrams(
        data=WORDS, data_splits=[0, 2], separator=" ", ngram_widths=[2**31 - 1], left_pad="x",
        right_pad="y", pad_width=-1, preserve_short_sequences=False,
    ),
    "width of numbers": lambda: tf.strings.as_string([1.0], width=2**30),
    "precision of numbers": lambda: tf.strings.as_string([1.0], precision=2**31 - 1),
    "array": lambda: tf.TensorArray(tf.float32, 2**31 - 1),
    "element of an array": lambda: tf.TensorArray(tf.float32, 0, dynamic_size=True).write(2**31, 1.0),
    "doubled": lambda: doubled(45),
    "serialized rows": lambda: tf.io.serialize_many_sparse(
        tf.SparseTensor([[0, 0]], [1], [2**40, 2])
    ),
    "empty rows": lambda: tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1]], [1], [2**36, 3]), 0),
    "more coefficients than filters": lambda: tf.raw_ops.Mfcc(
        spectrogram=tf.ones([1, 2, 129]), sample_rate=16000, filterbank_channel_count=20,
        dct_coefficient_count=2**20,
    ),
    "windows of an adaptive pooling": lambda: tf.keras.ops.adaptive_max_pool(
        tf.ones([1, 4, 1]), 2**45
    ),
    "unlikely classes": lambda: tf.random.fixed_unigram_candidate_sampler(
        [[1]], 1, 3, True, 3, unigrams=[1e30, 1.0, 1.0]
    ),
    "unknown class": lambda: tf.random.log_uniform_candidate_sampler([[-1]], 1, 2, True, 3),
    "bytes of a place": lambda: tf.raw_ops.UpperBound(
        sorted_inputs=[[1.0, 2.0]], values=[[1.5] * 100], out_type=tf.int8
    ),
    "text of a place": lambda: tf.raw_ops.UpperBound(
        sorted_inputs=[[1.0, 2.0]], values=[[1.5]], out_type=tf.string
    ),
    "strides": lambda: tf.extract_volume_patches(
        tf.ones([1, 4, 4, 4, 1]), [1, 2, 2, 2, 1], [1, 0, 0, 0, 1], "VALID"
    ),
    "size of an image": lambda: tf.raw_ops.SampleDistortedBoundingBoxV2(
        image_size=tf.constant([HUGE] * 3), bounding_boxes=[[[0.0, 0.0, 1.0, 1.0]]],
        min_object_covered=0.1,
    ),
    "scale of an image": lambda: tf.raw_ops.ScaleAndTranslate(
        images=IMAGE, size=[2], scale=[1.0, 1.0], translation=[0.0, 0.0]
    ),
}  # fmt: skip

ANSWERED: dict[str, Callable[[], Any]] = {
    "crossed rows": lambda: tf.raw_ops.SparseCrossV2(
        indices=CELL[0], values=CELL[1], shapes=CELL[2], dense_inputs=[], sep="-"
    ),
    "sets of rows": lambda: sets_of_rows(2**40),
    "padded words": lambda: tf.strings.ngrams(WORDS, 2, " ", ("x", "y"), 2**31 - 2),
    "mean of a large window": lambda: tf.nn.avg_pool2d(IMAGE, 2**31 - 1, 1, "SAME"),
    "maximum of a large window": lambda: tf.nn.max_pool2d(IMAGE, 2**31 - 1, 1, "SAME"),
    "maximum of a volume": lambda: tf.nn.max_pool3d(
        tf.ones([1, 4, 4, 4, 1]), 2**31 - 1, 1, "SAME"
    ),
    "dilated window": lambda: tf.nn.dilation2d(
        IMAGE, tf.ones([3, 3, 1]), [1] * 4, "SAME", "NHWC", [1, 2**29, 2**29, 1]
    ),
    "many filters": lambda: tf.raw_ops.Mfcc(
        spectrogram=tf.ones([1, 2, 129]), sample_rate=16000, filterbank_channel_count=2**18
    ),
    "long window": lambda: tf.raw_ops.AudioSpectrogram(
        input=tf.ones([30, 2]), window_size=2**31 - 1, stride=4
    ),
    "late point": lambda: tf.math.sobol_sample(2, 3, 2**31 - 5),
    "flags of many": lambda: tf.math.count_nonzero(tf.zeros([3 * 2**24], tf.int8)),
}  # fmt: skip


@pytest.mark.parametrize("name", [*REFUSED, *ANSWERED])
def test_cost_is_that_of_the_result(name: str) -> None:
    program = {**REFUSED, **ANSWERED}[name]
    seed = extreme_calls.Seed(name, program, (), {})
    [finding] = [*extreme_calls.check([extreme_calls.Mutation(seed, "", None, (), {})])] or [None]
    assert finding is None, finding
    if name in REFUSED:
        refusals = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)
        with pytest.raises(refusals, match=r"\w{3}"):
            program()


def test_kinds_of_attributes_are_checked() -> None:
    x = tf.ones([2, 3])
    with pytest.raises(TypeError, match="Expected string for argument 'mode' not None"):
        tf.raw_ops.MirrorPad(input=x, paddings=[[0, 0], [1, 1]], mode=None)
    with pytest.raises(TypeError, match="Expected bool for argument 'keep_dims' not 0"):
        tf.raw_ops.Sum(input=x, axis=0, keep_dims=0)
    with pytest.raises(TypeError, match="to EagerTensor of dtype resource"):
        tf.raw_ops.ReadVariableOp(resource="a", dtype=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="unable to set function value"):
        tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=None)


def test_windows_larger_than_the_image_pool_what_there_is() -> None:
    x = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
    for window in (5, 9, 2**31 - 1):
        for pool in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
            rows = pool(x, [window, 2], [1, 1], "SAME").numpy()
            expected = pool(x, [9, 2], [1, 1], "SAME").numpy()
            if window > 8:
                assert (rows == expected).all()
