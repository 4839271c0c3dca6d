"""tf.nondifferentiable_batch_function: functions that servers would call on joined batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.custom_gradient import custom_gradient
from eagerflow.errors import FailedPreconditionError, InvalidArgumentError

Tensor = _core.Tensor


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: list | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable:
    """A decorator for functions on batches: each call runs by itself, and has no gradients.

    Args:
        num_batch_threads: ignored: no calls are joined, like the two that follow and
            `max_enqueued_batches`.
        max_batch_size: the last of the allowed sizes, if large batches are not to be split.
        batch_timeout_micros: ignored.
        allowed_batch_sizes: increasing sizes.
        max_enqueued_batches: ignored.
        autograph: ignored.
        enable_large_batch_splitting: see `max_batch_size`.

    Returns:
        The decorator. Its functions accept tensors `[n, ...]`, and return such.

    Raises:
        ValueError: in a call, for arguments other than tensors.
        tf.errors.InvalidArgumentError: in a call, for sizes that are not allowed, scalars, and tensors of
            different first sizes.
        tf.errors.FailedPreconditionError: in a call, if a result is no batch of the same size.
        LookupError: if a gradient is taken through a call.

    >>> @tf.nondifferentiable_batch_function(1, 8, 100)
    ... def double(x):
    ...     return x * 2
    >>> double(tf.constant([1, 2])).numpy()
    array([2, 4], dtype=int32)
    """
    sizes = list(allowed_batch_sizes or ())

    def decorator(fn: Callable) -> Callable:
        @custom_gradient
        def run(*tensors: Tensor) -> Any:
            def gradient(*upstream: Tensor, variables: object = None) -> Any:
                raise LookupError("gradient registry has no entry for: BatchFunction")

            return fn(*tensors), gradient

        def decorated(*args: Tensor) -> Any:
            for arg in args:
                if not isinstance(arg, Tensor):
                    raise ValueError(
                        "All arguments to functions decorated with `batch_function` are supposed to "
                        f"be Tensors; found {arg!r}."
                    )
            if sizes != sorted(set(sizes)):
                raise _of_batches("allowed_batch_sizes entries must be monotonically increasing")
            if sizes and not enable_large_batch_splitting and sizes[-1] != max_batch_size:
                raise _of_batches(
                    "final entry in allowed_batch_sizes must equal max_batch_size when "
                    "enable_large_batch_splitting is False"
                )
            batch = {arg.shape[0] for arg in args if _checked_rank(arg)} - {None}
            if len(batch) > 1:
                raise _of_batches(
                    "Batching input tensors supplied in a given op invocation must have equal "
                    f"0th-dimension size, got {[arg.shape for arg in args]}"
                )
            results = run(*args)
            for result in nest.flatten(results):
                shape = result.shape
                if shape.rank == 0 or shape.rank and {shape[0]} - {None} - batch and batch:
                    raise FailedPreconditionError._of(
                        f"Batched output tensor has shape {shape}, and not the first size of the "
                        f"inputs {[arg.shape for arg in args]} [Op:BatchFunction]"
                    )
            return results

        return decorated

    return decorator


def _checked_rank(tensor: Tensor) -> bool:
    """Whether the rank of a tensor is known; raises InvalidArgumentError for a scalar."""
    if tensor.shape.rank == 0:
        raise _of_batches("Batching input tensors must have at least one dimension")
    return tensor.shape.rank is not None


def _of_batches(text: str) -> Exception:
    return InvalidArgumentError._of(f"{text} [Op:BatchFunction]")
