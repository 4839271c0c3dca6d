"""Layers of tf.contrib.layers: functions that make variables and apply them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow._core import Tensor
from eagerflow.compat import v1
from eagerflow.framework import dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.keras.legacy_initializers import Zeros
from eagerflow.keras.typing import InitializerLike, Sizes
from eagerflow.typing import TensorLike
from eagerflow_compat.v1 import layers
from eagerflow_compat.v1.arguments import optional_parameters, parameters_of, with_parameters
from eagerflow_compat.v1.initializers import xavier_initializer
from eagerflow_compat.v1.variable_scope import VariableScope, get_variable, variable_scope


def _weights(shape: list[int], dtype: dtypes.DType, settings: dict[str, Any]) -> Any:
    return get_variable(
        "weights",
        shape,
        dtype,
        settings["weights_initializer"] or xavier_initializer(),
        settings["weights_regularizer"],
        settings["trainable"],
        collections=settings["variables_collections"],
    )


def _finished(outputs: Tensor, settings: dict[str, Any]) -> Tensor:
    """Adds biases, or normalizes, and applies the activation."""
    if settings["normalizer_fn"] is not None:
        outputs = settings["normalizer_fn"](outputs, **(settings["normalizer_params"] or {}))
    elif settings["biases_initializer"] is not None:
        biases = get_variable(
            "biases",
            [int(outputs.shape[-1])],
            outputs.dtype,
            settings["biases_initializer"],
            settings["biases_regularizer"],
            settings["trainable"],
            collections=settings["variables_collections"],
        )
        outputs = v1.nn.bias_add(outputs, biases)
    return outputs if settings["activation_fn"] is None else settings["activation_fn"](outputs)


# The parameters that layers with weights share, their defaults, and their documentation.
_SETTINGS: dict[str, Any] = {
    "activation_fn": v1.nn.relu,
    "normalizer_fn": None,
    "normalizer_params": None,
    "weights_initializer": None,
    "weights_regularizer": None,
    "biases_initializer": Zeros,
    "biases_regularizer": None,
    "reuse": None,
    "variables_collections": None,
    "outputs_collections": None,
    "trainable": True,
    "scope": None,
}
_DOCUMENTED = {
    "activation_fn": "None for none.",
    "normalizer_fn": "is applied instead of biases.",
    "normalizer_params": "its keyword arguments.",
    "weights_initializer": "by default Xavier's.",
    "weights_regularizer": "a term of the loss.",
    "biases_initializer": "None for no biases.",
    "biases_regularizer": "a term of the loss.",
    "reuse": "whether existing variables of the scope are used.",
    "variables_collections": "collections that get the variables.",
    "outputs_collections": "accepted.",
    "trainable": "whether the variables are trained.",
    "scope": "the scope's name.",
}


def _weighted_layer(default_name: str) -> Callable[..., Callable[..., Tensor]]:
    """Makes a function of inputs and settings one that has all settings as its parameters."""

    def decorate(function: Callable[..., Tensor]) -> Callable[..., Any]:
        own = parameters_of(function)[:-1]

        def call(values: dict[str, Any]) -> Any:
            settings = {name: values[name] for name in _SETTINGS}
            with variable_scope(settings["scope"], default_name, reuse=settings["reuse"]):
                return function(*(values[p.name] for p in own), settings=settings)

        return with_parameters(
            function, [*own, *optional_parameters(**_SETTINGS)], call, _DOCUMENTED
        )

    return decorate


@_weighted_layer("fully_connected")
def fully_connected(inputs: Tensor, num_outputs: int, settings: dict[str, Any]) -> Tensor:
    """`activation_fn(inputs @ weights + biases)`, by default with relu.

    Args:
        inputs: `[..., features]`.
        num_outputs: the number of output features.

    >>> with tf.Graph().as_default():
    ...     from eagerflow_compat.contrib.layers import fully_connected
    ...
    ...     y = fully_connected(tf.compat.v1.placeholder(tf.float32, [None, 4]), 3)
    ...     print(y.shape, [v.op.name for v in tf.compat.v1.global_variables()])
    (None, 3) ['fully_connected/weights', 'fully_connected/biases']
    """
    weights = _weights([int(inputs.shape[-1]), num_outputs], inputs.dtype, settings)
    if inputs.shape.rank == 2:
        return _finished(v1.matmul(inputs, weights), settings)
    return _finished(v1.tensordot(inputs, weights, 1), settings)


def relu(inputs: TensorLike, num_outputs: int, **kwargs: Any) -> Tensor:
    """`fully_connected` with relu."""
    return fully_connected(inputs, num_outputs, activation_fn=v1.nn.relu, **kwargs)


def linear(inputs: TensorLike, num_outputs: int, **kwargs: Any) -> Tensor:
    """`fully_connected` without an activation."""
    return fully_connected(inputs, num_outputs, activation_fn=None, **kwargs)


@_weighted_layer("Conv")
def conv2d(
    inputs: Tensor,
    num_outputs: int,
    kernel_size: Any,
    stride: Sizes = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: TensorLike = 1,
    *,
    settings: dict[str, Any],
) -> Tensor:
    """A convolution of images, by default with relu.

    Args:
        inputs: `[batch, height, width, channels]`.
        num_outputs: the number of output channels.
        kernel_size: height and width, or one number.
        stride: the strides, or one number.
        padding: "SAME" or "VALID".
        data_format: must be "NHWC".
        rate: the dilations, or one number.

    Raises:
        ValueError: for another data format.
    """
    if data_format not in (None, "NHWC"):
        raise ValueError(f"conv2d computes in the data format NHWC, got {data_format}")
    shape = [*_pair(kernel_size), int(inputs.shape[-1]), num_outputs]
    outputs = v1.nn.conv2d(
        inputs,
        _weights(shape, inputs.dtype, settings),
        strides=[1, *_pair(stride), 1],
        padding=padding,
        dilations=[1, *_pair(rate), 1],
    )
    return _finished(outputs, settings)


convolution2d = conv2d


def _pair(value: Any) -> list[int]:
    return [int(v) for v in value] if isinstance(value, list | tuple) else [int(value)] * 2


def max_pool2d(
    inputs: TensorLike,
    kernel_size: Sizes,
    stride: Sizes = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: object = None,
    scope: object = None,
) -> Tensor:
    """Max pooling of images `[batch, height, width, channels]`."""
    sizes = [1, *_pair(kernel_size), 1], [1, *_pair(stride), 1]
    return v1.nn.max_pool(inputs, *sizes, padding=padding, data_format=data_format)


def avg_pool2d(
    inputs: TensorLike,
    kernel_size: Sizes,
    stride: Sizes = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: object = None,
    scope: object = None,
) -> Tensor:
    """Average pooling of images `[batch, height, width, channels]`."""
    sizes = [1, *_pair(kernel_size), 1], [1, *_pair(stride), 1]
    return v1.nn.avg_pool(inputs, *sizes, padding=padding, data_format=data_format)


def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[[Tensor], Tensor] | None = None,
    is_training: bool = True,
    reuse: bool | None = None,
    trainable: bool = True,
    scope: VariableScope | str | None = None,
    updates_collections: str | None = GraphKeys.UPDATE_OPS,
    **kwargs: object,
) -> Tensor:
    """Normalizes by the mean and variance of batches; moving averages are updated in training.

    Args:
        inputs: `[..., channels]`.
        decay: the momentum of the moving averages.
        center: whether an offset is added.
        scale: whether the result is scaled.
        epsilon: is added to the variance.
        activation_fn: is applied at the end.
        is_training: whether the batch's statistics are used instead of the averages; may be a tensor.
        reuse: whether existing variables of the scope are used.
        trainable: whether the variables are trained.
        scope: the scope's name, by default "BatchNorm".
        updates_collections: the collections that get the operations that move the averages; None if
            the result waits for them.
        **kwargs: accepted.
    """
    layer = layers.BatchNormalization(
        momentum=decay,
        center=center,
        scale=scale,
        epsilon=epsilon,
        trainable=trainable,
        name=scope or "BatchNorm",
        _scope=scope,
        _reuse=reuse,
    )
    layer._updates_collections = updates_collections
    outputs = layer(inputs, training=is_training)
    return outputs if activation_fn is None else activation_fn(outputs)


def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable[..., Any] | None = None,
    reuse: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
    **kwargs: object,
) -> Any:
    """Normalizes each example by its own mean and variance; arguments as in `batch_norm`."""
    with variable_scope(scope, "LayerNorm", reuse=reuse):
        rank = inputs.shape.rank
        axes = list(range(begin_norm_axis % rank, rank))
        shape = [int(size) for size in inputs.shape.as_list()[begin_params_axis:]]
        beta = gamma = None
        if center:
            beta = get_variable("beta", shape, inputs.dtype, Zeros, trainable=trainable)
        if scale:
            ones = v1.ones_initializer()
            gamma = get_variable("gamma", shape, inputs.dtype, ones, trainable=trainable)
        mean, variance = v1.nn.moments(inputs, axes, keep_dims=True)
        outputs = v1.nn.batch_normalization(inputs, mean, variance, beta, gamma, 1e-12)
        return outputs if activation_fn is None else activation_fn(outputs)


def dropout(
    inputs: TensorLike,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: object = None,
    scope: Any = None,
    seed: int | None = None,
) -> Tensor:
    """Drops inputs at random in training; `keep_prob` and `is_training` may be tensors."""
    return v1.layers.dropout(
        inputs, 1.0 - keep_prob, noise_shape, seed, training=is_training, name=scope
    )


def one_hot_encoding(
    labels: Any, num_classes: int, on_value: float = 1.0, off_value: float = 0.0, **kwargs: object
) -> Tensor:
    """One-hot vectors of labels."""
    indices = v1.cast(labels, dtypes.int64)
    return v1.one_hot(indices, num_classes, on_value=on_value, off_value=off_value)


def softmax(logits: TensorLike, scope: object = None) -> Tensor:
    """The softmax over the last axis."""
    return v1.nn.softmax(logits)


def embed_sequence(
    ids: TensorLike,
    vocab_size: int,
    embed_dim: int,
    unique: bool = False,
    initializer: InitializerLike | None = None,
    regularizer: Callable[..., Tensor | None] | None = None,
    trainable: bool = True,
    scope: VariableScope | str | None = None,
    reuse: bool | None = None,
) -> Tensor:
    """Embedding vectors of ids, from a table."""
    with variable_scope(scope, "EmbedSequence", reuse=reuse):
        table = get_variable(
            "embeddings",
            [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return v1.nn.embedding_lookup(table, ids)


def stack(inputs: TensorLike, layer: Callable[..., Tensor], stack_args: Any, **kwargs: Any) -> Any:
    """A sequence of layers, each with its own arguments."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack"):
        for k, args in enumerate(stack_args):
            given = args if isinstance(args, list | tuple) else [args]
            name = f"{getattr(layer, '__name__', 'layer')}_{k + 1}"
            inputs = layer(inputs, *given, scope=name, **kwargs)
    return inputs
