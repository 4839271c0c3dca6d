"""What layers of Keras 2 take: variables, integers, ragged tensors, and sequences of any length."""

import numpy as np

from oracle.registry import case, errors

SHAPES = {
    "Dense": (2, 4), "Flatten": (1, 3, 2), "Conv1D": (1, 5, 2), "LocallyConnected1D": (1, 4, 2),
    "Conv2D": (1, 4, 4, 2), "Conv2DTranspose": (1, 4, 4, 2), "UpSampling2D": (1, 2, 2, 2),
    "Cropping2D": (1, 4, 4, 2), "ZeroPadding2D": (1, 2, 2, 2), "MaxPooling2D": (1, 4, 4, 2),
    "BatchNormalization": (2, 4), "LayerNormalization": (2, 4), "UnitNormalization": (2, 4),
    "Dropout": (2, 4), "SimpleRNN": (2, 3, 4), "GRU": (2, 3, 4), "LSTM": (2, 3, 4),
    "LeakyReLU": (2, 4), "ConvLSTM1D": (1, 2, 3, 2),
}  # fmt: skip
ARGUMENTS = {
    "Dense": (2,), "Conv1D": (2, 2), "LocallyConnected1D": (2, 2), "Conv2D": (2, 2),
    "Conv2DTranspose": (2, 2), "Cropping2D": (1,), "Dropout": (0.5,), "SimpleRNN": (3,),
    "GRU": (3,), "LSTM": (3,), "ConvLSTM1D": (2, 2),
}  # fmt: skip
CASTING = (
    "Dense",
    "BatchNormalization",
    "LayerNormalization",
    "UnitNormalization",
    "LeakyReLU",
)
NOT_CASTING = {"Conv2D": "Conv2D", "LSTM": "MatMul", "Dropout": ""}


def dense(tf, results):
    """Ragged tensors among results as their kind and a dense tensor."""
    if isinstance(results, list | tuple):
        return [dense(tf, result) for result in results]
    return ["ragged", results.to_tensor()] if isinstance(results, tf.RaggedTensor) else results


def made(tf, name, **arguments):
    layer = getattr(tf.keras.layers, name)(*ARGUMENTS.get(name, ()), **arguments)
    weights(layer, SHAPES[name])
    return layer


def weights(layer, shape):
    layer.build(shape)
    layer.set_weights(
        [
            np.linspace(-0.5, 0.7, w.size).reshape(w.shape).astype(w.dtype)
            for w in layer.get_weights()
        ]
    )


def numbers(tf, name):
    shape = SHAPES[name]
    return np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape).astype("float32")


@case(name=tuple(SHAPES))
def variables(tf, name):
    layer, variable = made(tf, name), tf.Variable(numbers(tf, name))
    if name == "BatchNormalization":
        return layer(variable, training=True)
    with tf.GradientTape() as tape:
        outputs = layer(variable)
        total = tf.reduce_sum(outputs * outputs)
    return [outputs, tape.gradient(total, variable)]


@case
def variables_in_lists(tf):
    layers = tf.keras.layers
    one, other = tf.Variable([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])
    results = [getattr(layers, name)()([one, other]) for name in ("Maximum", "Concatenate")]
    attention = layers.Attention()([tf.Variable([[[1.0, 2.0]]]), tf.constant([[[3.0, 4.0]]])])
    state = layers.GRU(1, kernel_initializer="ones", recurrent_initializer="ones")(
        tf.constant([[[1.0]]]), initial_state=tf.Variable([[0.5]])
    )
    return [*results, attention, state]


@case
def variables_in_models(tf):
    layers = tf.keras.layers
    variable = tf.Variable([[1.0, 2.0]])
    seen = []

    class Looking(layers.Layer):
        def call(self, inputs):
            seen.append(isinstance(inputs, tf.Variable))
            return inputs * 2.0

    results = [layers.Flatten()(Looking()(variable))]
    results.append(layers.Lambda(lambda x: x + float(isinstance(x, tf.Variable)))(variable))
    x = tf.keras.Input(batch_shape=(1, 2))
    results.append(tf.keras.Model(x, layers.Add()([x, variable]))(np.ones((1, 2), "float32")))
    return [*results, seen]


