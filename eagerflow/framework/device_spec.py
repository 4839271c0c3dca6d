"""Names of devices, and their parts."""

from __future__ import annotations

from typing import Any

# A name may begin with one of these in place of "device".
_TYPES = ("CPU", "GPU", "TPU", "CUSTOM", "EPU")


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
        kind = None if device_type is None else str(device_type)
        self._device_type = kind.upper() if kind and kind.upper() in _TYPES else kind
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
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """The parts of a name like "/job:a/task:0/device:GPU:1", "/GPU:1" or "cpu"; None has none.

        Raises:
            ValueError: if the name is not well formed.
        """
        parts: dict[str, Any] = {}
        for part in filter(None, (spec or "").split("/")):
            words = part.split(":")
            if len(words) == 2 and words[0] in ("job", "replica", "task"):
                parts[words[0]] = words[1] if words[0] == "job" else int(words[1])
                continue
            kind = words[0].upper()
            if len(words) <= 2 and kind in _TYPES:
                words.insert(0, "device")
            elif len(words) != 3 or words[0] != "device":
                raise ValueError(
                    f"Unknown attribute '{words[0]}' is encountered while parsing the device spec: "
                    f"'{spec}'."
                )
            if "device_type" in parts:
                raise ValueError(
                    f"Multiple device types are not allowed while parsing the device spec: {spec}."
                )
            kind = words[1].upper()
            parts["device_type"] = kind if kind in _TYPES else words[1]
            if words[2:] not in ([], ["*"]):
                parts["device_index"] = int(words[2])
        return cls(**parts)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The parts of a name; the same as `from_string`."""
        return type(self).from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """These parts, overridden by those that another spec has.

        Args:
            dev: the other one.

        >>> gpu = tf.DeviceSpec.from_string("/job:a/GPU:1")
        >>> gpu.make_merged_spec(tf.DeviceSpec(job="b")).to_string()
        '/job:b/device:GPU:1'
        """
        overrides = {key: value for key, value in dev._parts().items() if value is not None}
        return type(self)(**{**self._parts(), **overrides})

    def replace(self, **kwargs: object) -> DeviceSpec:
        """The same spec with the named parts replaced.

        Args:
            **kwargs: the parts, as `__init__` accepts them.
        """
        return type(self)(**{**self._parts(), **kwargs})

    def _parts(self) -> dict[str, Any]:
        return {
            "job": self._job,
            "replica": self._replica,
            "task": self._task,
            "device_type": self._device_type,
            "device_index": self._device_index,
        }

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
