"""Test cases, and questions about the build."""

from __future__ import annotations

import contextlib
import functools
import platform
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from absl.testing import absltest

from eagerflow import _core, config, nest, random
from eagerflow.autodiff.tape import GradientTape
from eagerflow.errors import InvalidArgumentError, OpError
from eagerflow.framework import context
from eagerflow.framework.context import default_graph, executing_eagerly
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.protos.schema import protobuf
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.test.capturing import CapturingTestCase
from eagerflow.typing import Array, Structure, TensorLike
from eagerflow.util import lazy

# Values of dictionaries that are compared by element.
_COMPARED_BY_ELEMENTS = (_core.Tensor, _core.Variable, RaggedTensor, np.ndarray, np.generic, float)

# Few tests build graphs.
sessions = lazy.Module("eagerflow.graph.session")


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: object = None) -> bool:
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
    f: Callable[..., object], x: Sequence[_core.Tensor], delta: float | None = None
) -> tuple[tuple[np.ndarray, ...], ...]:
    """The derivatives of a function, from its gradients and from differences.

    Args:
        f: a function of tensors that returns one.
        x: a list of the arguments, floating or complex.
        delta: the step of the differences; by default 1/1024.

    Returns:
        Two tuples with a matrix for each argument, of shape `[y.size, x.size]`: the derivatives by
        backward passes, and by differences. A complex number counts as two, its real and its
        imaginary part.

    Raises:
        ValueError: if `x` is not a list or tuple.
        AssertionError: if an argument has a dtype without gradients.

    >>> theoretical, numerical = tf.test.compute_gradient(tf.square, [3.0])
    >>> theoretical[0].item(), round(numerical[0].item(), 3)
    (6.0, 6.0)
    """
    if not isinstance(x, list | tuple):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    step = 1.0 / 1024 if delta is None else delta
    arguments = [_core.as_tensor(value) for value in x]
    for k, argument in enumerate(arguments):
        if not (argument.dtype.is_floating or argument.dtype.is_complex):
            raise AssertionError(
                f"Cannot compute gradient for unsupported type {argument.dtype.name} of argument "
                f"{k}"
            )
    pairs = [
        (_derivatives(f, arguments, k), _differences(f, arguments, k, step))
        for k in range(len(arguments))
    ]
    return tuple(zip(*pairs, strict=True))


def _real(values: _core.Tensor | Array) -> np.ndarray:
    """The elements as a vector, complex ones as two each."""
    flat = np.array(values).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _derivatives(f: Callable[..., Any], arguments: list[Any], k: int) -> np.ndarray:
    """The matrix of derivatives by argument k, a row for each real number in the result."""
    with GradientTape() as tape:
        tape.watch(arguments)
        y = f(*arguments)
    rows = y._size * (2 if y.dtype.is_complex else 1)
    columns = _real(arguments[k]).size
    units = np.eye(rows, dtype=y.dtype.real_dtype.as_numpy_dtype).view(y.dtype.as_numpy_dtype)
    weights = _core.convert(units.reshape(rows, *y._shape_tuple()), y.dtype, None)
    (gradients,) = tape._gradients_of_rows(y, [arguments[k]], weights)
    if gradients is None:
        return np.zeros((rows, columns), arguments[k].dtype.real_dtype.as_numpy_dtype)
    return _real(gradients).reshape(rows, columns)


def _differences(f: Callable[..., Any], arguments: list[Any], k: int, step: float) -> np.ndarray:
    """The same matrix, from results for arguments that are moved a bit in each direction."""
    at = np.array(arguments[k])
    columns = []
    for place in range(_real(at).size):
        ends = []
        for move in (step, -step):
            moved = at.copy()
            moved.reshape(-1).view(_real(at).dtype)[place] += move
            changed = [*arguments[:k], _core.as_tensor(moved), *arguments[k + 1 :]]
            ends.append(_real(f(*changed)))
        columns.append((ends[0] - ends[1]) / (2 * step))
    if not columns:
        return np.zeros((_real(f(*arguments)).size, 0), _real(at).dtype)
    return np.stack(columns, 1).astype(_real(at).dtype)


