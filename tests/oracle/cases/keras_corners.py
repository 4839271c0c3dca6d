"""Corners of Keras 2 (tf_keras): thresholds of 0, empty and unknown axes, states that do not fit."""

import numpy as np

from oracle.registry import case, errors

LEGACY = ("SGD", "RMSprop", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam")
CLIPPING = {
    "value of 0": {"clipvalue": 0.0},
    "norm of 0": {"clipnorm": 0.0},
    "global norm of 0": {"global_clipnorm": 0.0},
    "value and norm": {"clipvalue": 2.0, "clipnorm": 0.5},
    "value and global norm": {"clipvalue": 2.0, "global_clipnorm": 0.5},
}


def after_two_steps(tf, optimizer):
    one, other = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    for _ in range(2):
        optimizer.apply_gradients(
            [(tf.constant([1.0, -3.0]), one), (tf.constant([0.5]), other)],
        )
    return [one, other]


@case(name=LEGACY, arguments=CLIPPING)
def legacy_clipping(tf, name, arguments):
    return after_two_steps(tf, getattr(tf.keras.optimizers.legacy, name)(**arguments))


@case(name=("SGD", "Adam"), arguments=CLIPPING)
def clipping(tf, name, arguments):
    return after_two_steps(tf, getattr(tf.keras.optimizers, name)(**arguments))


@case(name=("RMSprop", "Adam", "Adagrad", "Adadelta", "Adamax", "Nadam"))
def legacy_epsilon_of_none(tf, name):
    return getattr(tf.keras.optimizers.legacy, name)(epsilon=None).get_config()["epsilon"]


@case(name=("SGD", "Adam", "Ftrl"))
def older_name_of_the_rate(tf, name):
    rates = []
    for module in (tf.keras.optimizers, tf.keras.optimizers.legacy):
        optimizer = getattr(module, name)(lr=0.5)
        rates.append(float(optimizer.learning_rate))
    return rates


SLOTS = {
    "SGD": {"momentum": 0.9},
    "Adam": {"amsgrad": True},
    "RMSprop": {"momentum": 0.9, "centered": True},
    "Adagrad": {},
    "Adadelta": {},
    "Adamax": {},
    "Ftrl": {},
}


@case(name=tuple(SLOTS))
def legacy_slots(tf, name):
    optimizer = getattr(tf.keras.optimizers.legacy, name)(**SLOTS[name])
    one, other = tf.Variable([1.0, 2.0], name="w"), tf.Variable([3.0], name="u")
    optimizer.apply_gradients([(tf.constant([1.0, -3.0]), one), (tf.constant([0.5]), other)])
    slots = [optimizer.get_slot(one, slot) for slot in optimizer.get_slot_names()]
    return [optimizer.get_slot_names(), [w.name for w in optimizer.weights], *slots]


@case(
    name={"SGD": ("momentum",), "Adam": ("beta_1", "beta_2"), "RMSprop": ("rho", "momentum")},
    kind=("function", "variable", "tensor"),
)
def legacy_hyperparameters(tf, name, kind):
    kinds = {"function": lambda x: lambda: x, "variable": tf.Variable, "tensor": tf.constant}
    arguments = {key: kinds[kind](0.75) for key in name}
    kind_of = {"momentum": "SGD", "beta_1": "Adam", "rho": "RMSprop"}[name[0]]
    optimizer = getattr(tf.keras.optimizers.legacy, kind_of)(0.25, **arguments)
    return [*after_two_steps(tf, optimizer), [float(optimizer._get_hyper(key)) for key in name]]


@case(momentum=(0.0, 0.5), nesterov=(False, True), dtype=("complex64", "complex128"))
def legacy_complex_variables(tf, momentum, nesterov, dtype):
    variable = tf.Variable([1.0 + 2.0j, 3.0], dtype=dtype)
    optimizer = tf.keras.optimizers.legacy.SGD(0.5, momentum, nesterov and momentum > 0)
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant([1.0j, 2.0], dtype), variable)])
    return variable


@case
def legacy_learning_rates(tf):
    legacy = tf.keras.optimizers.legacy
    fresh = legacy.Adam(0.42)
    return [fresh.get_config()["learning_rate"], float(legacy.Adam(decay=0.5).decay)]


