"""tf.keras.applications.imagenet_utils: preprocessing of images, and class names."""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np

from eagerflow import _core
from eagerflow.keras import activations, config
from eagerflow.keras.utils.file_download import get_file
from eagerflow.util.program_warnings import warn
from eagerflow.util.regular import open_text

__all__ = ["decode_predictions", "preprocess_input"]

_ops = _core.ops
_CLASSES = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
# Means and standard deviations of ImageNet's channels: BGR from 0 to 255, and RGB from 0 to 1.
_BGR_MEANS = (103.939, 116.779, 123.68)
_RGB_MEANS = (0.485, 0.456, 0.406)
_RGB_DEVIATIONS = (0.229, 0.224, 0.225)


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Preprocesses images for a network.

    Args:
        x: RGB images `[height, width, 3]` or `[batch, height, width, 3]` with values from 0 to 255.
            An array of floats is changed in place.
        data_format: whether the channels come first or last.
        mode: "caffe": BGR minus ImageNet's means; "tf": from -1 to 1; "torch": from 0 to 1, minus
            ImageNet's means and over its deviations.

    Raises:
        ValueError: for another mode or data format.

    >>> x = tf.keras.applications.imagenet_utils.preprocess_input(
    ...     np.full((1, 1, 3), 255.0), mode="tf"
    ... )
    >>> x.tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(
            f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}"
        )
    data_format = config.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            "Expected data_format to be one of `channels_first` or `channels_last`. Received: "
            f"data_format={data_format}"
        )
    first = data_format == "channels_first"
    if isinstance(x, np.ndarray):
        return _array(x, first, mode)
    if mode == "tf":
        return x / 127.5 - 1.0
    if mode == "torch":
        return (x / 255.0 - _channels(x, _RGB_MEANS, first)) / _channels(x, _RGB_DEVIATIONS, first)
    if first:
        x = x[::-1] if len(x.shape) == 3 else x[:, ::-1]
    else:
        x = x[..., ::-1]
    return x - _channels(x, _BGR_MEANS, first)


def _channels(x: _core.Tensor, values: tuple[float, ...], first: bool) -> _core.Tensor:
    """A value for each channel, in a shape that broadcasts to the images."""
    array = np.asarray(values, "float32").reshape((3, 1, 1) if first else (3,))
    return _core.as_tensor(array.astype(x.dtype.as_numpy_dtype))


def _array(x: np.ndarray, first: bool, mode: str) -> np.ndarray:
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(config.floatx())
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    shape = (3, 1, 1) if first else (3,)
    if mode == "torch":
        x /= 255.0
        x -= np.reshape(_RGB_MEANS, shape).astype(x.dtype)
        x /= np.reshape(_RGB_DEVIATIONS, shape).astype(x.dtype)
        return x
    x = x[..., ::-1, :, :] if first else x[..., ::-1]
    x -= np.reshape(_BGR_MEANS, shape).astype(x.dtype)
    return x


# The names of ImageNet's classes, read when the first prediction is decoded.
_class_index: dict[str, list[str]] = {}


class Preprocessing(Protocol):
    """A function that brings images into the form that a network was trained with."""

    def __call__(self, x: Any, data_format: str | None = None) -> Any:
        """The images; see `imagenet_utils.preprocess_input`."""


