"""tf.feature_column: what columns say of themselves, and what layers make of features."""

import numpy as np

from oracle.registry import case, errors


def columns(tf):
    """One column of every kind, by name."""
    make = tf.feature_column
    price = make.numeric_column("price")
    buckets = make.bucketized_column(price, [0.0, 10.0, 100.0])
    color = make.categorical_column_with_vocabulary_list("color", ["R", "G", "B"])
    tags = make.categorical_column_with_vocabulary_list("tags", ["a", "b", "c"])
    hashed = make.categorical_column_with_hash_bucket("tags", 5)
    crossed = make.crossed_column([buckets, "color"], 20)
    return {
        "numeric": price,
        "vector": make.numeric_column("v", (2,), (1.0, 2.0), tf.float64),
        "filled": make.numeric_column("v", [2, 2], 1, tf.int64),
        "normalized": make.numeric_column("v", 2, normalizer_fn=lambda x: (x - 1) / 2),
        "bucketized": buckets,
        "bucketized_vector": make.bucketized_column(make.numeric_column("v", (2,)), [2.0, 5.0]),
        "listed": color,
        "listed_oov": make.categorical_column_with_vocabulary_list(
            "color", ["R", "G"], num_oov_buckets=3
        ),
        "listed_default": make.categorical_column_with_vocabulary_list(
            "color", ["R", "G", "B"], default_value=1
        ),
        "listed_integers": make.categorical_column_with_vocabulary_list("n", [3, 4]),
        "listed_integers_oov": make.categorical_column_with_vocabulary_list(
            "n", [3, 4], num_oov_buckets=4
        ),
        "identity": make.categorical_column_with_identity("id", 3),
        "identity_default": make.categorical_column_with_identity("id", 3, 0),
        "hashed": hashed,
        "hashed_integers": make.categorical_column_with_hash_bucket("n", 5, tf.int32),
        "crossed": crossed,
        "crossed_twice": make.crossed_column([crossed, "n"], 20, hash_key=5),
        "crossed_names": make.crossed_column(["tags", "color"], 20),
        "crossed_listed": make.crossed_column([color, "n"], 20),
        "crossed_floats": make.crossed_column(["price", "n"], 20),
        "weighted": make.weighted_categorical_column(tags, "w"),
        "indicator": make.indicator_column(tags),
        "embedding": make.embedding_column(
            hashed, 3, "sqrtn", tf.keras.initializers.Constant(0.5), max_norm=1.0, trainable=False
        ),
        "sequence_identity": make.sequence_categorical_column_with_identity("si", 4),
        "sequence_hashed": make.sequence_categorical_column_with_hash_bucket("sv", 4),
        "sequence_listed": make.sequence_categorical_column_with_vocabulary_list("sv", ["a", "b"]),
        "sequence_numeric": make.sequence_numeric_column("sn", (2,), 1.0),
    }


NAMES = (
    "numeric vector filled normalized bucketized bucketized_vector listed listed_oov "
    "listed_default listed_integers listed_integers_oov identity identity_default hashed "
    "hashed_integers crossed crossed_twice crossed_names crossed_listed crossed_floats weighted "
    "indicator embedding sequence_identity sequence_hashed sequence_listed sequence_numeric"
).split()
CATEGORIES = [n for n in NAMES[6:] if n not in ("indicator", "embedding") and "sequence" not in n]
DENSE = ["numeric", "vector", "normalized", "bucketized", "bucketized_vector", "indicator"]


def features(tf):
    return {
        "price": tf.constant([[1.0], [5.0], [50.0], [500.0]]),
        "v": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]),
        "color": tf.constant([["R"], ["G"], ["X"], [""]]),
        "n": tf.constant([3, 3, 4, 5]),
        "id": tf.constant([[0], [4], [1], [2]], tf.int64),
        "tags": tf.sparse.from_dense([["a", "b", "c"], ["x", "", ""], [""] * 3, ["b", "", "a"]]),
        "w": tf.SparseTensor(
            [[0, 0], [0, 1], [0, 2], [1, 0], [3, 0], [3, 2]],
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            [4, 3],
        ),
    }