@case
def derived_optimizers_keep_their_arguments(tf):
    results = []
    for module in (tf.keras.optimizers, tf.keras.optimizers.legacy):

        class Own(module.SGD):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)

        again = Own.from_config(Own(2.0, momentum=0.5).get_config())
        results += [float(again.learning_rate), float(again.get_config()["momentum"])]
    return results


@case
def aggregated_before_a_step(tf):
    class Halving(tf.keras.optimizers.legacy.SGD):
        def _aggregate_gradients(self, grads_and_vars):
            return [(gradient / 2.0, variable) for gradient, variable in grads_and_vars]

    class Zeroing(tf.keras.optimizers.legacy.SGD):
        def _aggregate_gradients(self, grads_and_vars):
            return [(tf.zeros_like(gradient), variable) for gradient, variable in grads_and_vars]

    one, other = tf.Variable(2.0), tf.Variable(2.0)
    Halving(1.0).minimize(lambda: 2.0 * one, [one])
    scaled = tf.keras.mixed_precision.LossScaleOptimizer(Zeroing(1.0))
    scaled.get_scaled_loss(tf.constant(1.0)), scaled.get_unscaled_gradients([tf.constant(1.0)])
    scaled.apply_gradients([(tf.constant(float("inf")), other)])
    return [one, other, scaled.loss_scale, int(scaled.iterations)]


@case
def attributes_of_scaled_optimizers(tf):
    optimizers, wrap = tf.keras.optimizers, tf.keras.mixed_precision.LossScaleOptimizer
    inner = optimizers.Adam(0.5)
    scaled = wrap(inner)
    scaled.use_ema, scaled.ema_momentum, scaled.learning_rate = True, 0.75, 0.25
    results = [inner.use_ema, inner.ema_momentum, float(inner.learning_rate)]
    older = optimizers.legacy.SGD(momentum=0.5)
    scaled = wrap(older)
    scaled.momentum = 0.25
    return [*results, float(older.momentum), float(scaled.momentum), hasattr(scaled, "nesterov")]


@case(kind=("dynamic", "fixed"))
def scaled_optimizers_of_earlier_versions(tf, kind):
    scale = {
        "dynamic": {
            "class_name": "DynamicLossScale",
            "config": {"initial_loss_scale": 2.0, "increment_period": 3, "multiplier": 2.0},
        },
        "fixed": {"class_name": "FixedLossScale", "config": {"loss_scale_value": 4.0}},
    }[kind]
    config = {"class_name": "SGD", "config": {"learning_rate": 2.0, "momentum": 0.5}}
    optimizer = tf.keras.optimizers.deserialize(
        {
            "class_name": "LossScaleOptimizer",
            "config": {"optimizer": config, "loss_scale": scale},
        }
    )
    return [optimizer.dynamic, optimizer.initial_scale, optimizer.dynamic_growth_steps]


@case
def runs_of_a_strategy(tf):
    strategy = tf.distribute.get_strategy()
    return strategy.experimental_run(lambda: tf.constant(3.0) * 2.0)


@case
def configurations_with_decay(tf):
    arguments = {"learning_rate": 0.1, "decay": 0.5, "momentum": 0.0, "nesterov": False}
    config = {"class_name": "SGD", "config": {**arguments, "name": "SGD"}}
    optimizer = tf.keras.optimizers.deserialize(config)
    return [optimizer.get_config(), after_two_steps(tf, optimizer)]


errors(
    "keras_corners",
    "optimizers",
    {
        **{
            f"{name} {key}": (
                lambda tf, name=name, key=key: getattr(tf.keras.optimizers, name)(**{key: 0.0}),
                [f"{key} is deprecated", f"optimizers.legacy.{name}"],
            )
            for name in ("SGD", "Adam", "AdamW", "Lion")
            for key in ("decay", "gradient_aggregator", "gradient_transformers")
        },
        **{
            f"legacy negative {key}": (
                lambda tf, key=key: tf.keras.optimizers.legacy.Adam(**{key: -1.0}),
                [f"Expected {key} >= 0, received: -1.0"],
            )
            for key in ("clipvalue", "clipnorm", "global_clipnorm", "decay", "lr")
        },
        **{
            f"legacy {key}": (
                lambda tf, key=key: tf.keras.optimizers.legacy.Adam(**{key: 0.5}),
                ["Unexpected keyword argument passed to optimizer", key],
            )
            for key in ("weight_decay", "use_ema", "jit_compile", "unknown")
        },
        "both norms": (
            lambda tf: tf.keras.optimizers.legacy.SGD(clipnorm=1.0, global_clipnorm=1.0),
            ["Cannot accept both `clipnorm` and `global_clipnorm`"],
        ),
        "legacy momentum": (
            lambda tf: tf.keras.optimizers.legacy.RMSprop(momentum=1.1),
            ["`momentum` must be between [0, 1]"],
        ),
    },
)


