"""Lookup tables, sets, sparse sequences, initializers and checks."""

from oracle.inputs import gradient, tensor
from oracle.registry import case, errors


def plain(value):
    """Sparse and ragged tensors as their parts, others as they are."""
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "dense_shape"):
        return [value.indices, value.values, value.dense_shape]
    if hasattr(value, "nested_row_splits"):
        return [value.flat_values, *value.nested_row_splits]
    return value


def words(tf):
    return tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))


@case
def static_table(tf):
    table = tf.lookup.StaticHashTable(words(tf), -1)
    numbers = tf.lookup.KeyValueTensorInitializer(tf.constant([3, 4], tf.int64), ["x", "y"])
    return plain(
        [
            table.lookup(tf.constant(["a", "z"])),
            table[tf.constant("b")],
            table.size(),
            table.key_dtype,
            table.value_dtype,
            table.default_value,
            table.lookup(tf.SparseTensor([[0, 1]], ["b"], [1, 2])),
            table.lookup(tf.ragged.constant([["a"], ["b", "q"]])),
            tf.lookup.StaticHashTable(numbers, "?").lookup(tf.constant([[4, 5]], tf.int64)),
        ]
    )


@case(buckets=(1, 3))
def vocabulary(tf, buckets):
    first = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    numbers = tf.lookup.KeyValueTensorInitializer(
        tf.constant([5, 6], tf.int64), tf.constant([0, 1], tf.int64)
    )
    table = tf.lookup.StaticVocabularyTable(first, buckets)
    keys = tf.constant([5, 77, 123])
    return [
        table.lookup(tf.constant(["a", "b", "q", "hello", ""])),
        table.size(),
        tf.lookup.StaticVocabularyTable(None, buckets, tf.string).lookup(tf.constant(["a", "b"])),
        tf.lookup.StaticVocabularyTable(numbers, buckets).lookup(tf.cast(keys, tf.int64)),
        tf.lookup.StaticVocabularyTable(numbers, buckets, tf.int32).lookup(keys),
    ]


@case
def mutable_table(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b"], [1, 2])
    table.insert([["a"]], [[7]])
    vectors = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    vectors.insert([1, 2], [[1.0, 2.0], [3.0, 4.0]])
    found = [table.lookup(tf.constant(["a", "z"])), table.size()]
    table.remove(tf.constant(["a", "q"]))
    return [
        found,
        table.size(),
        table[tf.constant(["a", "b"])],
        list(table.export()),
        vectors.lookup(tf.constant([[1], [9]], tf.int64)),
        vectors.lookup(tf.constant([9], tf.int64), dynamic_default_values=[[7.0, 7.0]]),
    ]


@case
def dense_table(tf):
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1
    )
    table.insert([1, 2], [10, 20])
    found = [table.lookup(tf.constant([1, 5], tf.int64)), table.size()]
    table.erase(tf.constant([1], tf.int64))
    return [found, table.lookup(tf.constant([1, 2], tf.int64)), table.size()]


def sparse_pair(tf):
    a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 1, 2], [2, 2])
    return a, tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 5, 2], [2, 2])


@case
def sets(tf):
    a, b = sparse_pair(tf)
    dense, other = tf.constant([[1, 2], [3, 4]]), tf.constant([[2, 2], [5, 6]])
    text = tf.constant([[["a", "b"]]]), tf.constant([[["b", "c"]]])
    return plain(
        [
            tf.sets.intersection(a, b),
            tf.sets.union(a, b),
            tf.sets.difference(a, b),
            tf.sets.difference(a, b, aminusb=False),
            tf.sets.size(a),
            tf.sets.intersection(dense, other),
            tf.sets.union(dense, b),
            tf.sets.union(*text),
        ]
    )


@case(normalize=(True, False))
def edit_distance(tf, normalize):
    a = tf.SparseTensor([[0, 0], [1, 0], [3, 0], [3, 1], [3, 2]], ["a", "b", "k", "i", "t"], [4, 3])
    b = tf.SparseTensor([[1, 0], [1, 1], [2, 0], [3, 0], [3, 1]], ["a", "c", "d", "s", "i"], [4, 3])
    return tf.edit_distance(a, b, normalize)


COMBINERS = ("mean", "sum", "sqrtn")