def ramp(tf):
    return lambda shape, dtype=None, **_: tf.reshape(tf.range(float(np.prod(shape))), shape)


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


@case(name=NAMES)
def described(tf, name):
    column = columns(tf)[name]
    inner = getattr(column, "normalizer_fn", None)
    text = "" if name == "embedding" or inner is not None else repr(column)
    spec = {key: repr(value) for key, value in column.parse_example_spec.items()}
    shape = getattr(column, "variable_shape", None)
    buckets = getattr(column, "num_buckets", None)
    return [
        text,
        column.name,
        spec,
        None if shape is None else shape.as_list(),
        buckets,
        [p if isinstance(p, str) else p.name for p in column.parents],
        plain(column.get_config()),
    ]


@case(name=[name for name in NAMES if name not in ("normalized", "embedding")])
def restored(tf, name):
    column = columns(tf)[name]
    return type(column).from_config(column.get_config()) == column


@case(name=DENSE)
def dense(tf, name):
    return tf.keras.layers.DenseFeatures([columns(tf)[name]])(features(tf))


@case(name=CATEGORIES)
def indicated(tf, name):
    column = tf.feature_column.indicator_column(columns(tf)[name])
    return tf.keras.layers.DenseFeatures(column)(features(tf))


@case(name=("weighted", "hashed", "crossed_names"), combiner=("mean", "sum", "sqrtn"))
def embedded(tf, name, combiner):
    column = tf.feature_column.embedding_column(
        columns(tf)[name], 2, combiner, initializer=ramp(tf)
    )
    layer = tf.keras.layers.DenseFeatures([column])
    with tf.GradientTape() as tape:
        vectors = layer(features(tf))
        loss = tf.reduce_sum(vectors * vectors)
    gradient = tape.gradient(loss, layer.weights[0])
    return [vectors, tf.convert_to_tensor(gradient), layer.weights[0].name.partition("/")[2]]


@case
def embedded_with_limits(tf):
    make = tf.feature_column
    hashed = columns(tf)["hashed"]
    short = make.embedding_column(hashed, 2, initializer=ramp(tf), max_norm=2.0)
    unsafe = make.embedding_column(hashed, 2, initializer=ramp(tf), use_safe_embedding_lookup=False)
    return [tf.keras.layers.DenseFeatures([c])(features(tf)) for c in (short, unsafe)]


@case
def embedded_at_random(tf):
    tf.random.set_seed(5)
    column = tf.feature_column.embedding_column(columns(tf)["hashed"], 3)
    layer = tf.keras.layers.DenseFeatures([column])
    layer(features(tf))
    return [layer.weights[0], plain(column.initializer.get_config())]


@case
def several(tf):
    made = columns(tf)
    embedding = tf.feature_column.embedding_column(made["weighted"], 2, initializer=ramp(tf))
    listed = tf.feature_column.indicator_column(made["listed"])
    layer = tf.keras.layers.DenseFeatures([made["numeric"], made["bucketized"], embedding, listed])
    parts = {}
    whole = layer(features(tf), cols_to_output_tensors=parts)
    return [
        whole,
        {column.name: part for column, part in parts.items()},
        layer.compute_output_shape((None,)),
        [
            column["class_name"]
            for column in tf.keras.layers.DenseFeatures([made["numeric"], listed]).get_config()[
                "feature_columns"
            ]
        ],
    ]


@case
def from_config(tf):
    made = columns(tf)
    layer = tf.keras.layers.DenseFeatures(
        [made["numeric"], made["embedding"], tf.feature_column.indicator_column(made["crossed"])]
    )
    return type(layer).from_config(layer.get_config())(features(tf))


