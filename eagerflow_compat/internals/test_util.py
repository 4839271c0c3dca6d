"""tensorflow.python.framework.test_util: test cases and decorators of tests."""

from __future__ import annotations

import contextlib
import functools
import unittest
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from eagerflow.framework.context import running_eagerly
from eagerflow.test.case import TestCase, is_gpu_available
from eagerflow.util import lazy

# Graphs are made by few tests.
graphs = lazy.Module("eagerflow.graph.graph")

TensorFlowTestCase = TestCase
__all__ = ["TensorFlowTestCase", "assert_meta_graph_protos_equal", "is_gpu_available"]


def assert_meta_graph_protos_equal(tester: Any, a: Any, b: Any) -> None:
    """Fails unless two MetaGraphDef messages are equal, but for the order of their nodes.

    Args:
        tester: the test case.
        a: one message.
        b: the other one.

    Raises:
        AssertionError: if they differ.
    """
    ordered = []
    for message in (a, b):
        copied = type(message)()
        copied.CopyFrom(message)
        nodes = sorted(message.graph_def.node, key=lambda node: node.name)
        del copied.graph_def.node[:]
        copied.graph_def.node.extend(nodes)
        ordered.append(copied)
    tester.assertProtoEquals(*ordered)


def _optional(decorate: Callable[[Any], Any]) -> Callable[..., Any]:
    """A decorator that may be written with or without arguments."""

    def decorator(target: Any = None, *args: object, **kwargs: object) -> Any:
        return decorate(target) if callable(target) else decorate

    return decorator


def _unchanged(target: Any) -> Any:
    return target


def _each_test(decorate: Callable[[Any], Any]) -> Callable[[type], type]:
    """Applies a decorator to the tests of a class."""

    def decorated(cls: type) -> type:
        for name, method in list(vars(cls).items()):
            if name.startswith("test") and isinstance(method, FunctionType):
                setattr(cls, name, decorate(method))
        return cls

    return decorated


def for_all_test_methods(
    decorator: Callable[..., Callable[[Any], Any]], *args: Any, **kwargs: Any
) -> Callable[[type], type]:
    """A decorator of classes that applies one, made with these arguments, to each test."""
    return _each_test(decorator(*args, **kwargs))


def _in_graph(method: Any) -> Any:
    if isinstance(method, type):
        return _each_test(_in_graph)(method)

    @functools.wraps(method)
    def test(self: Any, *args: Any, **kwargs: Any) -> None:
        with graphs.Graph().as_default():
            method(self, *args, **kwargs)

    return test


def _in_both(method: Callable[..., object]) -> Any:
    in_graph = _in_graph(method)

    @functools.wraps(method)
    def test(self: Any, *args: Any, **kwargs: Any) -> None:
        in_graph(self, *args, **kwargs)
        # What the first run left behind must not serve the second.
        self.tearDown()
        self._tempdir = None
        with running_eagerly():
            self.setUp()
            method(self, *args, **kwargs)

    return test


run_in_graph_and_eager_modes = _optional(_in_both)
run_all_in_graph_and_eager_modes = _each_test(_in_both)
deprecated_graph_mode_only = _optional(_in_graph)
run_deprecated_v1 = run_v1_only = deprecated_graph_mode_only
run_all_in_deprecated_graph_mode_only = _each_test(_in_graph)

# Tests run on one device, without a compiler, as a program of version 2.
run_v2_only = also_run_as_tf_function = run_without_tensor_float_32 = _optional(_unchanged)
run_all_without_tensor_float_32 = run_all_with_tensor_float_32 = _optional(_unchanged)
disable_xla = enable_mlir_bridge = disable_mlir_bridge = xla_allow_fallback = _optional(_unchanged)
disable_tfrt = build_as_function_and_v1_graph = _optional(_unchanged)
enable_control_flow_v2 = with_control_flow_v2 = _optional(_unchanged)
enable_output_all_intermediates = assert_no_new_tensors = _optional(_unchanged)
assert_no_garbage_created = assert_no_new_pyobjects_executing_eagerly = _optional(_unchanged)
with_eager_op_as_function = enable_eager_op_as_function = _optional(_unchanged)
disable_cudnn_autotune = run_all_in_native_and_block_format = _optional(_unchanged)
run_gpu_only = run_cuda_only = unittest.skip("There is no GPU.")


@contextlib.contextmanager
def device(use_gpu: bool = True) -> Iterator[None]:
    """A context in which operations run where the program places them, as everywhere."""
    yield


use_gpu = force_gpu = force_cpu = device


def IsMklEnabled() -> bool:
    """False: no operation has another implementation for some processors."""
    return False


def is_xla_enabled() -> bool:
    """False: there is no compiler."""
    return False


IsBuiltWithXLA = is_xla_enabled


def IsGoogleCudaEnabled() -> bool:
    """False: there is no GPU."""
    return False


IsBuiltWithROCm = IsBuiltWithNvcc = GpuSupportsHalfMatMulAndConv = IsGoogleCudaEnabled


def gpu_device_name() -> str:
    """Empty: there is no GPU."""
    return ""


def InstallStackTraceHandler() -> None:
    """Does nothing: `python -X faulthandler` tells where a process ends."""