@case(loose=10, combiner=COMBINERS, weighted=(False, True), norm=(None, 1.0))
def embedding_sparse(tf, combiner, weighted, norm):
    places = [[0, 0], [0, 1], [2, 0], [2, 3]]
    ids = tf.SparseTensor(places, tf.constant([1, 0, 2, 1], tf.int64), [4, 4])
    weights = tf.SparseTensor(places, [0.5, 2.0, 1.5, -1.0], [4, 4]) if weighted else None

    def lookup(table):
        return tf.nn.embedding_lookup_sparse(table, ids, weights, combiner, norm)

    return gradient(tf, lookup, tensor(tf, (5, 3)))


@case(loose=10, combiner=COMBINERS, weighted=(False, True), default=(None, 3))
def safe_embedding(tf, combiner, weighted, default):
    places = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1]]
    ids = tf.SparseTensor(places, tf.constant([1, -1, 2, 1], tf.int64), [2, 2, 2])
    weights = tf.SparseTensor(places, [0.5, 2.0, -1.5, 1.0], [2, 2, 2]) if weighted else None

    def lookup(table):
        return tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner, default)

    return gradient(tf, lookup, tensor(tf, (5, 3)))


@case(merge=(True, False), blank=(None, 0))
def greedy_decoder(tf, merge, blank):
    logits = tensor(tf, (6, 3, 4))
    decoded, sums = tf.nn.ctc_greedy_decoder(logits, [6, 4, 0], merge, blank)
    return plain(decoded), sums


@case(loose=50, width=(3, 20), paths=(1, 3))
def beam_search(tf, width, paths):
    logits = tensor(tf, (6, 3, 4))
    decoded, logarithms = tf.nn.ctc_beam_search_decoder(logits, [6, 4, 5], width, paths)
    return plain(decoded), logarithms


@case(loose=50, blank=(0, -1))
def sparse_ctc_loss(tf, blank):
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 2], [2, 2])

    def loss(logits):
        return tf.nn.ctc_loss(labels, logits, None, [5, 4], blank_index=blank)

    return gradient(tf, loss, tensor(tf, (5, 2, 4)))


@case(dtype=("float32", "float64"))
def initializers(tf, dtype):
    kind = tf.as_dtype(dtype)
    return [
        tf.zeros_initializer()([2, 3], kind),
        tf.ones_initializer()([2], kind),
        tf.constant_initializer([1, 2, 3])([3], kind),
        tf.constant_initializer(5)([2, 2]),
        tf.random_normal_initializer(seed=4)([2, 3], kind),
        tf.random_uniform_initializer(-1, 2, seed=4)([2, 3], kind),
        tf.random_normal_initializer(1.0, 2.0, 3).get_config(),
    ]


@case
def drawn_initializers(tf):
    tf.random.set_seed(3)
    return [tf.random_normal_initializer()([3]), tf.random_uniform_initializer()([3])]


@case
def ragged_rows(tf):
    filled = tf.ragged_fill_empty_rows([0, 0, 2], [1, 2, 3], 4, -1)
    return [list(filled), list(tf.ragged_fill_empty_rows_grad([0, 1, 3], [1.0, 2.0, 3.0, 4.0]))]


@case
def variable_creators(tf):
    def doubled(next_creator, **kwargs):
        kwargs["initial_value"] = kwargs["initial_value"] * 2
        return next_creator(**kwargs)

    def added(next_creator, **kwargs):
        kwargs["initial_value"] = kwargs["initial_value"] + 1
        return next_creator(**kwargs)

    with tf.variable_creator_scope(doubled), tf.variable_creator_scope(added):
        return tf.Variable(3.0, trainable=False) + 0


@case
def quantized_names(tf):
    return [
        [kind.name, kind.size, kind.is_quantized, kind.is_integer, kind.as_datatype_enum]
        for kind in (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32)
    ]


def _checked(tf, function):
    tf.debugging.enable_check_numerics()
    try:
        return function()
    finally:
        tf.debugging.disable_check_numerics()


