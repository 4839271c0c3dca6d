"""Device names, and the context manager that chooses a device."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any

from eagerflow import errors

_TYPE_AND_INDEX = re.compile(r"([A-Za-z_]+)(?::(\*|-?\w+))?")


class DeviceSpec:
    """The parts of a device's name; parts that are None are left open.

    Args:
        job: the name of the job.
        replica: the index of the replica.
        task: the index of the task.
        device_type: "CPU" or "GPU".
        device_index: the index of the device.

    >>> tf.DeviceSpec.from_string("/job:localhost/device:CPU:0").device_type
    'CPU'
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        self._device_type = device_type
        self._device_index = None if device_index is None else int(device_index)

    @property
    def job(self) -> str | None:
        """The name of the job."""
        return self._job

    @property
    def replica(self) -> int | None:
        """The index of the replica."""
        return self._replica

    @property
    def task(self) -> int | None:
        """The index of the task."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """The kind of device."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """The index of the device among those of its type."""
        return self._device_index

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The parts of a name like "/job:a/task:0/device:GPU:1", "/GPU:1" or "cpu".

        Raises:
            ValueError: if the name is not well formed.
        """
        parts: dict[str, Any] = {}
        for part in spec.split("/"):
            if not part:
                continue
            key, _, value = part.partition(":")
            if key in ("job", "replica", "task"):
                parts[key] = value if key == "job" else int(value)
                continue
            text = value if key == "device" else part
            match = _TYPE_AND_INDEX.fullmatch(text)
            kind = match.group(1).upper() if match else ""
            if match is None or (key != "device" and kind not in ("CPU", "GPU", "TPU")):
                raise ValueError(
                    f"Unknown attribute '{part}' is encountered while parsing the device spec: "
                    f"'{spec}'."
                )
            parts["device_type"] = kind
            if match.group(2) not in (None, "*"):
                parts["device_index"] = int(match.group(2))
        return cls(**parts)

    def to_string(self) -> str:
        """The name, in its canonical form.

        >>> tf.DeviceSpec(device_type="GPU", device_index=1).to_string()
        '/device:GPU:1'
        """
        name = "" if self._job is None else f"/job:{self._job}"
        name += "" if self._replica is None else f"/replica:{self._replica}"
        name += "" if self._task is None else f"/task:{self._task}"
        if self._device_type is not None:
            index = "*" if self._device_index is None else self._device_index
            name += f"/device:{self._device_type}:{index}"
        return name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return (
            f"<DeviceSpec(job={self._job}, replica={self._replica}, task={self._task}, "
            f"device_type={self._device_type}, device_index={self._device_index})>"
        )


class device:
    """Chooses the device for the operations inside the `with` block.

    There is one device, the CPU. As in TensorFlow's soft placement, names of devices that this
    machine lacks mean the CPU; names of other jobs, and malformed names, are errors.

    Args:
        device_name: a name like "/CPU:0" or "/device:GPU:0", a `tf.DeviceSpec`, or None.

    Raises:
        RuntimeError: if a function is given.
        ValueError: on entering, if the name is not well formed.
        tf.errors.InvalidArgumentError: on entering, if the name is that of another job.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: Any) -> None:
        if callable(device_name) and not isinstance(device_name, str):
            raise RuntimeError("tf.device does not support functions.")
        self._name = device_name

    def __enter__(self) -> None:
        name = self._name
        if isinstance(name, DeviceSpec):
            name = name.to_string()
        if name is None:
            return
        if not isinstance(name, str):
            raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
        spec = DeviceSpec.from_string(name)
        local = spec.job in (None, "localhost") and not spec.replica and not spec.task
        if not local:
            raise errors.InvalidArgumentError(None, None, f"{name} unknown device.")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None