@case
def parsed(tf):
    made = columns(tf)
    chosen = [made[name] for name in ("numeric", "bucketized", "listed", "crossed", "weighted")]
    spec = tf.feature_column.make_parse_example_spec(chosen)
    train = tf.train
    example = train.Example(
        features=train.Features(
            feature={
                "price": train.Feature(float_list=train.FloatList(value=[5.0])),
                "color": train.Feature(bytes_list=train.BytesList(value=[b"G"])),
                "tags": train.Feature(bytes_list=train.BytesList(value=[b"a", b"c"])),
                "w": train.Feature(float_list=train.FloatList(value=[2.0, 3.0])),
            }
        )
    )
    batch = tf.io.parse_example(tf.constant([example.SerializeToString()]), spec)
    wanted = [
        made["numeric"],
        made["bucketized"],
        *(tf.feature_column.indicator_column(made[n]) for n in ("listed", "crossed", "weighted")),
    ]
    return [
        {key: repr(value) for key, value in spec.items()},
        tf.keras.layers.DenseFeatures(wanted)(batch),
    ]


def sequences(tf):
    return {
        "si": tf.sparse.from_dense([[1, 2, 3], [2, 0, 0]]),
        "sv": tf.sparse.from_dense([["a", "b", ""], ["z", "", "a"]]),
        "sn": tf.SparseTensor([[0, 0], [0, 1], [0, 2], [0, 3], [1, 0]], [1.0, 2, 3, 4, 5], [2, 4]),
        "dense": tf.constant([[1, 2], [3, 0]]),
    }


@case(name=("sequence_identity", "sequence_hashed", "sequence_listed"), kind=("ind", "emb"))
def sequence(tf, name, kind):
    make = tf.feature_column
    column = columns(tf)[name]
    wrapped = (
        make.indicator_column(column)
        if kind == "ind"
        else make.embedding_column(column, 2, initializer=ramp(tf))
    )
    return list(tf.keras.experimental.SequenceFeatures([wrapped])(sequences(tf)))


@case
def sequence_numbers(tf):
    make = tf.feature_column
    chosen = [
        columns(tf)["sequence_numeric"],
        make.sequence_numeric_column("sn"),
        make.sequence_numeric_column("sn", default_value=9.0, normalizer_fn=lambda x: x * 2),
        make.indicator_column(make.sequence_categorical_column_with_identity("dense", 4)),
    ]
    return [list(tf.keras.experimental.SequenceFeatures([c])(sequences(tf))) for c in chosen]


@case
def version_1(tf):
    v1 = tf.compat.v1
    made = columns(tf)
    color, price, buckets = made["listed"], made["numeric"], made["bucketized"]
    tags = made["weighted"].categorical_column
    graph = tf.Graph()
    with graph.as_default():
        given = {
            "price": tf.constant([[1.0], [5.0]]),
            "color": tf.constant([["R"], ["G"]]),
            "tags": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "c", "b"], [2, 2]),
        }
        make = v1.feature_column
        embedding = make.embedding_column(tags, 2, initializer=ramp(tf))
        owned, parts, weights = {}, {}, {}
        layer = make.input_layer(
            given,
            [price, buckets, make.indicator_column(color), embedding],
            cols_to_vars=owned,
            cols_to_output_tensors=parts,
        )
        linear = make.linear_model(given, [price, buckets, color, tags], cols_to_vars=weights)
        mean = make.linear_model(given, [tags], units=3, sparse_combiner="mean")
        shared = make.input_layer(
            given, make.shared_embedding_columns([tags, color], 2, initializer=ramp(tf))
        )
        newer = tf.feature_column.shared_embeddings([tags, color], 2, initializer=ramp(tf))
        again = tf.keras.layers.DenseFeatures(newer)(given)
        names = [v.name for v in v1.global_variables()]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(v1.tables_initializer())
            for variable in v1.global_variables():
                if "linear_model" in variable.name:
                    session.run(variable.assign(tf.ones_like(variable) * 0.5))
            values = session.run([layer, linear, mean, shared, again])
    return [
        values,
        names,
        {column.name: [v.name for v in list(found)] for column, found in owned.items()},
        {column.name: part.shape.as_list() for column, part in parts.items()},
        sorted(getattr(column, "name", column) for column in weights),
        [column.name for column in newer],
        [column.variable_shape.as_list() for column in newer],
    ]