def preprocessing(mode: str | None, module: str) -> Preprocessing:
    """The function `preprocess_input` of a network's module.

    Args:
        mode: as of `imagenet_utils.preprocess_input`; None if the network itself rescales values.
        module: the module.
    """

    def function(x: Any, data_format: str | None = None) -> Any:
        return x if mode is None else preprocess_input(x, data_format=data_format, mode=mode)

    function.__name__ = function.__qualname__ = "preprocess_input"
    function.__module__ = module
    function.__doc__ = (
        "Returns the images unchanged: the network itself rescales values from 0 to 255."
        if mode is None
        else "Preprocesses images for this network; see `imagenet_utils.preprocess_input`, mode "
        f'"{mode}".'
    )
    return function


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, Any]]]:
    """The names and scores of the most probable ImageNet classes.

    Args:
        preds: probabilities `[batch, 1000]`.
        top: how many classes.

    Returns:
        For each image a list of (WordNet's number, name, probability).

    Raises:
        ValueError: for another shape.
        ConnectionError: if the file with the names is neither cached nor can it be downloaded.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape "
            f"(samples, 1000)). Found array with shape: {preds.shape}"
        )
    if not _class_index:
        path = get_file(
            "imagenet_class_index.json",
            _CLASSES,
            cache_subdir="models",
            file_hash="c2c37ea517e94d9795004a39431a14cb",
        )
        with open_text(path) as file:
            _class_index.update(json.load(file))
    decoded = []
    for row in np.asarray(preds):
        best = np.argsort(row)[::-1][:top]
        decoded.append([(*_class_index[str(k)], row[k]) for k in best])
    return decoded


def obtain_input_shape(
    input_shape: Any,
    default_size: int,
    min_size: int,
    data_format: str,
    require_flatten: bool,
    weights: object = None,
) -> tuple:
    """The shape of a network's input images.

    Raises:
        ValueError: for a shape that does not suit the network or its weights.
    """
    first = data_format == "channels_first"
    channels = 3
    if weights != "imagenet" and input_shape and len(input_shape) == 3:
        channels = input_shape[0 if first else -1]
        if channels not in (1, 3):
            warn(
                "This model usually expects 1 or 3 input channels. However, it was passed an "
                f"input_shape with {channels} input channels."
            )
    size = (default_size, default_size)
    default = (channels, *size) if first else (*size, channels)
    if weights == "imagenet" and require_flatten:
        if input_shape is not None and tuple(input_shape) != default:
            raise ValueError(
                "When setting `include_top=True` and loading `imagenet` weights, `input_shape` "
                f"should be {default}.  Received: input_shape={input_shape}"
            )
        return default
    if not input_shape:
        if require_flatten:
            if None in default:
                raise _no_static_shape(default)
            return default
        return (3, None, None) if first else (None, None, 3)
    if len(input_shape) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    if weights == "imagenet" and input_shape[0 if first else -1] != 3:
        raise ValueError(f"The input must have 3 channels; Received `input_shape={input_shape}`")
    sizes = input_shape[1:] if first else input_shape[:2]
    if any(size is not None and size < min_size for size in sizes):
        raise ValueError(
            f"Input size must be at least {min_size}x{min_size}; Received: "
            f"input_shape={input_shape}"
        )
    if require_flatten and None in input_shape:
        raise _no_static_shape(input_shape)
    return tuple(input_shape)


def _no_static_shape(input_shape: object) -> ValueError:
    return ValueError(
        "If `include_top` is True, you should specify a static `input_shape`. Received: "
        f"input_shape={input_shape}"
    )


def correct_pad(inputs: Any, kernel_size: Any) -> tuple:
    """The padding before a convolution of stride 2, as in other frameworks."""
    axis = 2 if config.image_data_format() == "channels_first" else 1
    sizes = tuple(inputs.shape)[axis : axis + 2]
    kernel = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    less = (1, 1) if sizes[0] is None else (1 - sizes[0] % 2, 1 - sizes[1] % 2)
    half = (kernel[0] // 2, kernel[1] // 2)
    return ((half[0] - less[0], half[0]), (half[1] - less[1], half[1]))


def validate_activation(classifier_activation: object, weights: object) -> None:
    """Raises a ValueError for an activation that pretrained weights do not support."""
    if weights is None:
        return
    activation = activations.get(classifier_activation)
    if activation not in (activations.get("softmax"), activations.get(None)):
        raise ValueError(
            "Only `None` and `softmax` activations are allowed for the `classifier_activation` "
            "argument when using pretrained weights, with `include_top=True`; Received: "
            f"classifier_activation={classifier_activation}"
        )


def make_divisible(value: float, divisor: int = 8, least: int | None = None) -> int:
    """The nearest multiple of a divisor that is not below nine tenths of the value."""
    least = divisor if least is None else least
    nearest = max(least, int(value + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * value else nearest
