"""Shared by all architectures: the input, blocks of layers, the top, and pretrained weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import config, layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.engine.functional.input_layer import Input
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor, is_keras_tensor
from eagerflow.keras.engine.model import Model
from eagerflow.keras.utils.file_download import get_file
from eagerflow.keras.utils.layer_utils import get_source_inputs
from eagerflow.typing import Function, TensorLike
from eagerflow.util.argument_docs import completed

# The arguments of all networks.
_SHARED = (
    "include_top", "weights", "input_tensor", "input_shape", "pooling", "classes",
    "classifier_activation",
)  # fmt: skip
ORIGIN = "https://storage.googleapis.com/tensorflow/keras-applications/"


class Builder:
    """An architecture's arguments, and the layers that all architectures have in common.

    Args:
        include_top: whether the network ends with a classifier.
        weights: "imagenet", None, or a file of weights.
        input_tensor: a symbolic tensor that is the images.
        input_shape: the images' shape.
        pooling: "avg", "max" or None: the end of a network without a classifier.
        classes: how many classes the classifier has.
        classifier_activation: the classifier's activation.
        default_size: the default height and width of images.
        min_size: the least height and width.
        need_size: whether a classifier needs images of a known size.

    Raises:
        ValueError: for arguments that contradict each other.
    """

    def __init__(
        self,
        include_top: bool,
        weights: Any,
        input_tensor: object,
        input_shape: Any,
        pooling: str | None,
        classes: int,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
        default_size: int = 224,
        min_size: int = 32,
        need_size: bool = True,
    ) -> None:
        if weights not in ("imagenet", None) and not os.path.exists(weights):
            raise ValueError(
                "The `weights` argument should be either `None` (random initialization), "
                "`imagenet` (pre-training on ImageNet), or the path to the weights file to be "
                f"loaded. Received: weights={weights}"
            )
        if weights == "imagenet" and include_top and classes != 1000:
            raise ValueError(
                'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should '
                f"be 1000. Received `classes={classes}`"
            )
        if input_tensor is not None and not is_keras_tensor(input_tensor):
            raise ValueError(
                f"input_tensor is not a Keras tensor; Received `input_tensor={input_tensor}`"
            )
        self.include_top = include_top
        self.weights = weights
        self.pooling = pooling
        self.classes = classes
        self.classifier_activation = classifier_activation
        self.axis = 1 if config.image_data_format() == "channels_first" else 3
        if need_size:
            input_shape = imagenet_utils.obtain_input_shape(
                input_shape,
                default_size,
                min_size,
                config.image_data_format(),
                include_top,
                weights,
            )
        self.input_shape = input_shape
        self.input_tensor = input_tensor
        self.images = Input(shape=input_shape) if input_tensor is None else input_tensor

    @classmethod
    def of(cls, names: dict[str, Any], **options: Any) -> Builder:
        """The builder for the arguments of a network.

        Args:
            names: what `locals()` is in the network's function.
            **options: `default_size`, `min_size` or `need_size`.
        """
        return cls(*[names[name] for name in _SHARED], **options)

    @property
    def rows(self) -> int | None:
        """The images' height."""
        return self.input_shape[1 if self.axis == 1 else 0]

    def channels(self, x: Any) -> int:
        """The number of channels of a tensor."""
        return x.shape[self.axis]

    def norm(self, x: Any, name: str | None = None, **options: Any) -> KerasTensor:
        """Batch normalization over the channels."""
        return layers.BatchNormalization(axis=self.axis, name=name, **options)(x)

    def pooled(self, x: Any, names: bool = True) -> KerasTensor:
        """The pooling of a network without a classifier."""
        if self.pooling == "avg":
            return layers.GlobalAveragePooling2D(name="avg_pool" if names else None)(x)
        if self.pooling == "max":
            return layers.GlobalMaxPooling2D(name="max_pool" if names else None)(x)
        return x

    def ended(self, x: KerasTensor, top_name: str | None = "avg_pool", names: bool = True) -> Any:
        """The classifier on the means of the channels, or the pooling instead of it."""
        if not self.include_top:
            return self.pooled(x, names)
        return self.classified(layers.GlobalAveragePooling2D(name=top_name)(x))

    def classified(self, x: KerasTensor, **options: Any) -> KerasTensor:
        """The classifier."""
        imagenet_utils.validate_activation(self.classifier_activation, self.weights)
        return layers.Dense(
            self.classes, activation=self.classifier_activation, name="predictions", **options
        )(x)

    def model(
        self, x: Any, name: str, file: str, hashes: tuple[Any, Any] = (None, None), **parts: str
    ) -> Model:
        """The model, with its weights.

        Args:
            x: the output.
            name: the model's name.
            file: the weights' address below the common origin, without what `parts` adds.
            hashes: of the files with and without a classifier.
            **parts: `top` and `notop`: the ends of the files' names; `origin`.
        """
        inputs = self.images
        if self.input_tensor is not None:
            inputs = get_source_inputs(self.input_tensor)
            inputs = inputs[0] if len(inputs) == 1 else inputs
        model = Model(inputs, x, name=name)
        if self.weights == "imagenet":
            end = (
                parts.get("top", "_weights_tf_dim_ordering_tf_kernels.h5")
                if self.include_top
                else parts.get("notop", "_weights_tf_dim_ordering_tf_kernels_notop.h5")
            )
            path = get_file(
                file.rpartition("/")[2] + end,
                parts.get("origin", ORIGIN) + file + end,
                cache_subdir="models",
                file_hash=hashes[0 if self.include_top else 1],
            )
            model.load_weights(path)
        elif self.weights is not None:
            model.load_weights(self.weights)
        return model