@case(name=CASTING, dtype=("int32", "int64", "uint8", "float64"))
def integers(tf, name, dtype):
    values = np.abs(numbers(tf, name) * 4).astype(dtype)
    return made(tf, name)(tf.constant(values))


@case(policy=("float16", "float64", "mixed_float16"))
def integers_into_policies(tf, policy):
    return made(tf, "Dense", dtype=policy)(tf.constant([[1, 2, 3, 4]]))


@case
def predictions_from_integers(tf):
    model = tf.keras.Sequential([made(tf, "Dense")])
    return model.predict(np.arange(8).reshape(2, 4), verbose=0)


errors(
    "keras_inputs",
    "integers",
    {
        name: (
            lambda tf, name=name: getattr(tf.keras.layers, name)(2, 2)(tf.ones((1, 4, 4, 2), "int32")),
            ["was expected to be a int32 tensor but is a float tensor"],
        )
        for name in ("Conv2D",)
    },
)  # fmt: skip


UNIFORM = {
    "rows of two": lambda tf: tf.RaggedTensor.from_uniform_row_length([1.0, 2, 3, 4], 2),
    "rows of rows": lambda tf: tf.RaggedTensor.from_uniform_row_length(
        tf.RaggedTensor.from_uniform_row_length([1.0, 2, 3, 4, 5, 6, 7, 8], 2), 2
    ),
    "lists of rows": lambda tf: tf.RaggedTensor.from_row_lengths(
        [[1.0, 2], [3, 4], [5, 6]], [1, 2]
    ),
}


@case(rows=UNIFORM)
def dense_of_ragged(tf, rows):
    return dense(tf, tf.keras.layers.Dense(2, kernel_initializer="ones")(rows(tf)))


def ragged_sequences(tf):
    return tf.RaggedTensor.from_row_lengths(tf.reshape(tf.range(6.0) * 0.1, (6, 1)), [2, 3, 1])


@case(name=("LSTM", "GRU", "SimpleRNN"), backwards=(False, True), state=(False, True))
def recurrent_of_ragged(tf, name, backwards, state):
    layer = getattr(tf.keras.layers, name)(
        2, return_sequences=True, return_state=state, go_backwards=backwards,
        kernel_initializer="ones", recurrent_initializer="ones",
    )  # fmt: skip
    return dense(tf, layer(ragged_sequences(tf)))


def heads(tf, *inputs, **arguments):
    layer = tf.keras.layers.MultiHeadAttention(2, 3, kernel_initializer="ones")
    return dense(tf, layer(*inputs, **arguments))


SEQUENCES = {
    "ragged": lambda tf, lengths: tf.RaggedTensor.from_row_lengths(
        tf.reshape(tf.range(2.0 * sum(lengths)) * 0.1, (sum(lengths), 2)), lengths
    ),
    "dense": lambda tf, lengths: tf.reshape(
        tf.range(4.0 * max(lengths)) * 0.1, (2, max(lengths), 2)
    ),
}


@case(query=SEQUENCES, value=SEQUENCES, key=SEQUENCES, causal=(False, True))
def attention_of_ragged(tf, query, value, key, causal):
    inputs = (query(tf, [2, 3]), value(tf, [2, 1]), key(tf, [2, 2]))
    return heads(tf, *inputs, use_causal_mask=causal, return_attention_scores=True)


@case
def masks_of_numbers(tf):
    layers = tf.keras.layers
    masks = [tf.Variable([[1.0, 0.0, 2.0]]), tf.constant([[1.0, 1.0, 1.0]])]
    inputs = [tf.ones((1, 3, 2)), tf.ones((1, 3, 2))]
    add, join = layers.Add(), layers.Concatenate(axis=1)
    add(inputs), join(inputs)
    return [
        tf.cast(add.compute_mask(inputs, masks), tf.bool),
        join.compute_mask(inputs, [tf.expand_dims(tf.cast(m, tf.bool), -1) for m in masks]),
        layers.SimpleRNN(1, kernel_initializer="ones")(
            inputs[0], mask=tf.constant([[1.0, 0.0, 0.0]])
        ),
    ]