@case
def version_1_eagerly(tf):
    make = tf.compat.v1.feature_column
    made = columns(tf)
    embedding = make.embedding_column(made["hashed"], 2, initializer=ramp(tf))
    return [
        make.input_layer(features(tf), [made["numeric"], made["bucketized"], embedding]),
        make.linear_model(features(tf), [made["numeric"], made["listed"]], units=2),
    ]


def _make(name, *args, **kwargs):
    return lambda tf: getattr(tf.feature_column, name)(*args, **kwargs)


def _layer(build):
    return lambda tf: tf.keras.layers.DenseFeatures(build(tf))(features(tf))


_LIST = "categorical_column_with_vocabulary_list"
_FILE = "categorical_column_with_vocabulary_file"
errors(
    "feature_columns",
    "making",
    {
        "shape": (_make("numeric_column", "a", (0,)), ["greater than 0"]),
        "shape-kind": (_make("numeric_column", "a", ("x",)), ["must be integer"]),
        "default": (_make("numeric_column", "a", default_value="x"), ["compatible with dtype"]),
        "default-shape": (_make("numeric_column", "a", default_value=[1, 2]), ["equal to given"]),
        "default-dtype": (
            lambda tf: tf.feature_column.numeric_column("a", default_value=1.5, dtype=tf.int32),
            ["compatible with dtype"],
        ),
        "dtype": (
            lambda tf: tf.feature_column.numeric_column("a", dtype=tf.string),
            ["convertible to float"],
        ),
        "normalizer": (_make("numeric_column", "a", normalizer_fn=3), ["must be a callable"]),
        "key": (_make("numeric_column", 3), ["must be a string"]),
        "source": (_make("bucketized_column", "x", [1.0]), ["numeric_column()"]),
        "unsorted": (
            lambda tf: tf.feature_column.bucketized_column(columns(tf)["numeric"], [2.0, 1.0]),
            ["sorted list"],
        ),
        "no-boundaries": (
            lambda tf: tf.feature_column.bucketized_column(columns(tf)["numeric"], []),
            ["must not be empty"],
        ),
        "dimension": (
            lambda tf: tf.feature_column.embedding_column(columns(tf)["hashed"], 0),
            ["Invalid dimension 0"],
        ),
        "initializer": (
            lambda tf: tf.feature_column.embedding_column(columns(tf)["hashed"], 2, initializer=3),
            ["must be callable"],
        ),
        "checkpoint": (
            lambda tf: tf.feature_column.embedding_column(
                columns(tf)["hashed"], 2, ckpt_to_load_from="x"
            ),
            ["Must specify both"],
        ),
        "eager-sharing": (
            lambda tf: tf.feature_column.shared_embeddings([columns(tf)["hashed"]], 2),
            ["eager execution"],
        ),
        "no-buckets": (_make("categorical_column_with_hash_bucket", "a", 0), ["at least 1"]),
        "floats-hashed": (
            lambda tf: tf.feature_column.categorical_column_with_hash_bucket("a", 3, tf.float32),
            ["string or integer"],
        ),
        "empty-list": (_make(_LIST, "a", []), ["must be non-empty"]),
        "repeated": (_make(_LIST, "a", ["a", "a"]), ["Duplicate keys"]),
        "two-defaults": (_make(_LIST, "a", ["a"], None, 0, 1), ["both num_oov_buckets"]),
        "negative": (_make(_LIST, "a", ["a"], num_oov_buckets=-1), ["Invalid num_oov_buckets"]),
        "list-floats": (_make(_LIST, "a", [1.0, 2.0]), ["string or integer"]),
        "no-file": (_make(_FILE, "a", ""), ["Missing vocabulary_file"]),
        "lost-file": (_make(_FILE, "a", "no such file"), ["does not exist"]),
        "file-size": (_make(_FILE, "a", "x", 0), ["Invalid vocabulary_size"]),
        "identity-none": (_make("categorical_column_with_identity", "a", 0), ["< 1"]),
        "identity-default": (
            _make("categorical_column_with_identity", "a", 3, 3),
            ["not in range [0, 3)"],
        ),
        "cross-one": (_make("crossed_column", ["a"], 3), ["length > 1"]),
        "cross-buckets": (_make("crossed_column", ["a", "b"], 0), ["must be > 1"]),
        "cross-numbers": (
            lambda tf: tf.feature_column.crossed_column(["a", columns(tf)["numeric"]], 3),
            ["Unsupported key type"],
        ),
        "cross-hashed": (
            lambda tf: tf.feature_column.crossed_column(["a", columns(tf)["hashed"]], 3),
            ["not supported for crossing"],
        ),
        "weights": (
            lambda tf: tf.feature_column.weighted_categorical_column(
                columns(tf)["listed"], "w", tf.string
            ),
            ["not convertible to float"],
        ),
        "indicator": (
            lambda tf: tf.feature_column.indicator_column(columns(tf)["numeric"]),
            ["must be a CategoricalColumn"],
        ),
        "specs": (
            lambda tf: tf.feature_column.make_parse_example_spec(
                [columns(tf)["vector"], columns(tf)["filled"]]
            ),
            ["different parse_spec for key v"],
        ),
        "no-column": (_make("make_parse_example_spec", ["a"]), ["must be FeatureColumn"]),
    },
)
errors(
    "feature_columns",
    "calling",
    {
        "categorical": (_layer(lambda tf: [columns(tf)["listed"]]), ["wrap a categorical column"]),
        "string": (_layer(lambda tf: ["a"]), ["must be a FeatureColumn"]),
        "none": (_layer(lambda tf: []), ["must not be empty"]),
        "twice": (_layer(lambda tf: [columns(tf)["numeric"]] * 2), ["Duplicate feature column"]),
        "missing": (
            _layer(lambda tf: tf.feature_column.numeric_column("z")),
            ["Feature z is not in features dictionary"],
        ),
        "sparse": (
            _layer(lambda tf: tf.feature_column.numeric_column("w")),
            ["SparseTensor is not supported"],
        ),
        "strings": (
            _layer(
                lambda tf: tf.feature_column.indicator_column(
                    tf.feature_column.categorical_column_with_identity("color", 3)
                )
            ),
            ["Invalid input, not integer"],
        ),
        "dtype": (
            _layer(
                lambda tf: tf.feature_column.indicator_column(
                    tf.feature_column.categorical_column_with_hash_bucket("n", 3)
                )
            ),
            ["must be compatible", "key: n"],
        ),
        "shape": (_layer(lambda tf: tf.feature_column.numeric_column("v", 3)), ["12"]),
        "sequence": (
            _layer(
                lambda tf: tf.feature_column.indicator_column(
                    tf.feature_column.sequence_categorical_column_with_identity("id", 5)
                )
            ),
            ["must not be of type SequenceCategoricalColumn"],
        ),
        "dictionary": (
            lambda tf: tf.keras.layers.DenseFeatures(columns(tf)["numeric"])(tf.ones([2, 1])),
            ["expected a dictionary"],
        ),
        "lengths": (
            lambda tf: tf.keras.experimental.SequenceFeatures(
                [
                    tf.feature_column.sequence_numeric_column("sn"),
                    tf.feature_column.indicator_column(columns(tf)["sequence_listed"]),
                ]
            )(sequences(tf)),
            ["Condition x == y did not hold"],
        ),
        "steps": (
            lambda tf: tf.keras.experimental.SequenceFeatures([columns(tf)["numeric"]]),
            ["wrap a categorical column"],
        ),
    },
)
