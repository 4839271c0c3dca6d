"""tf.sysconfig: how the native engine was built, and where the package is."""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import Any

CXX11_ABI_FLAG = 1
CXX_VERSION = 202002
MONOLITHIC_BUILD = 0


def get_build_info() -> OrderedDict[str, Any]:
    """What the engine was built for.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


def get_lib() -> str:
    """The folder of the package, which contains the engine."""
    return os.path.dirname(os.path.abspath(__file__))


__all__ = ["CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD", "get_build_info", "get_lib"]