def loops(tf):
    layers = tf.keras.layers
    ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
    return {
        "cells": layers.RNN([layers.GRUCell(2, **ones), layers.LSTMCell(3, **ones)],
                            return_state=True, go_backwards=True),
        "all steps": layers.LSTM(2, return_sequences=True, return_state=True, **ones),
        "zeros": layers.RNN(layers.GRUCell(2, **ones), return_sequences=True,
                            zero_output_for_mask=True),
        "both ways": layers.Bidirectional(layers.RNN(layers.LSTMCell(2, **ones),
                                                     return_sequences=True)),
        "backwards": layers.GRU(2, go_backwards=True, **ones),
        "time first": layers.SimpleRNN(2, time_major=True, return_sequences=True, **ones),
        "images": layers.ConvLSTM1D(2, 2, return_sequences=True, **ones),
    }  # fmt: skip


LOOPS = ("cells", "all steps", "zeros", "both ways", "backwards", "time first", "images")


@case(loose=20.0, kind=LOOPS, masked=(False, True))
def steps_of_unknown_number(tf, kind, masked):
    layer = loops(tf)[kind]
    shape = (2, 3, 4, 1) if kind == "images" else (2, 3, 4)
    x = tf.constant(np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape), tf.float32)
    mask = tf.constant([[True, False, True], [False, True, True]])
    if kind == "time first":
        x, mask = tf.transpose(x, [1, 0, 2]), tf.transpose(mask)
    sizes = [None, None, *shape[2:]]
    layer(x)

    @tf.function(input_signature=[tf.TensorSpec(sizes), tf.TensorSpec([None, None], tf.bool)])
    def run(x, mask):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = layer(x, mask=mask if masked else None)
            total = tf.add_n([tf.reduce_sum(part**2) for part in tf.nest.flatten(outputs)])
        return outputs, tape.gradient(total, [x, *layer.trainable_variables])

    return run(x, mask)


@case(masked=(False, True), every=(False, True))
def backend_loops_of_unknown_number(tf, masked, every):
    @tf.function(
        input_signature=[tf.TensorSpec([None, None, 2]), tf.TensorSpec([None, None], tf.bool)]
    )
    def run(x, mask):
        return tf.keras.backend.rnn(
            lambda x, states: (x * states[0], [states[0] + 1.0]),
            x, [tf.ones_like(x[:, 0])], mask=mask if masked else None, return_all_outputs=every,
        )  # fmt: skip

    return run(tf.reshape(tf.range(12.0), (2, 3, 2)), tf.constant([[True, False, True]] * 2))


@case
def symbolic_numbers_as_bounds(tf):
    x, n = tf.keras.Input((8,)), tf.keras.Input((), dtype="int32")
    step = tf.keras.Input(batch_shape=(), dtype="int32")
    values = np.arange(16.0).reshape(2, 8).astype("float32")
    return [
        tf.keras.Model([x, n], x[:, : n[0]])([values, np.array([3, 3])]),
        tf.keras.Model([x, step], x[:, ::step])([values, tf.constant(2)]),
        tf.keras.Model([x, n], [x[..., n[1] :], x[:1]])([values, np.array([3, 5])]),
    ]


@case
def symbolic_inputs_of_all_kinds(tf):
    inputs = [
        tf.keras.Input(type_spec=tf.TensorSpec(None, tf.float32)),
        tf.keras.Input(type_spec=tf.TensorSpec((None, 2), tf.int32, name="named")),
        tf.keras.Input(tensor=tf.zeros((7, 3), tf.float64)),
        tf.keras.backend.placeholder(ndim=2),
        tf.keras.backend.placeholder(dtype="string"),
    ]
    kinds = [[x.shape, x.dtype] for x in inputs]
    doubled = tf.keras.Model(inputs[2], inputs[2] * 2.0)(tf.ones((7, 3), tf.float64))
    return [kinds, inputs[1].name, doubled]


