"""tensorflow.python.pywrap_tfe: what native code of TensorFlow's tells of the machine."""

__all__ = ["TF_ListPhysicalDevices", "TF_ListPluggablePhysicalDevices"]


def TF_ListPhysicalDevices() -> list[bytes]:
    """The names of devices: the CPU's."""
    return [b"/physical_device:CPU:0"]


def TF_ListPluggablePhysicalDevices() -> list[bytes]:
    """The names of devices of plug-ins: none."""
    return []