errors(
    "keras_corners",
    "policies",
    {
        **{
            f"global {name}": (
                lambda tf, name=name: tf.keras.mixed_precision.set_global_policy(name),
                ["set_global_policy can only be used", "floating-point", name],
            )
            for name in ("int32", "bool", "string", "complex64")
        },
        "a dtype": (
            lambda tf: tf.keras.mixed_precision.Policy(tf.float32),
            ["'name' must be a string, not a DType", "float32"],
        ),
        "unknown dtype of a layer": (
            lambda tf: tf.keras.layers.Dense(2, dtype="abc"),
            ["abc"],
        ),
    },
)


@case
def dtypes_of_layers(tf):
    given = (np.dtype("float64"), np.float16, tf.bfloat16, "mixed_float16", "float32")
    return [
        [layer.dtype, layer.compute_dtype]
        for layer in (tf.keras.layers.Dense(2, dtype=dtype) for dtype in given)
    ]


POOLED = {
    "1D": (0, 3),
    "2D": (3, 0, 1),
    "3D": (1, 1, 0, 1),
}

errors(
    "keras_corners",
    "empty",
    {
        f"{kind}{rank} {how}": (
            lambda tf, kind=kind, rank=rank, how=how: getattr(tf.keras.layers, kind + rank)()(
                tf.ones((2, *POOLED[rank])) if how == "tensor" else tf.keras.Input(POOLED[rank])
            ),
            ["Incorrect input shape", "with dimension 0 at reduction axis"],
        )
        for kind in ("GlobalAveragePooling", "GlobalMaxPooling")
        for rank in POOLED
        for how in ("tensor", "symbolic")
    },
)


def recurrent(tf, name, **arguments):
    layers = tf.keras.layers
    if name == "stacked":
        return layers.RNN([layers.GRUCell(3), layers.LSTMCell(2)], **arguments)
    if name == "cell":
        return layers.RNN(layers.GRUCell(2), **arguments)
    return getattr(layers, name)(2, **arguments)


def fixed(tf, layer):
    for number, weight in enumerate(layer.weights):
        values = np.arange(np.prod(weight.shape.as_list())).reshape(weight.shape.as_list())
        weight.assign(values * 0.01 - 0.03 * (number + 1))
    return layer


RECURRENT = ("SimpleRNN", "GRU", "LSTM", "cell", "stacked")
MASKS = {"float": [[1.0, 0.0, 2.0], [0.0, 0.5, 1.0]], "int": [[1, 0, 2], [0, -1, 1]]}


@case(name=RECURRENT, mask=MASKS)
def masks_of_other_dtypes(tf, name, mask):
    layer = recurrent(tf, name, return_sequences=True)
    layer.build((2, 3, 2))
    x = np.arange(12, dtype="float32").reshape(2, 3, 2) / 10
    return fixed(tf, layer)(tf.constant(x), mask=tf.constant(mask))


@case(name=("GRU", "stacked"))
def shapes_of_states(tf, name):
    layer = recurrent(tf, name, return_state=True, return_sequences=True)
    x = np.ones((2, 3, 4), "float32")
    states = tf.nest.flatten(layer.get_initial_state(x))
    return [layer.compute_output_shape((None, 3, 4)), [state.shape for state in states]]


def called(tf, name, sizes, symbolic):
    if symbolic:
        x, states = tf.keras.Input((None, 5)), [tf.keras.Input((size,)) for size in sizes]
    else:
        x, states = tf.ones((2, 3, 5)), [tf.ones((2, size)) for size in sizes]
    return recurrent(tf, name)(x, initial_state=states)


STATES = {
    "SimpleRNN": ((4,), (2, 2)),
    "GRU": ((4,), (2, 2)),
    "LSTM": ((2,), (2, 4), (2, 2, 2)),
    "cell": ((4,), (2, 2)),
    "stacked": ((3, 2), (2, 2, 2)),
}

