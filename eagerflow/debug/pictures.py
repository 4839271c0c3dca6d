"""Pictures of values: of tensors, of a classifier's mistakes, and of all that notebooks show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eagerflow import _core
from eagerflow.debug.graphs import draw_graph
from eagerflow.debug.show import draw_tape
from eagerflow.framework.tensor import Tensor
from eagerflow.ops.segment import confusion_matrix
from eagerflow.typing import TensorLike
from eagerflow.util.pictures import Picture, Plot, Table
from eagerflow.util.text import Pictured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# At most so many of a batch's images are shown.
_IMAGES = 16


def picture(value: object) -> Picture:
    """The picture that a notebook shows for a value, to save it or to open it in a viewer.

    Args:
        value: a model, the `History` that `fit` returns, a dataset, a tape, a traced function; or a
            tensor or an array: of rank 1 as a curve, of rank 2 as a map of colours, of shape
            `[height, width, channels]` with 1, 3 or 4 channels as an image, and with one more axis
            as several of them.

    Returns:
        A picture. Notebooks show it, terminals print it as text; `save("picture.svg")` writes a
        file, and `show()` opens a viewer.

    Raises:
        TypeError: if the value has no picture.
        ValueError: for a model that is not built, and for tensors of other ranks.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=[3], name="dense")])
    >>> print(tf.debug.picture(model))
    Model: "sequential..."
    Layer (type)   Output Shape  Param #
    -------------  ------------  -------
    dense (Dense)  (None, 2)           8
    Total params: 8 (32.00 Byte)
    Trainable params: 8 (32.00 Byte)
    Non-trainable params: 0 (0.00 Byte)
    """
    if isinstance(value, Picture):
        return value
    if isinstance(value, Pictured):
        shown = value._picture()
        if shown is None:
            raise ValueError(f"{value!r} has nothing to show yet: build or train it first.")
        return shown
    if isinstance(value, _core.Tape):
        return draw_tape(value)
    if isinstance(value, np.ndarray | _core.Variable) or (
        isinstance(value, Tensor) and not _core.is_symbolic(value)
    ):
        return _of_array(np.asarray(value))
    return draw_graph(value)


def confusion(
    labels: TensorLike, predictions: TensorLike, names: Sequence[str] | None = None
) -> Plot:
    """How often a classifier took each class for each other one.

    Args:
        labels: the true classes: integers of shape `[count]`, or one-hot rows `[count, classes]`.
        predictions: the predicted classes in the same form, or what a model returns: scores of
            shape `[count, classes]`, or probabilities of the second of two classes `[count, 1]`.
        names: the classes' names; by default their numbers.

    Returns:
        A picture with a row for each true class and a column for each predicted one.

    Raises:
        ValueError: if there are fewer names than classes.
        tf.errors.InvalidArgumentError: if labels and predictions differ in number.

    >>> print(tf.debug.confusion([0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]], ["cat", "dog"]))
    2 of 3 are right (66.7 %)
    true \\ predicted  cat  dog
    ----------------  ---  ---
    cat                 1    0
    dog                 1    1
    """
    counts = confusion_matrix(
        _classes(labels), _classes(predictions), None if names is None else len(names)
    ).numpy()
    names = [str(k) for k in range(len(counts))] if names is None else list(names)
    total, right = counts.sum(), counts.trace()
    title = f"{right} of {total} are right ({right / max(1, total):.1%})".replace("%", " %")
    shares = counts / np.maximum(1, counts.sum(1, keepdims=True))
    table = Table(
        ["true \\ predicted", *names],
        [[name, *map(str, row)] for name, row in zip(names, counts, strict=True)],
        title,
        shades=[[0.0, *row] for row in shares],
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        axes.set_xticks(range(len(names)), names, rotation=45 if max(map(len, names)) > 3 else 0)
        axes.set_yticks(range(len(names)), names)
        axes.grid(False)
        for (row, column), count in np.ndenumerate(counts):
            if count:
                color = "white" if shares[row, column] > 0.5 else "#1c2733"
                axes.text(column, row, str(count), ha="center", va="center", color=color)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        axes.set_title(title)

    side = 2.2 + 0.36 * len(names)
    return Plot(draw, table, (side, side))


def _classes(values: TensorLike) -> np.ndarray:
    """Classes as integers, from one-hot rows, scores or probabilities as well."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] > 1:
        return array.argmax(1)
    array = array.reshape(-1)
    return array if array.dtype.kind in "iub" else (array > 0.5).astype(np.int64)


def _of_array(array: np.ndarray) -> Plot:
    """A curve, a map of colours, or images."""
    if array.dtype.kind not in "biuf":
        array = array.astype(np.float32)
    image = array.ndim > 2 and array.shape[-1] in (1, 3, 4)
    several = array.ndim > (3 if image else 2)
    if not 1 <= array.ndim <= (4 if image else 3) or not array.size:
        raise ValueError(
            "Pictures are made of tensors of rank 1 to 3, and of batches of images "
            f"[count, height, width, channels]; the shape is {list(array.shape)}."
        )
    parts = array[:_IMAGES] if several else array[None]
    if array.dtype == np.uint8 and image:
        low, high = 0.0, 255.0
    else:
        low, high = float(array.min()), float(array.max())
    columns = min(8, len(parts))
    rows = math.ceil(len(parts) / columns)

    def draw(figure: Figure) -> None:
        grid = list(figure.subplots(rows, columns, squeeze=False).flat)
        if array.ndim == 1:
            grid[0].plot(array, color="#4c8bf5")
            return
        for axes in grid:
            axes.axis("off")
        for axes, part in zip(grid, parts, strict=False):
            if image and part.shape[-1] > 1:
                axes.imshow((part - low) / max(high - low, 1e-30))
            else:
                values = part[..., 0] if image else part
                drawn = axes.imshow(values, "gray" if image else "viridis", vmin=low, vmax=high)
        if array.ndim == 2:
            figure.colorbar(drawn, ax=grid, shrink=0.8)

    facts = [str(array.dtype), str(list(array.shape)), f"{array.min():.4g}", f"{array.max():.4g}"]
    facts.append(f"{array.mean(dtype=np.float64):.4g}")
    table = Table(["dtype", "shape", "least", "largest", "mean"], [facts])
    size = (4.5, 3.0) if not several else (max(2.0, 1.0 * columns), 1.1 * rows)
    return Plot(draw, table, size)