errors(
    "tables",
    "wrong",
    {
        "keys": (
            lambda tf: tf.lookup.StaticHashTable(words(tf), -1).lookup(tf.constant([1])),
            ["string"],
        ),
        "two values": (
            lambda tf: tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), -1
            ),
            ["Key a has 1"],
        ),
        "lengths": (
            lambda tf: tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a", "b"], [1]), -1
            ),
            ["Expected shape [2]"],
        ),
        "default": (lambda tf: tf.lookup.StaticHashTable(words(tf), "x"), []),
        "vocabulary dtype": (
            lambda tf: tf.lookup.StaticVocabularyTable(
                tf.lookup.KeyValueTensorInitializer(["a"], [0]), 1
            ),
            ["value_dtype"],
        ),
        "no buckets": (
            lambda tf: tf.lookup.StaticVocabularyTable(words(tf), 0),
            ["num_oov_buckets"],
        ),
        "no file": (
            lambda tf: tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer("/nowhere.txt", tf.string, 0, tf.int64, 1), -1
            ),
            ["nowhere.txt"],
        ),
        "set types": (lambda tf: tf.sets.union([[1]], [[1.0]]), ["match"]),
        "set rank": (lambda tf: tf.sets.union([1], [2]), ["rank 1"]),
        "set size": (lambda tf: tf.sets.size(tf.constant([[1]])), ["SparseTensor"]),
        "distance": (lambda tf: tf.edit_distance(tf.constant(1), 2), ["SparseTensor"]),
        "combiner": (
            lambda tf: tf.nn.embedding_lookup_sparse(
                [[1.0]], tf.SparseTensor([[0, 0]], [0], [1, 1]), None, "max"
            ),
            ["combiner"],
        ),
        "ids": (lambda tf: tf.nn.embedding_lookup_sparse([[1.0]], tf.constant([0]), None), []),
        "numerics": (
            lambda tf: _checked(tf, lambda: tf.math.log(tf.constant([0.0]))),
            ["output 0", "Log", "-Inf"],
        ),
        "numerics of two": (
            lambda tf: _checked(tf, lambda: tf.constant([0.0, 1.0]) / tf.constant([0.0, 0.0])),
            ["output 0", "NaN"],
        ),
        "pinned": (lambda tf: tf.check_pinned(tf.constant(1)), ["pinned"]),
        "gradient name": (lambda tf: tf.no_gradient(3), ["string"]),
    },
)


def _counted(tf, form, dtype):
    """Small integers of a form, and weights of the same form."""
    numbers, weights = [[1, 2, 2], [0, 0, 3]], [[1.0, 2.0, 3.0], [0.5, 0.0, 4.0]]
    if form == "ragged":
        lengths = tf.constant([2, 0, 3], tf.int64)
        flat = [tf.constant([1, 2, 2, 0, 3], dtype), tf.constant([1.0, 2.0, 3.0, 0.5, 4.0])]
        return [tf.RaggedTensor.from_row_lengths(part, lengths) for part in flat]
    dense = [tf.constant(numbers, dtype), tf.constant(weights)]
    if form == "dense":
        return dense
    places = [[0, 0], [0, 1], [0, 2], [1, 2]]
    return [tf.SparseTensor(places, tf.gather_nd(part, places), [2, 3]) for part in dense]


@case(
    form=("dense", "sparse", "ragged"),
    dtype=("int32", "int64"),
    axis=(None, 0, -1),
    how=("plain", "weights", "binary"),
)
def bincounts(tf, form, dtype, axis, how):
    numbers, weights = _counted(tf, form, dtype)
    weights = weights if how == "weights" else None
    options = {"axis": axis, "binary_output": how == "binary"}
    found = [tf.sparse.bincount(numbers, weights, **options)]
    if form == "dense":
        found.append(tf.math.bincount(numbers, weights, **options))
    return plain(found)


@case(limits=((None, 4), (3, None), (10, None), (3, 4), (8, 4), (None, 20)))
def bincount_lengths(tf, limits):
    least, most = limits
    numbers = tf.constant([1, 5, 5, 2])
    return plain(
        [
            tf.sparse.bincount(numbers, minlength=least, maxlength=most),
            tf.math.bincount(numbers, minlength=least, maxlength=most),
        ]
    )


errors(
    "tables",
    "bincounts",
    {
        "values": (lambda tf: tf.math.bincount(tf.constant([1], tf.int16)), ["int16"]),
        "dtype": (lambda tf: tf.math.bincount([1], dtype=tf.int8), ["int8"]),
        "binary weights": (
            lambda tf: tf.math.bincount([1], [1.0], binary_output=True),
            ["binary_output"],
        ),
        "sparse values": (lambda tf: tf.sparse.bincount([1.5]), ["float"]),
    },
)
