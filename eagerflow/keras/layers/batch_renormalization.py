"""Batch renormalization, batches that are normalized in parts, and adjusted results."""

from __future__ import annotations

from typing import Any

from eagerflow import _core

_ops = _core.ops
_LIMITS = ("rmax", "rmin", "dmax")


class Renormalization:
    """What `BatchNormalization` does with `renorm`, `virtual_batch_size` or `adjustment`.

    Batch renormalization (Ioffe, 2017) corrects the normalized batch by averages of means and
    deviations, which are kept for training. A virtual batch is a part of the batch, and is
    normalized by itself.
    """

    def _set_variant(self: Any, kwargs: dict[str, object], fused: bool | None) -> None:
        """Takes the arguments out of the constructor's.

        Raises:
            ValueError: if they do not fit each other.
        """
        self.renorm = kwargs.pop("renorm", False)
        self.renorm_clipping = kwargs.pop("renorm_clipping", None) or {}
        self.renorm_momentum = kwargs.pop("renorm_momentum", 0.99)
        self.virtual_batch_size = kwargs.pop("virtual_batch_size", None)
        self.adjustment = kwargs.pop("adjustment", None)
        unknown = [name for name in self.renorm_clipping if name not in _LIMITS]
        if unknown:
            raise ValueError(
                "Received invalid keys for `renorm_clipping` argument: "
                f"{self.renorm_clipping}. Supported values: {list(_LIMITS)}."
            )
        if fused and self.renorm:
            raise ValueError("Passing both `fused=True` and `renorm=True` is not supported")
        if fused and self.virtual_batch_size is not None:
            raise ValueError(
                "Passing `fused=True` is not supported when `virtual_batch_size` is specified."
            )
        if fused and self.adjustment is not None:
            raise ValueError(
                "Passing `fused=True` is not supported when `adjustment` is specified."
            )

    @property
    def _is_variant(self: Any) -> bool:
        parts = (self.virtual_batch_size, self.adjustment)
        return bool(self.renorm) or any(part is not None for part in parts)

    def _variant_config(self: Any) -> dict[str, Any]:
        """The entries of a configuration."""
        config: dict[str, Any] = {}
        if self.renorm:
            config |= {
                "renorm": True,
                "renorm_clipping": dict(self.renorm_clipping),
                "renorm_momentum": self.renorm_momentum,
            }
        if self.virtual_batch_size is not None:
            config["virtual_batch_size"] = self.virtual_batch_size
        return config

    def _build_variant(self: Any, shape: list[int]) -> None:
        """Makes the averages of batch renormalization."""
        if not self.renorm:
            return
        initial = self.moving_variance_initializer

        def deviation(*args: Any, **kwargs: Any) -> _core.Tensor:
            return _ops.sqrt(initial(*args, **kwargs))

        self.moving_stddev = self._weight("moving_stddev", shape, False, deviation)
        self.renorm_mean = self._weight("renorm_mean", shape, False, self.moving_mean_initializer)
        self.renorm_stddev = self._weight("renorm_stddev", shape, False, deviation)

    def _call_variant(self: Any, inputs: Any, training: bool | _core.Tensor, mask: object) -> Any:
        """The outputs, for inputs of a floating dtype."""
        training = training and self.trainable
        sizes, x = inputs._sizes(), inputs
        if self.virtual_batch_size is not None:
            parts = [self.virtual_batch_size, -1] if training else [-1, 1]
            x = _ops.reshape(x, [*parts, *sizes[1:]])
        gamma, beta = self.gamma, self.beta
        if training:
            if self.adjustment is not None:
                factor, offset = self.adjustment(_ops.shape(x))
                gamma, beta = _composed(factor, offset, gamma, beta)
            mean, variance = self._moments(x, self._reduced, self._keep, mask=mask)
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean = _ops.reduce_mean(mean, [1], True)
                new_variance = _ops.reduce_mean(variance, [1], True)
            averages = [(self.moving_mean, new_mean, self.momentum)]
            if self.renorm:
                ratio, shift, deviation = self._corrections(new_mean, new_variance)
                gamma, beta = _composed(ratio, shift, gamma, beta)
                averages += [
                    (self.renorm_mean, new_mean, self.renorm_momentum),
                    (self.renorm_stddev, deviation, self.renorm_momentum),
                    (self.moving_stddev, deviation, self.momentum),
                ]
            else:
                averages.append((self.moving_variance, new_variance, self.momentum))
            self._average(inputs, averages)
            if self.renorm:
                self._follow_deviation(self.moving_stddev)
        else:
            mean, variance = self.moving_mean, self.moving_variance
        outputs = self._normalized(x, mean, variance, gamma, beta)
        return _ops.reshape(outputs, list(sizes)) if x is not inputs else outputs

    def _follow_deviation(self: Any, deviation: Any) -> Any:
        """Sets the average of variances to that of deviations; returns the change."""
        variance = _ops.subtract(_ops.square(deviation), self.epsilon)
        return self.moving_variance.assign(_ops.relu(variance))

    def _corrections(self: Any, mean: _core.Tensor, variance: Any) -> tuple[Any, Any, Any]:
        """The factor and the shift of batch renormalization, and the batch's deviation."""
        deviation = _ops.sqrt(_ops.add(variance, self.epsilon))
        known = _ops.maximum(self.renorm_stddev, self.epsilon**0.5)
        ratio = _ops.divide_real(deviation, known)
        shift = _ops.divide_real(_ops.subtract(mean, self.renorm_mean), known)
        limits = self.renorm_clipping
        if limits.get("rmin") is not None:
            ratio = _ops.maximum(ratio, limits["rmin"])
        if limits.get("rmax") is not None:
            ratio = _ops.minimum(ratio, limits["rmax"])
        if limits.get("dmax") is not None:
            shift = _ops.clip_by_value(shift, -limits["dmax"], limits["dmax"])
        return _ops.stop_gradient(ratio), _ops.stop_gradient(shift), deviation


def _composed(ratio: Any, shift: Any, gamma: _core.Tensor, beta: _core.Tensor) -> tuple[Any, Any]:
    """gamma and beta of `(x * ratio + shift) * gamma + beta`."""
    if gamma is not None:
        ratio, shift = _ops.multiply(ratio, gamma), _ops.multiply(shift, gamma)
    return ratio, shift if beta is None else _ops.add(shift, beta)
