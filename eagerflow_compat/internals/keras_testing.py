"""Keras's testing_utils: data for tests, and what every layer is tested for."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from eagerflow.keras import Input, Model, Sequential

__all__ = ["get_test_data", "layer_test"]


def get_test_data(
    train_samples: int,
    test_samples: int,
    input_shape: tuple[int, ...],
    num_classes: int,
    random_seed: int | None = None,
) -> Any:
    """Samples around one center for each class, which a small model tells apart.

    Args:
        train_samples: how many in the first part.
        test_samples: how many in the second.
        input_shape: of a sample.
        num_classes: how many centers there are.
        random_seed: makes the data repeatable.

    Returns:
        `(x_train, y_train), (x_test, y_test)`, samples in float32 and classes in int64.
    """
    if random_seed is not None:
        np.random.seed(random_seed)
    count = train_samples + test_samples
    centers = 2 * num_classes * np.random.random((num_classes, *input_shape))
    classes = np.random.randint(0, num_classes, size=(count,))
    samples = np.stack(
        [centers[k] + np.random.normal(loc=0, scale=1.0, size=input_shape) for k in classes]
    ).astype(np.float32)
    first = slice(None, train_samples), slice(train_samples, None)
    train, test = ((samples[part], classes[part]) for part in first)
    return train, test


def layer_test(
    layer_cls: Any,
    kwargs: dict[str, Any] | None = None,
    input_shape: Any = None,
    input_dtype: str | None = None,
    input_data: Any = None,
    expected_output: Any = None,
    expected_output_dtype: str | None = None,
    expected_output_shape: Any = None,
    validate_training: bool = True,
    adapt_data: Any = None,
    custom_objects: dict[str, Any] | None = None,
    test_harness: Any = None,
    supports_masking: bool | None = None,
) -> np.ndarray:
    """Tests a layer in functional and sequential models: shapes, configurations, weights and a step.

    Args:
        layer_cls: the class of the layer.
        kwargs: its arguments.
        input_shape: the shape of its input with the batch; that of `input_data` by default. Sizes
            that are None are chosen at random.
        input_dtype: the dtype of the input; that of `input_data`, or float32, by default.
        input_data: the input; random values by default.
        expected_output: the layer's values.
        expected_output_dtype: their dtype; that of the input by default.
        expected_output_shape: their shape, in which None fits any size.
        validate_training: whether the layer is trained for a step.
        adapt_data: data for `adapt` of layers that have it.
        custom_objects: classes for configurations.
        test_harness: a test case whose `assertAllClose` compares values.
        supports_masking: whether the layer has to say that it does.

    Returns:
        The values of the layer.

    Raises:
        AssertionError: if the layer fails.

    >>> from eagerflow_compat.internals.keras_testing import layer_test
    >>> data = np.array([[-1.0, 2.0]], np.float32)
    >>> layer_test(tf.keras.layers.ReLU, input_data=data, expected_output=[[0, 2]])
    array([[0., 2.]], dtype=float32)
    """
    compare = test_harness.assertAllClose if test_harness else np.testing.assert_allclose
    if input_data is None:
        input_dtype = input_dtype or "float32"
        input_data = 10 * np.random.random(
            [size or np.random.randint(1, 4) for size in input_shape]
        )
        input_data = input_data - 0.5 if input_dtype.startswith("float") else input_data
        input_data = input_data.astype(input_dtype)
    input_shape = input_shape or input_data.shape
    input_dtype = input_dtype or input_data.dtype
    output_dtype = np.dtype(expected_output_dtype or input_dtype)

    def new_input() -> Any:
        return Input(shape=input_shape[1:], dtype=input_dtype)

    def check(output: Any, *shapes: Any) -> None:
        for shape in filter(None, shapes):
            fits = len(shape) == len(output.shape) and all(
                None in pair or pair[0] == pair[1] for pair in zip(shape, output.shape, strict=True)
            )
            assert fits, f"{layer_cls.__name__} returns shape {output.shape}, not {tuple(shape)}"

    def check_values(model: Any, expected: Any, *shapes: Any) -> Any:
        output = model.predict(input_data, verbose=0)
        check(output, *shapes)
        if expected is not None:
            compare(output, expected, rtol=1e-3, atol=1e-6)
        return output

    kwargs = dict(kwargs or {})
    layer = layer_cls(**kwargs)
    if supports_masking is not None:
        assert layer.supports_masking == supports_masking
    if adapt_data is not None:
        layer.adapt(adapt_data)
    layer.set_weights(layer.get_weights())
    if "weights" in inspect.signature(layer_cls.__init__).parameters:
        layer = layer_cls(**kwargs, weights=layer.get_weights())

    inputs = new_input()
    symbolic = layer(inputs)
    dtype = np.dtype(symbolic.dtype.as_numpy_dtype)
    assert dtype == output_dtype, f"{layer_cls.__name__} returns {dtype}, not {output_dtype}"
    check(symbolic, expected_output_shape)
    model = Model(inputs, symbolic)
    shape = tuple(layer.compute_output_shape((None, *input_shape[1:])))
    output = check_values(model, expected_output, expected_output_shape, shape)

    again = Model.from_config(model.get_config(), custom_objects)
    again.set_weights(model.get_weights())
    check_values(again, output)
    if validate_training:
        model.compile("rmsprop", "mse", weighted_metrics=["acc"])
        model.train_on_batch(input_data, output)

    second = layer_cls.from_config(layer.get_config())
    sequential = Sequential([new_input(), second])
    if adapt_data is not None:
        second.adapt(adapt_data)
    output = check_values(sequential, expected_output, expected_output_shape, shape)
    again = Sequential.from_config(sequential.get_config(), custom_objects)
    again.set_weights(sequential.get_weights())
    check_values(again, output)
    if validate_training:
        sequential.compile("rmsprop", "mse", weighted_metrics=["acc"])
        sequential.train_on_batch(input_data, output)
    return output
