"""tf.experimental.dlpack: sharing memory with other packages."""

from __future__ import annotations

from typing import Any

from eagerflow import _core


def to_dlpack(tf_tensor: _core.Tensor) -> Any:
    """A DLPack capsule that shares the tensor's memory.

    Raises:
        TypeError: for anything but a tensor that has a value; for a variable, pass `read_value()`.
        tf.errors.InvalidArgumentError: for a dtype that DLPack does not have.

    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
    array([1., 2.], dtype=float32)
    """
    if not isinstance(tf_tensor, _core.EagerTensor | _core.EagerWeakTensor):
        raise TypeError(
            "The argument to `to_dlpack` must be a TF tensor, not Python object: got "
            f"{type(tf_tensor).__name__}."
        )
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> _core.Tensor:
    """A tensor that shares the memory of a capsule, or of an object with `__dlpack__`.

    The memory must not be written to as long as the tensor lives.

    >>> tf.experimental.dlpack.from_dlpack(np.array([1, 2])).numpy()
    array([1, 2])
    """
    if dlcapsule is None:
        raise TypeError("The argument to `from_dlpack` must be a capsule, or have one, not None.")
    return _core.from_dlpack(dlcapsule)
