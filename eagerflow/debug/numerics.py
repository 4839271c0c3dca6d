"""Watching for infinities and NaNs in the results of all operations."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, errors
from eagerflow.debug.source_line import calling_line

_ops = _core.ops


class _State:
    enabled = False


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Makes every operation whose result has an infinity or a NaN raise an error.

    The error names the operation and the program's line. Elements are looked at where operations
    run, without copies.

    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(0.0)
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(error.message.splitlines()[0])
    ... finally:
    ...     tf.debugging.disable_check_numerics()
    !!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1) !!!
    """
    if not _State.enabled:
        _core.add_observer(_check_outputs, bad_only=True)
        _State.enabled = True


def disable_check_numerics() -> None:
    """Undoes `enable_check_numerics`."""
    if _State.enabled:
        _core.remove_observer(_check_outputs)
        _State.enabled = False


def counts_of(tensor: Any) -> dict[str, int]:
    """How many elements are negative infinities, infinities and NaNs."""
    parts = [_ops.real(tensor), _ops.imag(tensor)] if tensor.dtype.is_complex else [tensor]
    counts = {"-Inf": 0, "+Inf": 0, "NaN": 0}
    for part in parts:
        infinite = _ops.is_inf(part)
        negative = _ops.logical_and(infinite, _ops.less(part, _ops.zeros_like(part)))
        low = _count(negative)
        counts["-Inf"] += low
        counts["+Inf"] += _count(infinite) - low
        counts["NaN"] += _count(_ops.is_nan(part))
    return counts


def _count(flags: _core.Tensor) -> int:
    return int(_ops.reduce_sum(_ops.cast(flags, "int64")))


def _check_outputs(name: str, inputs: tuple[Any, ...], outputs: tuple[_core.Tensor, ...]) -> None:
    with _core.stop_recording():
        for index, output in enumerate(outputs):
            if not (output.dtype.is_floating or output.dtype.is_complex):
                continue
            counts = counts_of(output)
            if any(counts.values()):
                raise errors.InvalidArgumentError._of(
                    _message(name, inputs, outputs, index, counts)
                )


def _message(
    name: str, inputs: tuple[Any, ...], outputs: tuple[Any, ...], index: int, counts: dict[Any, Any]
) -> str:
    output = outputs[index]
    size = output._size
    lines = [
        f"!!! Detected Infinity or NaN in output {index} of eagerly-executing op "
        f'"{name}" (# of outputs: {len(outputs)}) !!!',
        f"  dtype: {output.dtype!r}",
        f"  shape: {output.shape}",
        *(f"  # of {kind} elements: {count} of {size}" for kind, count in counts.items() if count),
        "",
    ]
    for k, tensor in enumerate(inputs):
        bad = ""
        if tensor.dtype.is_floating or tensor.dtype.is_complex:
            bad_counts = {kind: count for kind, count in counts_of(tensor).items() if count}
            bad = f", with {bad_counts}" if bad_counts else ", finite"
        lines.append(f"  Input {k}: {tensor.dtype.name}, shape {tensor.shape}{bad}")
    line = calling_line()
    if line is not None:
        lines += ["", f"  {line}"]
    return "\n".join(lines)