def variant(
    title: str,
    model_name: str,
    first_line: str,
    source: str,
    build: Callable[..., Any],
    module: str,
) -> Callable[..., Any]:
    """Creates the public function for one size of an architecture.

    Args:
        title: the function's name.
        model_name: the default of the model's name.
        first_line: the first line of its docstring.
        source: the publication of the architecture.
        build: makes the model from `model_name`, `include_preprocessing` and `builder`.
        module: the function's module.
    """

    def function(
        model_name: str = model_name,
        include_top: bool = True,
        include_preprocessing: bool = True,
        weights: str | None = "imagenet",
        input_tensor: TensorLike | None = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
    ) -> Any:
        builder = Builder.of(locals())
        return build(
            model_name=model_name, include_preprocessing=include_preprocessing, builder=builder
        )

    return described(function, title, first_line, source, module)


def plain(
    title: str,
    first_line: str,
    source: str,
    build: Callable[[Builder], Any],
    module: str,
    **options: Any,
) -> Callable[..., Any]:
    """The public function of an architecture without further arguments.

    Args:
        title: the function's name.
        first_line: the first line of its docstring.
        source: the publication of the architecture.
        build: makes the model.
        module: the function's module.
        **options: other arguments of `Builder`.
    """

    def function(
        include_top: bool = True,
        weights: str | None = "imagenet",
        input_tensor: TensorLike | None = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
    ) -> Any:
        return build(Builder.of(locals(), **options))

    return described(function, title, first_line, source, module)


_ARGUMENTS = {
    "model_name": "the model's name.",
    "alpha": "the factor of all numbers of filters.",
    "depth_multiplier": "the number of depthwise convolutions of each channel.",
    "minimalistic": "whether only plain convolutions and ReLU are used.",
    "dropout_rate": "the dropout rate before the classifier.",
    "dropout": "the dropout rate before the classifier.",
    "include_top": "whether the network ends with a classifier.",
    "include_preprocessing": "whether the network itself rescales values from 0 to 255.",
    "weights": '"imagenet", None for random initialization, or a file of weights.',
    "input_tensor": "a symbolic tensor to use as the images.",
    "input_shape": "the images' shape; without a classifier, sizes may be None.",
    "pooling": '"avg" or "max" over the channels at the end of a network without a classifier.',
    "classes": "the number of classes.",
    "classifier_activation": "the classifier's activation; None for logits.",
    "**kwargs": "none.",
}
_DESCRIPTIONS = {name: [f"    {name}: {text}"] for name, text in _ARGUMENTS.items()}
_RAISES = """Raises:
        ValueError: for arguments that contradict each other.
        ConnectionError: if trained weights are neither cached nor can they be downloaded.
    """


def documented(function: Function) -> Function:
    """Adds to a network's docstring the arguments and errors that networks have in common."""
    if function.__doc__:
        head, mark, example = function.__doc__.partition(">>>")
        doc = f"{head.rstrip()}\n\n    {_RAISES}\n    {mark}{example}"
        function.__doc__ = completed(doc, function, _DESCRIPTIONS)
    return function


def described(
    function: Callable[..., Any], title: str, first_line: str, source: str, module: str
) -> Callable[..., Any]:
    """Sets the public name and documentation of a function that builds a network.

    Args:
        function: takes some of the arguments that networks have in common.
        title: its name.
        first_line: the first line of its docstring.
        source: the publication of the architecture.
        module: its module.
    """
    function.__name__ = function.__qualname__ = title
    function.__module__ = module
    function.__doc__ = f"{first_line}\n\n    {source}\n\n    "
    return documented(function)
