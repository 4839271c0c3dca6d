"""Results as plain data: how a case's result is stored, read back and compared.

A result becomes JSON. Arrays live outside it, packed one after the other in a store of one flat
array per dtype; the JSON holds their dtype, shape and offset.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from oracle import static_shapes

TOLERANCES = {
    "float16": (1e-2, 1e-3),
    "bfloat16": (2e-2, 1e-2),
    "float32": (1e-5, 1e-6),
    "float64": (1e-12, 1e-13),
    "complex64": (1e-5, 1e-6),
    "complex128": (1e-12, 1e-13),
}

RECORDED = Path(__file__).parent / "recorded"


class Store:
    """Arrays packed by dtype, so that thousands of small ones cost little."""

    def __init__(self) -> None:
        self._chunks: dict[str, list[np.ndarray]] = {}
        self._sizes: dict[str, int] = {}
        self._packed: dict[str, np.ndarray] = {}

    def add(self, array: np.ndarray) -> int:
        """Appends the elements and returns the offset of the first."""
        name = array.dtype.name
        flat = np.ascontiguousarray(array).reshape(-1)
        if name == "bfloat16":
            flat = flat.view(np.uint16)
        offset = self._sizes.get(name, 0)
        self._chunks.setdefault(name, []).append(flat)
        self._sizes[name] = offset + flat.size
        return offset

    def get(self, dtype: str, shape: list[int], offset: int) -> np.ndarray:
        """The array that `add` stored at that offset."""
        if dtype not in self._packed:
            packed = np.concatenate(self._chunks[dtype])
            self._packed[dtype] = packed.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else packed
        flat = self._packed[dtype][offset : offset + math.prod(shape)]
        return flat.reshape(shape)

    def save(self, path: Path) -> None:
        """Writes one compressed file."""
        np.savez_compressed(
            path, **{name: np.concatenate(chunks) for name, chunks in self._chunks.items()}
        )

    @classmethod
    def read(cls, path: Path) -> Store:
        """Reads what `save` wrote."""
        store = cls()
        with np.load(path) as arrays:
            store._chunks = {name: [arrays[name]] for name in arrays.files}
        return store


def encode(tf: Any, value: Any, store: Store) -> Any:
    """Plain JSON for a result; arrays go to the store."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, tf.Variable):
        return _array("variable", value.numpy(), store)
    if isinstance(value, tf.Tensor):
        return _array("tensor", value.numpy(), store)
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"tensorshape": None if value.rank is None else value.as_list()}
    if isinstance(value, np.ndarray):
        return _array("array", value, store)
    if isinstance(value, np.generic):
        return _array("numpy", np.asarray(value), store)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, dict):
        return {"dict": {str(key): encode(tf, item, store) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        return [encode(tf, item, store) for item in value]
    raise TypeError(f"a case may not return {type(value).__name__}")


def _array(kind: str, array: Any, store: Store) -> Any:
    if isinstance(array, bytes):
        array = np.array(array, dtype=object)
    if array.dtype == object:
        texts = [item.decode("latin-1") for item in array.reshape(-1)]
        return {kind: "string", "shape": list(array.shape), "texts": texts}
    entry = {kind: array.dtype.name, "shape": list(array.shape)}
    return {**entry, "at": store.add(array)} if array.size else entry


def told(call: Callable[[], str]) -> str:
    """What a call returns, or the beginning of what it raises."""
    try:
        return call()
    except Exception as error:
        message = re.sub(r" at 0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")
        return message.replace("EagerTensor", "Tensor")[:90]


def answer(tf: Any, case: Any, store: Store) -> Any:
    """Runs a case: its encoded result, or `{"raised": type name, "message": text}`."""
    try:
        value = case.run(tf)
    except Exception as error:
        if not (case.raises or case.sweep or case.may_raise):
            raise
        # Addresses and lists of kernels differ from run to run.
        message = re.sub(r"0x[0-9a-f]{6,}|, KernelDef: .*", "", str(error), flags=re.DOTALL)
        if case.sweep:
            message = message.partition("\n")[0][:160]
        return {"raised": type(error).__name__, "message": message}
    if case.raises:
        raise AssertionError(f"{case.id} did not raise")
    return encode(tf, value, store)


def compare(case: Any, expected: Any, ours: Any, theirs: Store, store: Store) -> None:
    """Raises AssertionError, naming the place, where the two encoded results differ."""
    if isinstance(expected, dict) and "raised" in expected:
        _compare_error(case, expected, ours)
    elif case.better:
        static_shapes.assert_better(expected["dict"], ours["dict"])
    else:
        _compare(case, expected, ours, theirs, store, "result")


def _compare_error(case: Any, expected: Any, ours: Any) -> None:
    assert isinstance(ours, dict) and "raised" in ours, (
        f"{expected['raised']} expected ({expected['message']}), got a result"
    )
    assert ours["raised"] == expected["raised"], (
        f"{expected['raised']} expected ({expected['message']}), "
        f"got {ours['raised']}: {ours['message']}"
    )
    missing = missing_words(case.words, ours["message"])
    assert not missing, f"the message lacks {missing}: {ours['message']}"


def missing_words(words: tuple[str, ...], message: str) -> list[str]:
    """The words a message does not contain; case, blanks and the kind of bracket do not count."""
    text = _plain(message)
    return [word for word in words if not any(_plain(w) in text for w in word.split("|"))]


def _plain(text: str) -> str:
    return "".join(text.lower().split()).translate(str.maketrans("()", "[]")).replace(",]", "]")


def _compare(case: Any, expected: Any, ours: Any, theirs: Store, store: Store, place: str) -> None:
    def inner(expected: Any, ours: Any, place: str) -> None:
        _compare(case, expected, ours, theirs, store, place)

    if isinstance(expected, list):
        assert isinstance(ours, list), f"{place}: a list of {len(expected)} expected, got {ours}"
        assert len(ours) == len(expected), f"{place}: {len(expected)} entries, got {len(ours)}"
        for i, (want, got) in enumerate(zip(expected, ours, strict=True)):
            inner(want, got, f"{place}[{i}]")
    elif isinstance(expected, dict) and "dict" in expected:
        assert isinstance(ours, dict) and "dict" in ours, f"{place}: a dict expected, got {ours}"
        assert set(ours["dict"]) == set(expected["dict"]), f"{place}: keys {set(ours['dict'])}"
        for key, want in expected["dict"].items():
            inner(want, ours["dict"][key], f"{place}.{key}")
    elif isinstance(expected, dict) and "shape" in expected:
        _compare_arrays(case, expected, ours, theirs, store, place)
    elif isinstance(expected, dict) and "float" in expected:
        assert isinstance(ours, dict) and "float" in ours, f"{place}: a float expected, got {ours}"
        want, got = float.fromhex(expected["float"]), float.fromhex(ours["float"])
        np.testing.assert_allclose(got, want, rtol=1e-6 * case.loose, err_msg=place)
    else:
        assert type(ours) is type(expected) and ours == expected, (
            f"{place}: expected {expected!r}, got {ours!r}"
        )


def _compare_arrays(
    case: Any, expected: Any, ours: Any, theirs: Store, store: Store, place: str
) -> None:
    kind = next(iter(expected))
    assert isinstance(ours, dict) and kind in ours, f"{place}: a {kind} expected, got {ours}"
    dtype = expected[kind]
    assert ours[kind] == dtype, f"{place}: {dtype} expected, got {ours[kind]}"
    assert ours["shape"] == expected["shape"], (
        f"{place}: shape {expected['shape']} expected, got {ours['shape']}"
    )
    if "texts" in expected:
        assert ours["texts"] == expected["texts"], f"{place}: strings differ"
    if "at" not in expected:
        return
    want = theirs.get(dtype, expected["shape"], expected["at"])
    got = store.get(dtype, ours["shape"], ours["at"])
    if dtype not in TOLERANCES:
        np.testing.assert_array_equal(got, want, err_msg=place)
        return
    rtol, atol = (case.loose * tolerance for tolerance in TOLERANCES[dtype])
    if dtype == "bfloat16":
        got, want = got.astype(np.float32), want.astype(np.float32)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=place)


def save(family: str, answers: dict[str, Any], store: Store, folder: Path = RECORDED) -> None:
    """Writes a family's answers, one line a case."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(answer, separators=(',', ':'))}"
        for name, answer in answers.items()
    )
    (folder / f"{family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    store.save(folder / f"{family}.npz")


def load(family: str, folder: Path = RECORDED) -> tuple[dict[str, Any], Store]:
    """What `save` wrote."""
    answers = json.loads((folder / f"{family}.json").read_text())
    return answers, Store.read(folder / f"{family}.npz")
