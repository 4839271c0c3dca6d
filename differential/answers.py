"""Answers of either library as plain data, and how two of them differ."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np

from oracle import fuzz, values

# How much more than one operation's tolerance a program may lose.
DEPTH = 10


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception."""

    name: str
    message: str

    @classmethod
    def of(cls, error: Exception) -> Raised:
        return cls(type(error).__name__, str(error)[:400])

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A tensor's or another value's kind, dtype and elements."""

    kind: str
    dtype: str
    array: Any

    def __str__(self) -> str:
        text = np.array2string(np.asarray(self.array), threshold=30, precision=8)
        return f"{self.kind} {self.dtype} {np.shape(self.array)} {text[:600]}"


Answer = Raised | list[Leaf]


def answer(tf: Any, value: Any) -> list[Leaf]:
    """All leaves of a result, in order."""
    if isinstance(value, tf.Tensor):
        return [Leaf("Tensor", value.dtype.name, value.numpy())]
    if isinstance(value, tf.Variable):
        return [Leaf("Variable", value.dtype.name, value.numpy())]
    if value is None:
        return [Leaf("None", "", 0)]
    if isinstance(value, dict):
        return [
            Leaf("dict", "", sorted(map(str, value))),
            *_all(tf, [value[k] for k in sorted(value)]),
        ]
    if isinstance(value, list | tuple):
        return [Leaf("list", "", len(value)), *_all(tf, value)]
    if isinstance(value, tf.RaggedTensor | tf.SparseTensor | tf.IndexedSlices):
        parts = tf.nest.flatten(value, expand_composites=True)
        if isinstance(value, tf.IndexedSlices):
            parts = [tf.convert_to_tensor(value)]
        return [Leaf(type(value).__name__, value.dtype.name, len(parts)), *_all(tf, parts)]
    if isinstance(value, np.ndarray):
        if any(isinstance(item, np.ndarray) for item in value.flat):  # of a ragged tensor
            return [Leaf("array", "object", value.shape[0]), *_all(tf, value)]
        return [Leaf("array", value.dtype.name, value)]
    if isinstance(value, bool | int | str | bytes):
        return [Leaf(type(value).__name__, "", value)]
    if isinstance(value, float):  # perhaps an element of a tensor
        return [Leaf("float", "float32", np.asarray(value))]
    if isinstance(value, np.generic):
        return [Leaf(type(value).__name__, "float64", np.asarray(value))]
    if isinstance(value, tf.TensorShape | tf.DType | tf.TypeSpec):
        text = (
            str(value)
            .replace("EagerTensor", "Tensor")
            .replace("<dtype: '", "tf.")
            .replace("'>", "")
        )
        return [Leaf("description", "", text)]
    return [Leaf("something else", "", 0)]


def _all(tf: Any, items: Any) -> list[Leaf]:
    return [leaf for item in items for leaf in answer(tf, item)]


def difference(theirs: Answer, ours: Answer, noise: list[Answer] = []) -> str | None:
    """How two answers differ: "value", "dtype", "shape" and the like, or None.

    Args:
        theirs: TensorFlow's answer.
        ours: eagerflow's.
        noise: TensorFlow's answers to the same program when what differs in the last bits does so
            at random; ours may be as far from TensorFlow's as these are, and a bit more.
    """
    if isinstance(theirs, Raised) or isinstance(ours, Raised):
        return _raised(theirs, ours)
    if len(theirs) != len(ours):
        return "structure"
    for k, (want, got) in enumerate(zip(theirs, ours, strict=True)):
        others = [
            other[k] for other in noise if isinstance(other, list) and len(other) == len(theirs)
        ]
        found = _leaf(want, got, others)
        if found:
            if len(others) < len(noise):
                return None
            return found
    return None


def _raised(theirs: Answer, ours: Answer) -> str | None:
    def told(found: Answer) -> dict[str, Any]:
        if isinstance(found, Raised):
            return {"raised": found.name, "message": found.message}
        return {"value": None}

    kind = fuzz.kind(told(theirs), told(ours))
    if kind in (None, "absent", "escaped"):
        return None
    one = theirs.name if isinstance(theirs, Raised) else "answers"
    other = ours.name if isinstance(ours, Raised) else "answers"
    if one in fuzz.ACCIDENTS:
        return None
    return f"raises: {one}, ours {other}"


def _leaf(want: Leaf, got: Leaf, others: list[Leaf]) -> str | None:
    if want.kind != got.kind:
        return f"kind: {want.kind}, ours {got.kind}"
    if want.dtype != got.dtype:
        return f"dtype: {want.dtype}, ours {got.dtype}"
    if np.shape(want.array) != np.shape(got.array):
        return None if any(np.shape(o.array) != np.shape(want.array) for o in others) else "shape"
    if want.kind == "description" and re.fullmatch(_pattern(want.array), got.array):
        return None
    if want.dtype not in values.TOLERANCES:
        if np.array_equal(want.array, got.array):
            return None
        settled = all(np.array_equal(want.array, o.array) for o in others)
        return "value" if settled else None
    one, other = _wide(want.array), _wide(got.array)
    if one.size == 0:
        return None
    if np.array_equal(one, other):
        return None
    with np.errstate(all="ignore"):
        rtol, atol = (DEPTH * t for t in values.TOLERANCES[want.dtype])
        finite = np.abs(one[np.isfinite(one)])
        slack = atol * max(1.0, finite.max(initial=0.0))
        for noisy in others:
            if noisy.dtype != want.dtype or np.shape(noisy.array) != one.shape:
                return None
            wide = _wide(noisy.array)
            if not np.array_equal(np.isfinite(wide), np.isfinite(one)):
                return None
            far = np.abs(wide - one)
            slack = max(slack, 50 * far[np.isfinite(far)].max(initial=0.0))
        if np.allclose(other, one, rtol=rtol, atol=slack, equal_nan=True):
            return None
    return "value" if np.array_equal(np.isnan(one), np.isnan(other)) else "nan"


def _pattern(description: str) -> str:
    """A pattern of matching descriptions: sizes that are unknown there may be known here."""
    return re.escape(description).replace("None", r"\w+")


def _wide(array: Any) -> Any:
    array = np.asarray(array)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def identical(theirs: Answer | None, ours: Answer | None) -> bool:
    """Whether two answers have the same bits, as far as elements tell."""
    if not isinstance(theirs, list) or not isinstance(ours, list) or len(theirs) != len(ours):
        return False
    return all(
        a.dtype == b.dtype
        and np.shape(a.array) == np.shape(b.array)
        and (np.asarray(a.array).tobytes() == np.asarray(b.array).tobytes())
        for a, b in zip(theirs, ours, strict=True)
    )