errors(
    "keras_corners",
    "states",
    {
        **{
            f"{name} {'x'.join(map(str, sizes))} {'symbolic' if symbolic else 'eager'}": (
                lambda tf, name=name, sizes=sizes, symbolic=symbolic: called(
                    tf, name, sizes, symbolic
                ),
                ["An `initial_state` was passed that is not compatible with `cell.state_size`"],
            )
            for name, many in STATES.items()
            for sizes in many
            for symbolic in (True, False)
        },
        "stacked flat": (lambda tf: called(tf, "stacked", (3, 2, 2), True), ["2 states", "3"]),
    },
)

errors(
    "keras_corners",
    "unrolled",
    {
        **{
            f"{name} unknown": (
                lambda tf, name=name: recurrent(tf, name, unroll=True)(tf.keras.Input((None, 5))),
                ["time dimension is undefined|fixed number of timesteps"],
            )
            for name in RECURRENT
        },
        **{
            f"{name} of no steps": (
                lambda tf, name=name: recurrent(tf, name, unroll=True)(tf.ones((2, 0, 5))),
                ["Unrolling requires a fixed number of timesteps"],
            )
            for name in RECURRENT
        },
        **{
            f"{name} without steps": (
                lambda tf, name=name: recurrent(tf, name)(tf.ones((2, 0, 5))),
                [],
            )
            for name in RECURRENT
        },
    },
)


@case(mode=("concat", "sum"))
def losses_of_both_directions(tf, mode):
    gru = tf.keras.layers.GRU(2, kernel_regularizer="l2", bias_regularizer="l1")
    model = tf.keras.Sequential([tf.keras.layers.Bidirectional(gru, mode, input_shape=(3, 2))])
    fixed(tf, model)
    return [model.losses, model.layers[0].forward_layer.losses]


MERGED = {
    "known beside unknown": ((4, None), (4, 5)),
    "one beside unknown": ((4, None), (4, 1)),
    "both unknown": ((None, None), (None, None)),
    "two of them": ((None, None, None), (None, 5, 6)),
    "batch beside unknown": ((None, 5), (4, 5)),
    "ranks": ((None, 3), (None, None, 3)),
}


@case(
    name=("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"),
    shapes=MERGED,
)
def merged_shapes(tf, name, shapes):
    layer = getattr(tf.keras.layers, name)()
    return [
        layer([tf.keras.Input(batch_shape=shape) for shape in shapes]).shape,
        layer.compute_output_shape(list(shapes)),
    ]


@case
def joined_shapes(tf):
    inputs = [tf.keras.Input((None, None)), tf.keras.Input((5, 6))]
    return tf.keras.layers.Concatenate()(inputs).shape


@case(name=("Add", "Average", "Maximum", "Minimum"))
def merged_ragged_tensors(tf, name):
    one, other = tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.ragged.constant([[3.0], [1.0, 0.0]])
    return getattr(tf.keras.layers, name)()([one, other]).to_list()


@case(padding=("valid", "same"), output_padding=(None, 0))
def dilated_volumes(tf, padding, output_padding):
    layer = tf.keras.layers.Conv3DTranspose(
        1, 3, padding=padding, output_padding=output_padding, dilation_rate=2,
        kernel_initializer=tf.keras.initializers.Constant(0.5),
    )  # fmt: skip
    x = np.arange(48, dtype="float32").reshape(1, 3, 4, 2, 2) / 10
    return [layer(tf.constant(x)), layer.compute_output_shape(x.shape), sorted(layer.get_config())]


def ragged(tf, values):
    return tf.ragged.constant(values, ragged_rank=1)


RAGGED = {
    "values": ([[1.0, 0.0], [1.0]], [[0.9, 0.6], [0.2]]),
    "classes": ([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]]], [[[0.2, 0.8], [0.3, 0.7]], [[0.9, 0.1]]]),
    "numbers": ([[2, 1], [0]], [[[0.1, 0.1, 0.8], [0.05, 0.95, 0.0]], [[0.9, 0.05, 0.05]]]),
}
OF_ALL = ("CategoricalAccuracy", "BinaryAccuracy", "MeanSquaredError", "CategoricalHinge")


