"""The base class of losses, and the class that wraps a loss function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import distribution_state
from eagerflow.framework.composite import CompositeTensor
from eagerflow.keras.losses import weighting
from eagerflow.keras.losses.ragged import is_ragged
from eagerflow.keras.losses.weighting import Reduction
from eagerflow.keras.program_code import convertible
from eagerflow.keras.saving.registration import get_registered_name
from eagerflow.keras.typing import Config
from eagerflow.typing import TensorLike
from eagerflow.util import lazy
from eagerflow.util.argument_docs import complete_docs

# Imported when it is first used: it lists all losses, which import this module.
all_losses = lazy.Module("eagerflow.keras.losses")

_ops = _core.ops
Tensor = _core.Tensor


def _is_tensor(value: object) -> bool:
    """Whether a value is a tensor or a symbolic tensor of a functional model."""
    if isinstance(value, Tensor):
        return True
    return hasattr(type(value), "__op_function__") and not isinstance(value, CompositeTensor)


class Loss:
    """Base class of losses; a subclass defines `call`.

    Args:
        reduction: how the losses of samples are reduced, one of `tf.keras.losses.Reduction`.
        name: the loss's name.

    Raises:
        ValueError: for an unknown reduction.

    >>> class Distance(tf.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return tf.reduce_mean(tf.abs(y_pred - y_true), axis=-1)
    >>> print(Distance()(tf.constant([[1.0], [2.0]]), tf.constant([[1.5], [4.5]])).numpy().round(4))
    1.5
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete_docs(cls)

    # Whether the caller divides means by the number of replicas.
    _allow_sum_over_batch_size = False

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction = reduction
        self.name = name

    def __call__(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """The loss of a batch.

        Args:
            y_true: the labels.
            y_pred: the predictions, `[batch, ...]`.
            sample_weight: a factor for all losses, for each sample, or for each loss.

        Returns:
            A scalar, or, for `Reduction.NONE`, what `call` returns times the weights.

        Raises:
            ValueError: if the loss is a mean, under a `tf.distribute.Strategy`.
        """
        if not self._allow_sum_over_batch_size and distribution_state.has_strategy():
            if self.reduction in (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE):
                raise ValueError(
                    "Please use `tf.keras.losses.Reduction.SUM` or "
                    "`tf.keras.losses.Reduction.NONE` for loss reduction when losses are used with "
                    "`tf.distribute.Strategy`, except for specifying losses in `Model.compile()`: a "
                    "replica does not know how many samples the others have. Divide by the batch "
                    "size of all replicas together, as `tf.nn.compute_average_loss` does."
                )
        call = self.call if _core.building() is None else convertible(self.call)
        losses = call(y_true, y_pred)
        mask = getattr(y_pred, "_keras_mask", None)
        if isinstance(losses, Tensor):
            own = getattr(losses, "_keras_mask", None)
            if own is not None:
                mask = own if mask is None else _ops.logical_and(mask, own)
            if mask is None and sample_weight is None and losses.dtype.is_floating:
                return weighting.reduce_losses(losses, self.reduction)
        elif is_ragged(losses):
            return weighting.compute_weighted_loss(losses, sample_weight, self.reduction)
        else:
            losses = weighting.tensor(losses)
        sample_weight = weighting.apply_valid_mask(losses, sample_weight, mask, self.reduction)
        return weighting.compute_weighted_loss(losses, sample_weight, self.reduction)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each sample, `[batch, d0, ..., dN-1]` for predictions `[batch, ..., dN]`."""
        raise NotImplementedError(f"{type(self).__name__} must define `call(y_true, y_pred)`.")

    @classmethod
    def from_config(cls, config: Config) -> Loss:
        """A loss from what `get_config` returned."""
        return cls(**config)

    def get_config(self) -> Config:
        """The arguments that make a loss like this one, and the name of its function."""
        return {"reduction": self.reduction, "name": self.name}


class LossFunctionWrapper(Loss):
    """A function of labels and predictions as a loss.

    Args:
        fn: called as `fn(y_true, y_pred, **kwargs)`; returns the loss of each sample.
        **kwargs: passed to `fn`.
    """

    _argument_docs = {"from_logits": "whether predictions are logits rather than probabilities."}

    def __init__(
        self, fn: Callable, reduction: str = Reduction.AUTO, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The function's value."""
        dense = isinstance(y_pred, Tensor) and isinstance(y_true, Tensor)
        if dense or (_is_tensor(y_pred) and _is_tensor(y_true)):
            if y_pred.ndim is None or y_pred.ndim != y_true.ndim:
                y_pred, y_true = weighting.squeeze_or_expand_dimensions(y_pred, y_true)
        function = self.fn if _core.building() is None else convertible(self.fn)
        return function(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> Config:
        """The arguments that make a loss like this one."""
        config = {
            key: value.numpy() if isinstance(value, Tensor | _core.Variable) else value
            for key, value in self._fn_kwargs.items()
        }
        # Callable objects have no name, such as a functools.partial: they stand for themselves.
        fn = get_registered_name(self.fn) if hasattr(self.fn, "__name__") else self.fn
        return super().get_config() | config | {"fn": fn}

    @classmethod
    def from_config(cls, config: Config) -> Loss:
        """A loss from what `get_config` returned."""
        config = dict(config)
        function = config.pop("fn", None)
        if cls is LossFunctionWrapper and function is not None:
            config["fn"] = all_losses.get(function)
        return cls(**config)
