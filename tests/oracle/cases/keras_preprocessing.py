"""Preprocessing layers of Keras 2: texts in all forms, counted weights, older arguments, other ranks."""

import numpy as np

from oracle.registry import case, errors

TEXTS = {
    "scalar": lambda tf: tf.constant("a b"),
    "vector": lambda tf: tf.constant(["a b", "C! d"]),
    "column": lambda tf: tf.constant([["a b"], ["c"]]),
    "matrix": lambda tf: tf.constant([["a b", "c"], ["c", "d"]]),
    "cube": lambda tf: tf.constant([[["a b"], ["c"]]]),
    "ragged": lambda tf: tf.ragged.constant([["a", "c"], ["d"]]),
    "ragged column": lambda tf: tf.ragged.constant([[["a b"], ["c"]], [["d"]]], inner_shape=(1,)),
}
FORMS = {
    "ids": {},
    "counts": {"output_mode": "count"},
    "three": {"output_sequence_length": 3},
    "ragged": {"ragged": True},
    "pairs": {"ngrams": (2,)},
    "padded": {"output_mode": "multi_hot", "pad_to_max_tokens": True, "max_tokens": 7},
    "words": {"output_mode": None},
}
REFUSED = {("matrix", "whitespace"), ("matrix", "character"), ("ragged", "whitespace"),
           ("ragged", "character")}  # fmt: skip


def layer_of(tf, **arguments):
    known = {} if "output_mode" in arguments and arguments["output_mode"] is None else {
        "vocabulary": ["a", "b", "c"]
    }  # fmt: skip
    return tf.keras.layers.TextVectorization(**known, **arguments)


def listed(value):
    return value.to_list() if hasattr(value, "to_list") else value


def vectorized(tf, text, split, form):
    return listed(layer_of(tf, split=split, **FORMS[form])(TEXTS[text](tf)))


def _register():
    for text in TEXTS:
        for split in ("whitespace", "character", None):
            for form in FORMS:
                flat = text in ("cube", "ragged column")
                if (text, split, form) == ("ragged column", None, "three"):
                    continue  # TensorFlow pads another axis
                vectors = form in ("counts", "padded")
                if (text, split) in REFUSED or (flat and vectors):
                    continue
                if (text, split) == ("scalar", None) and form in ("three", "pairs"):
                    continue  # TensorFlow slices a scalar
                if form == "pairs" and (text == "scalar" or (flat and split is None)):
                    continue
                program = lambda tf, t=text, s=split, f=form: vectorized(tf, t, s, f)  # noqa: E731
                program.__module__ = __name__
                program.__name__ = f"texts[{text}-{split}-{form}]"
                case(program)


_register()


@case(form=tuple(form for form in FORMS if form != "three"), split=("whitespace", None))
def shapes_of_texts(tf, form, split):
    shapes = []
    for sizes in ((None,), (None, 1)):
        layer = layer_of(tf, split=split, **FORMS[form])
        if form != "words":
            shapes.append(layer.compute_output_shape(sizes))
        spec = layer.compute_output_signature(tf.TensorSpec(sizes, tf.string))
        shapes += [tf.TensorShape(spec.shape), spec.dtype]
        outputs = layer(tf.keras.Input(sizes[1:], dtype=tf.string))
        shapes += [outputs.shape, outputs.dtype]
    return shapes


@case
def texts_of_a_program(tf):
    layer = tf.keras.layers.TextVectorization(
        standardize=lambda x: tf.strings.regex_replace(x, "-", " "),
        split=lambda x: tf.strings.split(x, "|"),
    )
    layer.adapt(["a-b|c", "c|d|c"])
    return [layer.get_vocabulary(), layer(["c|a-b", "x"]), layer.get_config()["vocabulary"]]


@case(split=("whitespace", None))
def documents(tf, split):
    results = []
    for data in (
        ["a b", "a"],
        [["a"], ["a"], ["b"]],
        tf.data.Dataset.from_tensor_slices(["a", "b"]),
    ):
        layer = tf.keras.layers.TextVectorization(output_mode="tf_idf", split=split)
        layer.adapt(data)
        results += [layer.get_vocabulary(), layer([["a"], ["z"]])]
    return results


@case
def documents_of_ids(tf):
    results = []
    for data in (
        ["a", "b", "a"],
        [["a", "b"], ["a", "c"]],
        tf.ragged.constant([["a", "b"], ["a"]]),
    ):
        layer = tf.keras.layers.StringLookup(output_mode="tf_idf")
        layer.adapt(tf.convert_to_tensor(data) if isinstance(data, list) else data)
        results += [layer.get_vocabulary(), layer(["a", "z"])]
    return results