@case(name=(*OF_ALL, "RootMeanSquaredError", "KLDivergence"), kind=("values", "classes"))
def ragged_metrics(tf, name, kind):
    metric = getattr(tf.keras.metrics, name)()
    weighted = getattr(tf.keras.metrics, name)()
    labels, predictions = (ragged(tf, part) for part in RAGGED[kind])
    metric.update_state(labels, predictions)
    weighted.update_state(labels, predictions, ragged(tf, [[1.0, 2.0], [3.0]]))
    return [metric.result(), weighted.result()]


@case(name=("SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "BinaryAccuracy"))
def ragged_class_numbers(tf, name):
    metric = getattr(tf.keras.metrics, name)(**({"k": 1} if "TopK" in name else {}))
    metric.update_state(*(ragged(tf, part) for part in RAGGED["numbers"]))
    return metric.result()


@case(kind=("values", "classes"))
def ragged_intersections(tf, kind):
    metric = tf.keras.metrics.BinaryIoU([0, 1])
    metric.update_state(*(ragged(tf, part) for part in RAGGED[kind]))
    return metric.result()


TEXTS = {
    "scalar": "a",
    "vector": ["a", "z"],
    "matrix": [["a", "z"], ["b", "a"]],
    "rank 3": [[["a", "z"], ["b", "a"]]],
}


@case(texts=TEXTS)
def words_that_are_not_split(tf, texts):
    layer = tf.keras.layers.TextVectorization(split=None, vocabulary=["a", "b"])
    longer = tf.keras.layers.TextVectorization(
        split=None, vocabulary=["a", "b"], output_sequence_length=3
    )
    return [layer(tf.constant(texts)), *([longer(tf.constant(texts))] if texts != "a" else [])]


@case(mode=("multi_hot", "count"), texts=("vector", "matrix"))
def vectors_of_words_that_are_not_split(tf, mode, texts):
    layer = tf.keras.layers.TextVectorization(split=None, vocabulary=["a", "b"], output_mode=mode)
    return layer(tf.constant(TEXTS[texts]))


@case
def ragged_words_that_are_not_split(tf):
    layer = tf.keras.layers.TextVectorization(split=None, vocabulary=["a", "b"])
    return layer(tf.ragged.constant([[["a", "z"], ["b"]], [["a"]]]))


@case(mode=("multi_hot", "count"))
def texts_without_words(tf, mode):
    layer = tf.keras.layers.TextVectorization(vocabulary=["a"], output_mode=mode)
    return layer(tf.constant([""]))


FACTORS = {
    "all": (["[UNK]", "a", "b"], [0.1, 0.4, 0.25]),
    "terms": (["a", "b"], [0.4, 0.25]),
}


@case(given=FACTORS, padded=(True, False), name=("TextVectorization", "StringLookup"))
def factors_of_unknown_terms(tf, given, padded, name):
    more = {"split": None, "standardize": None} if name == "TextVectorization" else {}
    layer = getattr(tf.keras.layers, name)(
        max_tokens=5, pad_to_max_tokens=padded, output_mode="tf_idf", **more
    )
    terms, factors = given
    layer.set_vocabulary(terms, idf_weights=factors)
    return layer(tf.constant([["a", "z", "b", "a"]]))


NUMBERS = {
    "vector": lambda tf: tf.constant([1, 0]),
    "matrix": lambda tf: tf.constant([[1, 0]]),
    "floats": lambda tf: tf.constant([[1.0, 2.7]]),
    "sparse": lambda tf: tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2]),
    "scalar": lambda tf: tf.constant(2),
}


def table(tf, **arguments):
    return tf.keras.layers.Embedding(
        3, 2, embeddings_initializer=tf.keras.initializers.Constant([[0, 0], [1, 0], [2, 2]]),
        **arguments,
    )  # fmt: skip


@case(numbers=NUMBERS)
def sparse_rows(tf, numbers):
    layer = table(tf, sparse=True)
    with tf.GradientTape() as tape:
        rows = layer(numbers(tf))
        total = tf.reduce_sum(rows.values)
    gradient = tape.gradient(total, layer.trainable_variables[0])
    gradient = tf.convert_to_tensor(gradient)
    return [rows.indices, rows.values, rows.dense_shape, gradient]


