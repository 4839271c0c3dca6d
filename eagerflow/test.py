"""tf.test: questions about the build, and test cases."""

from __future__ import annotations

import contextlib
import tempfile
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, config, nest
from eagerflow.tape import GradientTape


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU that operations run on.

    >>> tf.test.is_gpu_available()
    False
    """
    return bool(config.list_physical_devices("GPU"))


def gpu_device_name() -> str:
    """The name of the first GPU, or an empty string."""
    return "/device:GPU:0" if is_gpu_available() else ""


def is_built_with_cuda() -> bool:
    """Whether the package was built with CUDA: no."""
    return False


def is_built_with_rocm() -> bool:
    """Whether the package was built with ROCm: no."""
    return False


def is_built_with_gpu_support() -> bool:
    """Whether the package was built for any GPU: no."""
    return False


def is_built_with_xla() -> bool:
    """Whether the package was built with XLA: no."""
    return False


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The derivatives of a function, from its gradients and from differences.

    Args:
        f: a function of tensors that returns one.
        x: the arguments.
        delta: the step of the differences; by default 1/1024.

    Returns:
        Two lists with a matrix for each argument, of shape `[x.size, y.size]`: the derivatives by
        backward passes, and by differences.

    >>> theoretical, numerical = tf.test.compute_gradient(tf.square, [3.0])
    >>> theoretical[0].item(), round(numerical[0].item(), 3)
    (6.0, 6.0)
    """
    step = 1.0 / 1024 if delta is None else delta
    arguments = [_core.convert(value, None, None) for value in x]
    theoretical, numerical = [], []
    for k, argument in enumerate(arguments):
        with GradientTape() as tape:
            tape.watch(arguments)
            y = f(*arguments)
        jacobian = tape.jacobian(y, argument, unconnected_gradients="zero")
        theoretical.append(np.asarray(jacobian).reshape(y._size, argument._size).T)
        flat = np.array(argument).reshape(-1)
        rows = []
        for position in range(flat.size):
            ends = []
            for sign in (1, -1):
                moved = flat.copy()
                moved[position] += sign * step
                changed = list(arguments)
                changed[k] = _core.convert(
                    moved.reshape(argument._shape_tuple()), argument.dtype, None
                )
                ends.append(np.asarray(f(*changed), dtype=np.float64).reshape(-1))
            rows.append((ends[0] - ends[1]) / (2 * step))
        numerical.append(np.array(rows).reshape(flat.size, y._size))
    return theoretical, numerical


class TestCase(unittest.TestCase):
    """unittest's test case, with comparisons of arrays and tensors."""

    def setUp(self) -> None:
        """Sets the global seed, so that tests are reproducible."""
        from eagerflow import random

        random.set_seed(87654321)
        np.random.seed(87654321)

    def evaluate(self, tensors: Any) -> Any:
        """Tensors and variables as arrays, in the same structure."""
        return nest.map_structure(
            lambda leaf: leaf.numpy() if hasattr(leaf, "numpy") else leaf, tensors
        )

    def get_temp_dir(self) -> str:
        """A folder of this test's own, which is deleted after it."""
        if not hasattr(self, "_folder"):
            self._folder = tempfile.TemporaryDirectory()
            self.addCleanup(self._folder.cleanup)
        return self._folder.name

    @contextlib.contextmanager
    def session(self, *args: Any, **kwargs: Any) -> Iterator[None]:
        """A context manager that changes nothing: operations run eagerly."""
        yield None

    test_session = cached_session = session

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays have the same shape and elements."""
        np.testing.assert_array_equal(self.evaluate(a), self.evaluate(b), msg or "")

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Asserts that structures of arrays are close, elementwise."""
        if isinstance(a, dict):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
        elif isinstance(a, list | tuple) and any(nest.is_nested(part) for part in a):
            self.assertEqual(len(a), len(b), msg)
            for first, second in zip(a, b, strict=True):
                self.assertAllClose(first, second, rtol, atol, msg)
        else:
            first, second = np.asarray(self.evaluate(a)), np.asarray(self.evaluate(b))
            self.assertEqual(first.shape, second.shape, msg)
            np.testing.assert_allclose(first, second, rtol, atol, err_msg=msg or "")

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        """Asserts that two arrays are not close."""
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError(f"The arrays are close: {a} and {b}")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays differ somewhere."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(msg or f"The arrays are equal: {a} and {b}")

    def assertShapeEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays have the same shape."""
        self.assertEqual(tuple(a.shape), tuple(b.shape), msg)

    def assertAllGreater(self, a: Any, comparison: Any) -> None:
        """Asserts that all elements are greater than a number."""
        self.assertTrue((np.asarray(self.evaluate(a)) > comparison).all())

    def assertAllLess(self, a: Any, comparison: Any) -> None:
        """Asserts that all elements are less than a number."""
        self.assertTrue((np.asarray(self.evaluate(a)) < comparison).all())

    def assertAllInRange(self, target: Any, lower: Any, upper: Any) -> None:
        """Asserts that all elements are between two numbers."""
        values = np.asarray(self.evaluate(target))
        self.assertTrue(((values >= lower) & (values <= upper)).all())

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Asserts that two numbers differ by at most `err`."""
        self.assertTrue(abs(f1 - f2) <= err, msg or f"{f1} and {f2} differ by more than {err}")


def main(argv: Any = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)