@case
def outputs_in_structures(tf):
    layers = tf.keras.layers

    class Cell(layers.Layer):
        state_size = [2]

        def __init__(self, kind):
            super().__init__()
            self.kind = kind

        def call(self, inputs, states):
            return self.kind((inputs, inputs + 1.0)), [states[0] + inputs]

    x = tf.ones((1, 3, 2))
    return [
        layers.RNN(Cell(kind), return_state=True, return_sequences=every)(x)
        for kind in (list, tuple)
        for every in (False, True)
    ]


@case
def initial_states_of_cells(tf):
    layers = tf.keras.layers
    shapes = []
    for cell in (layers.GRUCell(5), layers.LSTMCell(5), layers.SimpleRNNCell(5)):
        inputs = tf.keras.Input((10,))
        shapes.append(
            [s.shape for s in tf.nest.flatten(cell.get_initial_state(inputs, None, None))]
        )
        state = cell.get_initial_state(np.zeros((8, 10)), None, None)
        shapes.append([(s.shape, s.dtype) for s in tf.nest.flatten(state)])
    return shapes


errors(
    "keras_inputs",
    "refused",
    {
        "ragged rows into Dense": (
            lambda tf: tf.keras.layers.Dense(2)(tf.ragged.constant([[1.0, 2], [3, 4, 5]])),
            ["The last dimension of the inputs to a Dense layer should be defined"],
        ),
        **{
            f"a spec and {name}": (
                lambda tf, name=name, value=value: tf.keras.Input(
                    type_spec=tf.TensorSpec((2, 7)), **{name: value}
                ),
                ["all other args except `name` must be None"],
            )
            for name, value in {"shape": (7,), "batch_size": 2, "dtype": "int32"}.items()
        },
        "queries and values": (
            lambda tf: tf.keras.layers.MultiHeadAttention(2, 3).compute_output_shape(
                (None, 4, 8), (None, 2, 7)
            ),
            ["must be equal, but are 8, 7"],
        ),
        "values and keys": (
            lambda tf: tf.keras.layers.MultiHeadAttention(2, 3).compute_output_shape(
                (None, 4, 8), (None, 2, 8), (None, 3, 8)
            ),
            ["except the last one, must be equal"],
        ),
        "states of images": (
            lambda tf: tf.keras.layers.ConvLSTM2D(4, 3, padding="same")(
                tf.keras.Input((None, 5, 5, 3)),
                initial_state=[tf.keras.Input((5, 5, 3)), tf.keras.Input((5, 5, 4))],
            ),
            ["not compatible with `cell.state_size`"],
        ),
        "one state for two directions": (
            lambda tf: tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2))(
                tf.keras.Input((3, 4)), initial_state=tf.keras.Input((2,))
            ),
            ["the state should be a list containing the states"],
        ),
        **{
            f"ReLU {name}": (
                lambda tf, name=name: tf.keras.layers.ReLU(**{name: None}),
                [f"{name} of a ReLU layer cannot be a negative value. Received: None"],
            )
            for name in ("negative_slope", "threshold")
        },
    },
)  # fmt: skip


@case
def classes_as_constraints(tf):
    keras = tf.keras
    return [
        keras.constraints.get(keras.constraints.MaxNorm) is keras.constraints.MaxNorm,
        keras.regularizers.get(keras.regularizers.L2) is keras.regularizers.L2,
        isinstance(keras.initializers.get(keras.initializers.Zeros), keras.initializers.Zeros),
        isinstance(keras.constraints.get("max_norm"), keras.constraints.MaxNorm),
        keras.regularizers.OrthogonalRegularizer(0.1).get_config(),
    ]


@case
def lambdas_hold_nothing_themselves(tf):
    variable = tf.Variable(1.0)
    layer = tf.keras.layers.Lambda(lambda x, v: x * v, arguments={"v": variable})
    before = len(layer.weights)
    layer.v = variable
    return [before, len(layer.weights), len(tf.keras.layers.Lambda(layer).weights)]


@case
def losses_of_plain_numbers(tf):
    layer = tf.keras.layers.Dense(2, activity_regularizer=lambda x: 0.5)
    layer(tf.ones((4, 3)))
    return layer.losses


@case
def examples_without_positions(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((0, 10)), layers.LayerNormalization()])
    model.compile("sgd", "mse")
    return model.train_on_batch(np.zeros((1, 0, 10)), np.zeros((1, 0, 10)))