@case(sparse=(False, True), kind=("sparse", "dense"))
def weighted_counts(tf, sparse, kind):
    if kind == "sparse":
        ids = tf.SparseTensor([[0, 0], [0, 2], [1, 1], [1, 2]], [1, 3, 3, 1], [2, 3])
        weights = tf.SparseTensor([[0, 0], [0, 2], [1, 1], [1, 2]], [0.1, 0.3, 0.4, 0.2], [2, 3])
    else:
        ids, weights = tf.constant([[1, 3], [3, 1]]), tf.constant([[0.1, 0.3], [0.4, 0.2]])
    layer = tf.keras.layers.CategoryEncoding(4, output_mode="count", sparse=sparse)
    counts = layer(ids, count_weights=weights)
    return [counts.indices, counts.values, counts.dense_shape] if sparse else counts


@case
def older_arguments(tf):
    layers = tf.keras.layers
    results = [
        layers.CategoryEncoding(max_tokens=3).get_config()["num_tokens"],
        layers.IntegerLookup(max_values=3).get_config()["max_tokens"],
        layers.Discretization(bins=3).get_config()["num_bins"],
    ]
    for dtype in ("float32", "int32"):
        results.append(layers.Discretization(bin_boundaries=[1.0], dtype=dtype)([0.5]))
    counts = layers.Discretization(bin_boundaries=[1.0], dtype="float32", output_mode="count")
    results.append(counts([[0.5, 2.0]]))
    results += [
        type(term).__name__ for term in layers.IntegerLookup(vocabulary=[4]).get_vocabulary()
    ]
    return results


@case(value=(3.0, [3.0], [[3.0], [5.0]]), sizes=((), (1,), (4,)))
def models_take_other_ranks(tf, value, sizes):
    x = tf.keras.Input(sizes)
    model = tf.keras.Model(x, x * 2.0)
    given = tf.constant(value)
    if sizes == (4,) and given.shape.rank == 2:
        given = tf.tile(given, [1, 4])
    return model(given)


@case
def predictions_for_vectors(tf):
    x = tf.keras.Input((None,))
    return tf.keras.Model(x, x * 2.0).predict(np.arange(3.0), verbose=0)


LAYER_ARGUMENTS = {
    "standardize": {"standardize": "upper"},
    "split": {"split": "lines"},
    "output_mode": {"output_mode": "texts"},
}
errors(
    "keras_preprocessing",
    "refused",
    {
        **{
            f"texts, {name}": (
                lambda tf, arguments=arguments: tf.keras.layers.TextVectorization(**arguments),
                [f"Unkown value for `{name}` argument of layer TextVectorization"],
            )
            for name, arguments in LAYER_ARGUMENTS.items()
        },
        **{
            f"{name}, output_mode": (
                lambda tf, name=name: getattr(tf.keras.layers, name)(
                    *([3] if name in ("CategoryEncoding", "Hashing", "HashedCrossing") else []),
                    output_mode="texts",
                ),
                [f"Unkown value for `output_mode` argument of layer {name}"],
            )
            for name in (
                "CategoryEncoding", "StringLookup", "IntegerLookup", "Hashing", "HashedCrossing",
                "Discretization",
            )
        },
        "numbers as texts": (
            lambda tf: tf.keras.layers.TextVectorization(dtype="int64"),
            ["`TextVectorization` may only have a dtype of string. Received dtype: int64"],
        ),
        "words of some length": (
            lambda tf: tf.keras.layers.TextVectorization(output_mode=None, output_sequence_length=3),
            ["`output_sequence_length` must not be set if `output_mode` is not 'int'"],
        ),
        **{
            f"{text} texts": (
                lambda tf, text=text: layer_of(tf)(TEXTS[text](tf)),
                ["When using `TextVectorization` to tokenize strings, the input rank must be 1"],
            )
            for text in ("matrix", "ragged")
        },
        "sparse crossings": (
            lambda tf: tf.keras.layers.HashedCrossing(3)(
                [tf.SparseTensor([[0, 0]], ["a"], [1, 1]), tf.constant([["b"]])]
            ),
            ["All `HashedCrossing` inputs should be dense tensors"],
        ),
        "a vocabulary in a function": (
            lambda tf: tf.function(
                lambda: tf.keras.layers.StringLookup().set_vocabulary(tf.constant(["a"]))
            )(),
            ["Cannot set a tensor vocabulary on StringLookup layer", "not executing eagerly"],
        ),
    },
)  # fmt: skip