errors(
    "keras_corners",
    "layers",
    {
        "masked sparse rows": (
            lambda tf: table(tf, sparse=True, mask_zero=True),
            ["`mask_zero` cannot be enabled"],
        ),
        "masked sparse numbers": (
            lambda tf: table(tf, mask_zero=True)(NUMBERS["sparse"](tf)),
            [],
        ),
        "sparse rows of ragged numbers": (
            lambda tf: table(tf, sparse=True)(tf.ragged.constant([[1], [2, 0]])),
            [],
        ),
        "lengths of ragged texts": (
            lambda tf: tf.keras.layers.TextVectorization(ragged=True, output_sequence_length=1),
            ["`output_sequence_length` must not be set if ragged is True"],
        ),
        "ragged texts": (
            lambda tf: tf.keras.layers.TextVectorization(vocabulary=["a"])(
                tf.ragged.constant([["a", "b"], ["a"]])
            ),
            ["When using `TextVectorization` to tokenize strings"],
        ),
        **{
            f"{name} in a Lambda, {how}": (
                lambda tf, make=make, how=how: tf.keras.layers.Lambda(make(tf))(
                    tf.ones((1, 2)) if how == "eager" else tf.keras.Input((2,))
                ),
                ["The following Variables were created within a Lambda layer"],
            )
            for name, make in {
                "a variable": lambda tf: lambda x: x * tf.Variable(1.0),
                "a layer": lambda tf: lambda x: tf.keras.layers.Dense(2)(x),
            }.items()
            for how in ("eager", "symbolic")
        },
    },
)


def endless(tf, labels=True):
    rows = tf.ones((2, 3))
    return tf.data.Dataset.from_tensors((rows, tf.ones((2, 1))) if labels else rows).repeat()


def trained(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    return model


errors(
    "keras_corners",
    "endless",
    {
        name: (program, ["infinite dataset", "number of steps", "`repeat()`"])
        for name, program in {
            "fit": lambda tf: trained(tf).fit(endless(tf), verbose=0),
            "batched": lambda tf: trained(tf).fit(
                endless(tf).unbatch().batch(2).prefetch(1), verbose=0
            ),
            "evaluate": lambda tf: trained(tf).evaluate(endless(tf), verbose=0),
            "predict": lambda tf: trained(tf).predict(endless(tf, labels=False), verbose=0),
            "validation": lambda tf: trained(tf).fit(
                tf.ones((2, 3)), tf.ones((2, 1)), validation_data=endless(tf), verbose=0
            ),
            "adapt": lambda tf: tf.keras.layers.Normalization().adapt(endless(tf, labels=False)),
        }.items()
    },
)


def with_terms(tf, name, mode, **arguments):
    if mode == "tf_idf" and "vocabulary" in arguments:
        arguments["idf_weights"] = [1.0] * len(arguments["vocabulary"])
    return getattr(tf.keras.layers, name)(output_mode=mode, **arguments)


def with_more_terms(tf, name, mode):
    layer = with_terms(tf, name, mode, vocabulary=["a"])
    layer(tf.constant([["a"]]))
    layer.set_vocabulary(["a", "b"], **({"idf_weights": [1.0, 2.0]} if mode == "tf_idf" else {}))


errors(
    "keras_corners",
    "vocabularies",
    {
        **{
            f"none in {name}, {mode}": (
                lambda tf, name=name, mode=mode: with_terms(tf, name, mode)(tf.constant([["a"]])),
                [f"`output_mode={mode}`", "you must set the layer's vocabulary before calling it"],
            )
            for name in ("StringLookup", "TextVectorization")
            for mode in ("multi_hot", "count", "tf_idf")
        },
        **{
            f"another size in {name}, {mode}": (
                lambda tf, name=name, mode=mode: with_more_terms(tf, name, mode),
                ["the vocabulary size cannot be changed after the layer is called", "2", "3"],
            )
            for name in ("StringLookup", "TextVectorization")
            for mode in ("multi_hot", "count", "tf_idf")
        },
    },
)


@case(mode=("int", "multi_hot", "count", "tf_idf"))
def signatures_of_texts(tf, mode):
    layer = with_terms(tf, "TextVectorization", mode, vocabulary=["a"])
    signature = layer.compute_output_signature(tf.TensorSpec((None, 1), tf.string))
    return [signature.dtype, signature.shape]
