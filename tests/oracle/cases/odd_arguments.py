"""Arguments at the border of what functions take: wrong kinds of flags, counts and axes."""

from oracle.registry import case, errors

errors(
    "odd_arguments",
    "refused",
    {
        "roll by a float": (lambda tf: tf.roll([1, 2], 1.0, 0), ["int32, int64|int32 or int64"]),
        "roll by a matrix": (lambda tf: tf.roll([1, 2], [[1]], 0), ["shift", "[1,1]|(1, 1)"]),
        "where of a scalar": (lambda tf: tf.where(True), ["Where"]),
        "cumsum exclusive": (lambda tf: tf.cumsum([1, 2], 0, 1), ["exclusive", "bool"]),
        "cumsum exclusive tensor": (
            lambda tf: tf.cumsum([1, 2], 0, tf.constant([1.0])),
            ["exclusive", "bool"],
        ),
        "inv adjoint": (lambda tf: tf.linalg.inv([[1.0]], 1), ["adjoint", "bool"]),
        "encode_base64 pad": (lambda tf: tf.io.encode_base64("a", pad=3), ["pad", "bool"]),
        "unique to floats": (
            lambda tf: tf.unique([1, 2], tf.float32),
            ["out_idx", "int32, int64|int32 or int64"],
        ),
        "unravel nothing": (
            lambda tf: tf.unravel_index(tf.zeros([0], tf.int32), [2, 3]),
            ["empty", "indices"],
        ),
        "negative batch size": (
            lambda tf: tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=-1),
            ["global_batch_size", "non-negative"],
        ),
        "window of float length": (lambda tf: tf.signal.hann_window(4.0), ["int32"]),
        "window of int64 length": (
            lambda tf: tf.signal.hann_window(tf.constant(4, tf.int64)),
            ["int32", "int64"],
        ),
        "odd half frames": (lambda tf: tf.signal.inverse_mdct(tf.ones([2, 3])), ["3"]),
        "poisson of bytes": (
            lambda tf: tf.random.poisson([], tf.constant([1], tf.uint8)),
            ["uint8", "half|float16"],
        ),
        "indicator of float size": (
            lambda tf: tf.sparse.to_indicator(tf.sparse.from_dense([[1]]), 2.0),
            ["vocab_size", "int", "float"],
        ),
        "separator of a cross": (
            lambda tf: tf.sparse.cross([tf.constant([["a"]])], None, 3),
            ["string"],
        ),
        "joined ragged numbers": (
            lambda tf: tf.strings.reduce_join(tf.ragged.constant([[1, 2]])),
            ["string", "int32"],
        ),
        "rates of a WAV file": (lambda tf: tf.audio.encode_wav([[0.0]], [3, 3]), ["sample"]),
        "float indices shuffled": (
            lambda tf: tf.random_index_shuffle(1.0, [1, 2, 3], 3),
            ["int32", "uint64"],
        ),
        "float segments": (
            lambda tf: tf.math.unsorted_segment_max([1.0, 2.0], [0.0, 1.0], 2),
            ["int32", "int64", "float"],
        ),
        "float segments of products": (
            lambda tf: tf.math.unsorted_segment_prod([1.0, 2.0], [0.0, 1.0], 2),
            ["int32", "int64", "float"],
        ),
        "endless masks": (lambda tf: tf.sequence_mask([1.5, float("inf")]), ["Range"]),
        "masks of NaN": (lambda tf: tf.sequence_mask([float("nan")]), ["nan"]),
        "no permutation": (lambda tf: tf.linalg.lu_reconstruct([[1.0, 2], [3, 4]], [1, 1]), []),
        "too many partitions": (
            lambda tf: tf.dynamic_partition([1.0], [0], 2**64),
            ["too big|out-of-range"],
        ),
        "blocks of another rank": (
            lambda tf: tf.required_space_to_batch_paddings([5, 6], [2]),
            ["(2,)"],
        ),
        "eigenvalues of NaN": (lambda tf: tf.linalg.eigvalsh([[float("nan"), 1], [3, 4]]), []),
        "saturated booleans": (lambda tf: tf.saturate_cast([1.0, 2.0], tf.bool), []),
    },
)

NAN = float("nan")
TAKEN = {
    "variables are no tensors": lambda tf: tf.debugging.is_numeric_tensor(tf.Variable(1.0)),
    "one hot of nothing": lambda tf: tf.one_hot([], 3),
    "paddings of no blocks": lambda tf: tf.required_space_to_batch_paddings([0, -2], []),
    "isotonic scalar": lambda tf: tf.nn.isotonic_regression(3.0),
    "isotonic nothing": lambda tf: tf.nn.isotonic_regression(tf.zeros([0])),
    "isotonic empty rows": lambda tf: tf.nn.isotonic_regression(tf.zeros([3, 0])),
    "unique labels of nothing": lambda tf: tf.nn.ctc_unique_labels(tf.zeros([0], tf.int32)),
    "slogdet of NaN": lambda tf: tf.linalg.slogdet([[1.0, NAN], [3, 4]]),
    "eigenvalues beside NaN": lambda tf: tf.linalg.eigvalsh([[1.0, NAN], [3, 4]]),
    "search rows by vector": lambda tf: tf.searchsorted([[1.0, 2, 3]], [2.0, 3]),
    "search a vector by rows": lambda tf: tf.searchsorted([1.0, 2, 3], [[2.0, 3]]),
    "sparse bessel": lambda tf: tf.math.bessel_i0e(tf.SparseTensor([[0, 1]], [0.5], [1, 2])).values,
    "fingerprints of single strings": lambda tf: tf.fingerprint([["ab"], ["c"]]),
    "fingerprints of rows": lambda tf: tf.fingerprint([["ab", "c"]]),
}


@case(call=TAKEN)
def taken(tf, call):
    return call(tf)
