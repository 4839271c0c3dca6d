"""tf.keras.utils.FeatureSpace, and embedding tables for new vocabularies."""

import numpy as np

from oracle.registry import case, errors

DATA = {
    "float_1": np.linspace(0, 1, 10).astype("float32"),
    "float_2": np.arange(10.0).astype("float32") * 3,
    "float_3": np.array([5.0, 1, 2, 8, 4, 6, 9, 0, 3, 7], "float32"),
    "s1": np.array(["a", "b", "a", "c", "a", "b", "d", "a", "b", "c"], object),
    "s2": np.array(list("xyzxyzxyzx"), object),
    "i1": np.array([1, 2, 1, 3, 1, 2, 4, 1, 2, 3]),
    "i2": np.arange(10),
}
KINDS = {
    "float_1": "float",
    "float_2": "float_normalized",
    "float_3": "float_discretized",
    "s1": "string_categorical",
    "s2": "string_hashed",
    "i1": "integer_categorical",
    "i2": "integer_hashed",
}


def space(tf, output_mode="concat"):
    made = tf.keras.utils.FeatureSpace(
        dict(KINDS),
        output_mode,
        crosses=[("s1", "i1")],
        crossing_dim=8,
        hashing_dim=6,
        num_discretization_bins=3,
    )
    made.adapt(rows(tf).batch(4))
    return made


def rows(tf):
    return tf.data.Dataset.from_tensor_slices(DATA)


def batch():
    return {name: values[:3] for name, values in DATA.items()}


@case(mode=("concat", "dict"))
def called(tf, mode):
    made = space(tf, mode)
    one = {name: values[0] for name, values in DATA.items()}
    return [made(batch()), made(one), list(rows(tf).batch(4).map(made))]


@case
def mapped_by_row(tf):
    return list(rows(tf).map(space(tf)).take(2))


@case(mode=("concat", "dict"))
def symbolic(tf, mode):
    made = space(tf, mode)
    inputs = made.get_inputs()
    encoded = made.get_encoded_features()
    encoded = {"all": encoded} if mode == "concat" else encoded
    return [
        {name: [x.name, x.shape.as_list(), x.dtype] for name, x in inputs.items()},
        {name: [x.shape.as_list(), x.dtype] for name, x in encoded.items()},
        {name: type(layer).__name__ for name, layer in made.preprocessors.items()},
        [str(word) for word in made.preprocessors["s1"].get_vocabulary()],
        np.array(made.preprocessors["float_3"].bin_boundaries, "float32"),
    ]


@case
def configured(tf):
    config = space(tf).get_config()
    features = config.pop("features")
    parts = {}
    for name, feature in features.items():
        inner = feature["config"]["preprocessor"]
        parts[name] = [
            feature["module"],
            feature["class_name"],
            feature["config"]["dtype"],
            feature["config"]["output_mode"],
            inner["class_name"],
            inner["config"]["name"],
        ]
    crosses = config.pop("crosses")
    return [parts, config, [[c["class_name"], dict(c["config"])] for c in crosses]]


@case
def chosen(tf):
    make = tf.keras.utils.FeatureSpace
    made = make(
        {
            "f": "float_normalized",
            "g": make.float_discretized(num_bins=4),
            "s": make.string_categorical(max_tokens=10, num_oov_indices=2, output_mode="int"),
            "i": make.integer_categorical(num_oov_indices=0),
            "h": make.string_hashed(num_bins=3),
            "n": make.integer_hashed(num_bins=3, output_mode="int"),
            "r": make.float_rescaled(scale=2.0, offset=1.0),
            "x": make.float(name="x"),
            "own": make.feature("float32", tf.keras.layers.Rescaling(3.0), "float"),
        },
        "dict",
        crosses=[
            make.cross(("s", "i"), crossing_dim=5),
            make.cross(("s", "h"), crossing_dim=5, output_mode="int"),
        ],
    )
    keys = ("float_1", "float_2", "s1", "i1", "s2", "i2", "float_3", "float_3")
    data = dict(zip("fgsihnrx", (DATA[key] for key in keys), strict=True))
    data["own"] = DATA["float_1"]
    made.adapt(tf.data.Dataset.from_tensor_slices(data))
    return made({name: values[:4] for name, values in data.items()})


@case
def trained(tf):
    made = space(tf)
    encoded = made.get_encoded_features()
    output = tf.keras.layers.Dense(1, kernel_initializer="ones")(encoded)
    model = tf.keras.Model(encoded, output)
    model.compile("sgd", "mse")
    labels = tf.data.Dataset.from_tensor_slices(np.ones(10)).batch(4)
    prepared = rows(tf).batch(4).map(made)
    history = model.fit(tf.data.Dataset.zip((prepared, labels)), verbose=0).history
    whole = tf.keras.Model(made.get_inputs(), output)
    return [history["loss"], whole.predict(batch(), verbose=0)]


@case
def warmstarted(tf):
    start = tf.keras.utils.warmstart_embedding_matrix
    table = np.arange(6.0).reshape(3, 2)
    return [
        start(["a", "b", "c"], ["b", "z", "a"], table, "zeros"),
        start(
            np.array(["a", "b", "c"]),
            np.array(["c", "q"]),
            table.astype("float32"),
            tf.keras.initializers.Constant(7.0),
        ),
        list(start(["a"], ["b", "a"], table[:1]).shape),
    ]


def _made(*args, **kwargs):
    return lambda tf: tf.keras.utils.FeatureSpace(*args, **kwargs)


errors(
    "keras_feature_space",
    "refused",
    {
        "none": (_made({}), ["cannot be None or empty"]),
        "kind": (_made({"a": "foo"}), ["Invalid feature type: foo"]),
        "number": (_made({"a": 3}), ["Invalid feature type: 3"]),
        "mode": (_made({"a": "float"}, output_mode="x"), ["Received: output_mode=x"]),
        "cross": (
            _made({"a": "string_categorical"}, crosses=[("a", "z")]),
            ["should be present in the `features` dict"],
        ),
        "dataset": (
            lambda tf: tf.keras.utils.FeatureSpace({"a": "float"}).adapt({"a": ["x"]}),
            ["only be called on a tf.data.Dataset"],
        ),
        "feature-mode": (
            lambda tf: tf.keras.utils.FeatureSpace.feature("float32", None, "foo"),
            ["Received: output_mode=foo"],
        ),
        "integers": (
            lambda tf: tf.keras.utils.FeatureSpace(
                {"a": tf.keras.utils.FeatureSpace.string_categorical(output_mode="int")}
            ).adapt(tf.data.Dataset.from_tensor_slices({"a": ["x", "y"]})),
            ["has not been encoded (it has dtype int64)"],
        ),
        "early": (
            lambda tf: tf.keras.utils.FeatureSpace({"a": "float_normalized"})({"a": 1.0}),
            ["need to call `.adapt(dataset)`"],
        ),
        "early-inputs": (
            lambda tf: tf.keras.utils.FeatureSpace({"a": "float_normalized"}).get_inputs(),
            [],
        ),
        "list": (lambda tf: space(tf)([1, 2]), ["only be called with a dict"]),
        "missing": (lambda tf: space(tf)({"s1": "a"}), []),
    },
)