def is_cpu_target_available(target: str) -> bool:
    """Whether code can be made for a kind of processor: for the one of this machine.

    >>> tf.test.is_cpu_target_available("pdp11")
    False
    """
    names = {"x86_64": "x86", "amd64": "x86", "aarch64": "aarch64", "arm64": "aarch64"}
    return target == names.get(platform.machine().lower())


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """A decorator that skips a test while a function says so."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def test(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return test

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """The class itself: operations are never run as functions."""
    return (lambda decorated: decorated) if cls is None else cls


def _is_fetch(value: object) -> bool:
    """Whether a session runs a value: tensors of graphs, operations and composite tensors."""
    return hasattr(value, "graph") or getattr(value, "_is_composite_tensor", False)


def _as_container(value: Any) -> Any:
    """Named tuples, and objects of classes made by `attrs`, as dictionaries."""
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    if hasattr(type(value), "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in value.__attrs_attrs__}
    return value


def _is_list_of_parts(value: object) -> bool:
    return isinstance(value, list | tuple) and any(map(_has_parts, value))


def _has_parts(value: object) -> bool:
    """Whether a value in a list may differ from its neighbours in shape."""
    return nest.is_nested(value) or len(getattr(value, "shape", ())) > 0


def _value_of(leaf: object) -> Any:
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf


class _EagerSession:
    """The session of tests for both modes where operations run eagerly.

    Args:
        test: the test.
    """

    def __init__(self, test: TestCase) -> None:
        self._test = test

    def run(self, fetches: Structure, feed_dict: Any = None, **options: object) -> Any:
        """The values as arrays.

        Raises:
            NotImplementedError: if something is fed.
        """
        if feed_dict:
            raise NotImplementedError(
                "feed_dict is not supported when eager execution is enabled: there are no "
                "placeholders, and run(t) is short for t.numpy()."
            )
        return self._test.evaluate(fetches)


class TestCase(CapturingTestCase):
    """absl's test case, with comparisons of arrays and tensors."""

    def setUp(self) -> None:
        """Sets the global seed and begins an empty default graph, so that tests are reproducible."""
        if not context.has_nested_graphs():
            context.reset_default_graph()
        random.set_seed(87654321)
        np.random.seed(87654321)

    def evaluate(self, tensors: Structure) -> Any:
        """Tensors and variables as arrays, in the same structure; those of a graph are run together.

        Functions without arguments are replaced by their results.
        """
        if executing_eagerly():
            return nest.map_structure(self._evaluated, tensors)
        return self._run_together(tensors)

    def _run_together(self, tensors: Structure) -> Any:
        leaves = nest.flatten(tensors)
        fetches = [leaf for leaf in leaves if _is_fetch(leaf)]
        if not fetches:
            return tensors
        with self.session() as session:
            values = iter(session.run(fetches))
        leaves = [next(values) if _is_fetch(leaf) else leaf for leaf in leaves]
        return nest.pack_sequence_as(tensors, leaves)

    def _evaluated(self, leaf: Any) -> Any:
        callable_leaf = callable(leaf) and not hasattr(leaf, "numpy")
        return self.evaluate(leaf()) if callable_leaf else _value_of(leaf)

    def get_temp_dir(self) -> str:
        """A folder of this test's own, which is deleted after it."""
        if not hasattr(self, "_folder"):
            self._folder = tempfile.TemporaryDirectory()
            self.addCleanup(self._folder.cleanup)
        return self._folder.name

    @contextlib.contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """The session that runs a graph, one for each.

        Where operations run eagerly, an object whose method `run` returns values as arrays.

        Args:
            graph: the graph; the default one if it is None.
            config: a `tf.compat.v1.ConfigProto` for a session that is not there yet.
            use_gpu: ignored: operations run where the program places them.
            force_gpu: see above.
        """
        if executing_eagerly() and graph is None:
            yield _EagerSession(self)
            return
        wanted = default_graph() if graph is None else graph
        current = sessions.get_default_session()
        if current is None or current.graph is not wanted:
            current = self.__dict__.setdefault("_sessions", {}).get(id(wanted))
        if current is None:
            current = sessions.Session(graph=wanted, config=config)
            self.__dict__["_sessions"][id(wanted)] = current
        with wanted.as_default(), current.as_default():
            yield current

    cached_session = session

    def test_session(self, *args: Any, **kwargs: Any) -> Any:
        """`session`. Its name is a test's, too, and as one it is skipped."""
        if self._testMethodName == "test_session":
            self.skipTest("test_session is a way of running a graph, not a test.")
        return self.session(*args, **kwargs)

    def _array(self, value: object) -> np.ndarray:
        """A value as an array, text as bytes. Functions stay what they are, to be compared."""
        if executing_eagerly():
            value = nest.map_structure(_value_of, value)
        else:
            value = self._run_together(value)
        try:
            array = np.asarray(value)
        except ValueError:  # lists of several lengths, of which each is an element
            array = np.array(value, dtype=object)
        return np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array

    _GetNdArray = _array  # The name by which packages' own test cases know it.

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Fails unless two names mean the same device."""
        first, second = (DeviceSpec.from_string(d or "").to_string() for d in (device1, device2))
        self.assertEqual(first, second, msg or f"Devices {device1} and {device2} are not equal.")

    def _ragged(self, a: TensorLike, b: TensorLike) -> tuple[Any, Any] | None:
        """The values as nested lists, if one of them is ragged."""
        if not (isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor)):
            return None
        pair = []
        for value in (a, b):
            if isinstance(value, RaggedTensor):
                pair.append(value.to_list())
            else:
                pair.append(value if isinstance(value, list) else self._array(value).tolist())
        return pair[0], pair[1]

    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: str | None = None) -> None:
        """Asserts that two arrays, or ragged tensors, have the same shape and elements."""
        ragged = self._ragged(a, b)
        if ragged is not None:
            self.assertEqual(*ragged, msg)
            return
        first, second = self._array(a), self._array(b)
        self.assertEqual(first.shape, second.shape, msg)
        np.testing.assert_array_equal(first, second, msg or "")

    def assertDictEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that two dictionaries have the same keys and values; floats may be nearly equal."""
        values = [*getattr(a, "values", tuple)(), *getattr(b, "values", tuple)()]
        if not any(isinstance(value, _COMPARED_BY_ELEMENTS) for value in values):
            super().assertDictEqual(a, b, msg)  # type: ignore[no-untyped-call]
            return
        self.assertSameElements(a.keys(), b.keys(), msg)  # type: ignore[no-untyped-call]
        for key, value in a.items():
            if value is b[key]:
                continue
            is_ragged = isinstance(value, RaggedTensor)
            kind = value.dtype.as_numpy_dtype if is_ragged else self._array(value).dtype
            check = self.assertAllClose if np.issubdtype(kind, np.floating) else self.assertAllEqual
            check(value, b[key], msg=msg or key)

    def assertAllClose(
        self, a: object, b: object, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Asserts that structures of arrays, or ragged tensors, are close, elementwise."""
        self._assert_close(a, b, rtol, atol, msg)

    def _assert_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str | None) -> None:
        """The same of parts, too: `assertAllClose` may be overridden with other parameters."""
        ragged = self._ragged(a, b)
        if ragged is not None:
            nest.assert_same_structure(*ragged)
            a, b = (nest.flatten(value) for value in ragged)
        a, b = _as_container(a), _as_container(b)
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertIsInstance(a, dict, msg)
            self.assertIsInstance(b, dict, msg)
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, msg)
        elif _is_list_of_parts(a) or _is_list_of_parts(b):
            if not executing_eagerly():
                # Tensors of graphs have values, and lengths, once they ran.
                a, b = self._run_together([a, b])
            a, b = (
                v if isinstance(v, list | tuple) else np.atleast_1d(self._array(v)) for v in (a, b)
            )
            self.assertEqual(len(a), len(b), msg)
            for first, second in zip(a, b, strict=True):
                self._assert_close(first, second, rtol, atol, msg)
        else:
            first, second = self._array(a), self._array(b)
            self.assertEqual(first.shape, second.shape, msg)
            pair = [x.astype(np.float32) if x.dtype.kind == "V" else x for x in (first, second)]
            one, other = pair
            if not (np.ndim(rtol) or np.ndim(atol)):
                np.testing.assert_allclose(one, other, rtol, atol, err_msg=msg or "")
                return
            near = np.isclose(one, other, rtol, atol)  # tolerances of each element
            self.assertTrue(near.all(), msg or f"{one[~near]} and {other[~near]} are not close")

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Asserts that two arrays are not close."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        raise AssertionError(msg or f"The arrays are close: {a} and {b}")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays differ somewhere."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(msg or f"The arrays are equal: {a} and {b}")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays have the same shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertAllGreater(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Asserts that all elements are greater than a number."""
        self.assertTrue((self._array(a) > self._array(comparison_target)).all())

    def assertAllLess(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Asserts that all elements are less than a number."""
        self.assertTrue((self._array(a) < self._array(comparison_target)).all())

    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Asserts that no element is less than a number."""
        self.assertTrue((self._array(a) >= self._array(comparison_target)).all())

    def assertAllLessEqual(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Asserts that no element is greater than a number."""
        self.assertTrue((self._array(a) <= self._array(comparison_target)).all())

    def assertAllInRange(
        self,
        target: TensorLike,
        lower_bound: TensorLike,
        upper_bound: TensorLike,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Asserts that all elements are between two numbers, which open bounds leave out."""
        values, lower, upper = map(self._array, (target, lower_bound, upper_bound))
        if values.dtype.kind not in "biufV":
            self.fail(f"There is no range of {values.dtype}")
        above = values > lower if open_lower_bound else values >= lower
        below = values < upper if open_upper_bound else values <= upper
        self.assertTrue((above & below).all())

    def assertAllInSet(self, target: TensorLike, expected_set: Any) -> None:
        """Asserts that every element is one of a set."""
        if isinstance(expected_set, _core.Tensor):
            expected_set = self._array(expected_set).reshape(-1).tolist()
        strange = set(np.asarray(self.evaluate(target)).reshape(-1).tolist()) - set(expected_set)
        self.assertFalse(strange, f"{strange} not in {expected_set}")

    def assertAllCloseAccordingToType(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Asserts that two arrays are as close as the coarser of their dtypes allows."""
        first, second = np.asarray(self.evaluate(a)), np.asarray(self.evaluate(b))
        names = {first.dtype.name, second.dtype.name}
        for kinds, relative, absolute in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & kinds:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        wide = np.complex128 if "c" in (first.dtype.kind, second.dtype.kind) else np.float64
        self.assertAllClose(first.astype(wide), second.astype(wide), rtol, atol, msg)

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Asserts that the values of two lists differ by at most `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(
        self, ndarray1: TensorLike, ndarray2: TensorLike, err: float, msg: str | None = None
    ) -> None:
        """Asserts that the difference of two arrays has a norm of at most `err`."""
        distance = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertTrue(distance < err, msg or f"The arrays are {distance} apart")

    def assertDTypeEqual(self, target: TensorLike, expected_dtype: Any) -> None:
        """Asserts that an array has a dtype."""
        dtype = np.asarray(self.evaluate(target)).dtype
        self.assertEqual(dtype, getattr(expected_dtype, "as_numpy_dtype", expected_dtype))

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, validate_message: Any, msg: str | None = None
    ) -> None:
        """Asserts that a message equals another one, which may be written as text."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, str | bytes):
            expected = protobuf("text_format").Parse(expected, type(validate_message)())
        self.assertEqual(expected, validate_message, msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type: type[Exception], expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Asserts that an exception is raised whose text matches, or that satisfies a function."""
        wanted = expected_err_re_or_predicate
        try:
            yield
        except exception_type as error:
            text = getattr(error, "message", str(error))
            matches = wanted(error) if callable(wanted) else re.search(wanted, text)
            self.assertTrue(matches, f"Exception of type {type(error)}: {text}")
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: object) -> Any:
        """Asserts that an error of an operation is raised whose text matches."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self,
        exception_type: type[Exception] = InvalidArgumentError,
        incompatible_shapes_re: str = r"Incompatible shapes|Dimensions must be equal|required "
        r"broadcastable shapes|shapes must match|are incompatible",
    ) -> contextlib._GeneratorContextManager[None, None, None]:
        """Asserts that an error about shapes that do not fit is raised."""
        return self.assertRaisesWithPredicateMatch(exception_type, incompatible_shapes_re)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Asserts that two numbers differ by at most `err`."""
        self.assertTrue(
            f1 == f2 or abs(f1 - f2) <= err, msg or f"{f1} and {f2} differ by more than {err}"
        )


def main(argv: Any = None) -> None:
    """Runs the tests of the program, after its flags have been read."""
    absltest.main(**({} if argv is None else {"argv": argv}))
