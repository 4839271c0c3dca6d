"""The bins of numeric values."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.variable import variable_at_once
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.category_encoding import (
    checked_choice,
    checked_sparse,
    encoded,
    encoded_shape,
    in_form,
)
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer, as_tensor, listed
from eagerflow.keras.typing import Config
from eagerflow.ops import conversion
from eagerflow.typing import Array, ShapeLike, TensorLike

_ops = _core.ops


def summarized(values: Array, epsilon: float) -> Array:
    """About 1 / epsilon sorted values, and how many values each of them represents."""
    values = np.sort(np.reshape(values, [-1]))
    step = values.size * epsilon
    chosen = values[int(step) :: int(max(step, 1))]
    return np.stack([chosen, np.full_like(chosen, max(step, 1))]).astype("float32")


def compressed(summary: Array, epsilon: float) -> Array:
    """A summary with about 1 / epsilon values, by interpolation between shares."""
    if summary.shape[1] * epsilon < 1:
        return summary
    shares = epsilon + np.arange(0.0, 1.0, epsilon)
    totals = summary[1].cumsum()
    have = totals / totals[-1]
    values = np.interp(shares, have, summary[0])
    weights = np.diff(np.interp(shares, have, totals), prepend=0.0)
    return np.stack([values, weights]).astype("float32")


class Discretization(PreprocessingLayer):
    """The index of the bin that each value is in.

    Args:
        bin_boundaries: where one bin ends and the next begins, ascending.
        num_bins: how many bins `adapt` makes, about as many values in each.
        epsilon: how exact it is about that.
        output_mode: "int", or "one_hot", "multi_hot" or "count" for vectors.
        sparse: whether vectors are returned as a SparseTensor.

    Raises:
        ValueError: if arguments do not fit.

    >>> layer = tf.keras.layers.Discretization([0.0, 1.0])
    >>> layer([[-1.5, 0.5, 1.0]]).numpy()
    array([[0, 1, 2]])
    """

    _composite_call = "ids"

    _saves_any_shape = True

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if "bins" in kwargs:
            bins = kwargs.pop("bins")
            num_bins, bin_boundaries = (bins, None) if isinstance(bins, int) else (num_bins, bins)
        mode = checked_choice(
            output_mode, ("int", "one_hot", "multi_hot", "count"), "Discretization"
        )
        dtype = kwargs.get("dtype")
        if mode == "int" and (dtype is None or dtypes.as_dtype(dtype).is_floating):
            kwargs["dtype"] = "int64"
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        checked_sparse(sparse, mode, type(self).__name__)
        if num_bins is not None and num_bins < 0:
            raise ValueError(
                f"`num_bins` must be greater than or equal to 0. You passed `num_bins={num_bins}`"
            )
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError(
                "Both `num_bins` and `bin_boundaries` should not be set. You passed "
                f"`num_bins={num_bins}` and `bin_boundaries={bin_boundaries}`"
            )
        self.input_bin_boundaries = listed(bin_boundaries)
        self.bin_boundaries = [] if bin_boundaries is None else listed(bin_boundaries)
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = mode
        self.sparse = sparse

    def build(self, input_shape: ShapeLike) -> None:
        if self.input_bin_boundaries is None and self.summary is None:
            self.summary = variable_at_once(
                np.zeros([2, 0], "float32"), trainable=False, shape=[2, None], name="summary"
            )
        Layer.build(self, input_shape)

    summary: Any = None

    def update_state(self, data: TensorLike) -> None:
        if self.input_bin_boundaries is not None:
            raise ValueError(
                "Cannot adapt a Discretization layer that has been initialized with "
                "`bin_boundaries`, use `num_bins` instead. You passed "
                f"`bin_boundaries={self.input_bin_boundaries}`."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        new = summarized(as_tensor(data).numpy().astype("float32"), self.epsilon)
        both = np.concatenate([self.summary.numpy(), new], 1)
        both = both[:, np.argsort(both[0], kind="stable")]
        self.summary.assign(compressed(both, self.epsilon))

    def finalize_state(self) -> None:
        if self.input_bin_boundaries is not None or not self.built:
            return
        if not self.summary.numpy().size:
            return
        boundaries = compressed(self.summary.numpy(), 1.0 / (self.num_bins or 1))[0, :-1]
        self.bin_boundaries = boundaries.tolist()

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the summary of the data into a store."""
        if self.summary is not None:
            store["0"] = self.summary.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Loads what `save_own_variables` put into a store."""
        if "0" in store:
            self.summary.assign(store["0"])
            self.finalize_state()

    def reset_state(self) -> None:
        if self.input_bin_boundaries is None and self.summary is not None:
            self.summary.assign(np.zeros([2, 0], "float32"))

    def call(self, inputs: Any) -> Any:
        return self.encode(self.to_ids(as_tensor(inputs)))

    def to_ids(self, values: TensorLike) -> _core.Tensor:
        """The indices of the bins that values are in."""
        x = conversion.cast(values, dtypes.float32)
        shape = x._sizes()
        boundaries = _core.convert(self.bin_boundaries, dtypes.float32, None)
        flat = _ops.reshape(x, [1, -1])
        bins = _ops.searchsorted(_ops.expand_dims(boundaries, 0), flat, "right", dtypes.int64)
        return _ops.reshape(bins, list(shape))

    def encode(self, bins: TensorLike) -> Any:
        """Indices of bins in the layer's output mode."""
        count = len(self.bin_boundaries) + 1
        return in_form(encoded(bins, self.output_mode, count, self.compute_dtype), self.sparse)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return encoded_shape(input_shape, self.output_mode, len(self.bin_boundaries) + 1)

    def get_config(self) -> Config:
        return super().get_config() | {"bin_boundaries": self.input_bin_boundaries}
