"""Random arguments for the methods of objects: variables, datasets, tables, layers and others."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eagerflow as tf
import random_calls
from fuzz_values import (
    EXAMPLES,
    anything,
    many,
    numbers,
    parameters,
    refuse,
    sizes,
    tensors,
    value_for,
)
from random_calls import bytes_of

OBJECTS: dict[str, Callable[[], Any]] = {
    kind: lambda text=text: eval(text, {"tf": tf})  # type: ignore[misc]
    for kind, text in random_calls.OBJECTS.items()
}
METHODS = [(kind, name) for kind, make in OBJECTS.items() for name in random_calls.methods(make())]

TWO_PLACES = "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __matmul__ __lt__"
TWO_PLACES += " __ge__ __eq__ __ne__ __and__ __or__ __getitem__ __radd__ __rsub__"
OPERATIONS = [
    (kind, name)
    for kind, make in OBJECTS.items()
    for name in TWO_PLACES.split()
    if hasattr(type(make()), name)
]


def _answered(call: Callable[[], Any]) -> None:
    """Makes a call that may raise any exception, but not take much memory for a small result."""
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    result = refuse(call)
    if isinstance(result, tf.data.Dataset):
        result = refuse(lambda: [each for _, each in zip(range(3), result, strict=False)])
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"]
    assert peak - before <= 4 * bytes_of(result) + 2**26


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_methods_on_random_arguments(kind: str, name: str) -> None:
    names, required = parameters(getattr(OBJECTS[kind](), name))

    @many(max(EXAMPLES // 2, 3))
    @given(st.data())
    def calls(data: st.DataObject) -> None:
        count = data.draw(st.one_of(st.just(required), st.integers(0, len(names))))
        arguments = [data.draw(value_for(parameter)) for parameter in names[:count]]
        _answered(lambda: getattr(OBJECTS[kind](), name)(*arguments))

    calls()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "name"), OPERATIONS)
def test_operations_of_objects_on_random_arguments(kind: str, name: str) -> None:
    @many(max(EXAMPLES // 2, 3))
    @given(anything)
    def calls(other: Any) -> None:
        _answered(lambda: getattr(OBJECTS[kind](), name)(other))

    calls()


# Layers by the inputs that they accept.
LAYERS: dict[str, Callable[..., Any]] = {
    name: getattr(tf.keras.layers, name)
    for name in (
        "Dense Conv1D Conv2D Conv3D Conv2DTranspose DepthwiseConv2D SeparableConv2D LSTM GRU "
        "SimpleRNN Embedding Dropout BatchNormalization LayerNormalization GroupNormalization "
        "MaxPooling1D MaxPooling2D AveragePooling2D GlobalAveragePooling2D Flatten Reshape Permute "
        "RepeatVector Cropping2D ZeroPadding2D UpSampling2D Activation LeakyReLU PReLU Softmax "
        "Masking GaussianNoise UnitNormalization Rescaling Resizing CenterCrop CategoryEncoding "
        "Discretization Normalization RandomFlip"
    ).split()
}
SIZED = st.one_of(st.integers(-2, 4), numbers, sizes, st.just((2, 2)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LAYERS)
def test_layers_on_random_arguments(name: str) -> None:
    signature = inspect.signature(LAYERS[name].__init__).parameters.values()
    required = [
        parameter.name
        for parameter in signature
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        and parameter.name != "self"
    ]

    @many(EXAMPLES)
    @given(st.data())
    def calls(data: st.DataObject) -> None:
        usual = st.integers(1, 3)
        arguments = [data.draw(st.one_of(usual, usual, SIZED)) for _ in required]
        inputs = [data.draw(st.one_of(tensors, tensors, anything)) for _ in range(2)]

        def run() -> Any:
            layer = LAYERS[name](*arguments)
            layer(inputs[0])
            return layer(inputs[1])

        _answered(run)

    calls()


@pytest.mark.filterwarnings("ignore")
@many(4 * EXAMPLES)
@given(tensors, tensors, anything)
def test_training_on_random_arguments(x: Any, y: Any, weights: Any) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    for loss in ("mse", "sparse_categorical_crossentropy"):
        model.compile("sgd", loss)
        _answered(lambda: model.fit(x, y, sample_weight=weights, verbose=0).history)
        _answered(lambda: model.predict(x, verbose=0))


@pytest.mark.filterwarnings("ignore")
@many(4 * EXAMPLES)
@given(tensors, anything)
def test_losses_and_metrics_on_random_arguments(x: Any, y: Any) -> None:
    for name in ("MeanSquaredError", "SparseCategoricalCrossentropy", "BinaryCrossentropy"):
        _answered(lambda name=name: getattr(tf.keras.losses, name)()(y, x))  # type: ignore[misc]
    for name in ("Accuracy", "AUC", "Precision", "SparseTopKCategoricalAccuracy"):
        _answered(lambda name=name: getattr(tf.keras.metrics, name)()(y, x))  # type: ignore[misc]


def test_arrays_of_objects_are_no_tensors() -> None:
    with pytest.raises(ValueError, match="Unsupported object"):
        tf.constant(np.array([object()]))


# Classes whose arguments come to the engine only when an object is used, and how it is.
def _stepped(optimizer: Any) -> None:
    variable = tf.Variable([1.0, 2.0])
    rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    for gradient in (tf.constant([1.0, 1.0]), rows):
        optimizer.apply_gradients([(gradient, variable)])


def _called(layer: Any) -> None:
    for shape in ([2, 4], [2, 3, 4], [2, 4, 4, 2]):
        refuse(lambda shape=shape: layer(tf.ones(shape)))


USES: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "keras.optimizers": (tf.keras.optimizers, _stepped),
    "compat.v1.train": (tf.compat.v1.train, _stepped),
    "keras.layers": (tf.keras.layers, _called),
    "keras.losses": (tf.keras.losses, lambda loss: loss(tf.ones([2, 3]), tf.ones([2, 3]))),
    "keras.metrics": (tf.keras.metrics, lambda metric: metric(tf.ones([2, 3]), tf.ones([2, 3]))),
    "keras.initializers": (tf.keras.initializers, lambda initializer: initializer([2, 2])),
    "keras.regularizers": (tf.keras.regularizers, lambda function: function(tf.ones([2, 2]))),
    "keras.constraints": (tf.keras.constraints, lambda function: function(tf.ones([2, 2]))),
}
UNFIT = ["x", b"x", [1.0, 2.0], object(), {"a": 1}, np.zeros(3), 1j]


def _parameters(cls: Any) -> tuple[list[str], dict[str, Any]]:
    """The names of a constructor's parameters, and values for those without a default."""
    found = inspect.signature(cls).parameters
    named = [p for p in found.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return [p.name for p in named], {p.name: 2 for p in named if p.default is p.empty}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("namespace", USES)
def test_arguments_that_objects_use_later(namespace: str) -> None:
    module, use = USES[namespace]
    classes = [getattr(module, name) for name in dir(module)]
    count = 0
    for cls in classes:
        if not isinstance(cls, type) or (use is _stepped and not hasattr(cls, "apply_gradients")):
            continue
        names, needed = _parameters(cls)
        for name in names:
            for value in UNFIT:
                arguments = {**needed, name: value}
                refuse(lambda cls=cls, arguments=arguments: use(cls(**arguments)))
                count += 1
    assert count >= 8
