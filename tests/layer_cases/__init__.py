"""Layers with inputs, on which eagerflow is compared with Keras 2 (package tf_keras).

A family's module has a list `CASES`. `python -m oracle.record layers` runs them on tf_keras and
writes `recorded/<family>.npz`; `tests/keras/layers/test_layer_cases.py` runs them on eagerflow.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "recorded"
FAMILIES = (
    *("core", "convolution", "pooling", "reshaping", "merging", "normalization"),
    *("recurrent", "attention", "preprocessing", "images", "conv_lstm", "local", "noise"),
)


def values(*shape: int, seed: int = 0, low: float = -2.0, high: float = 2.0) -> Any:
    """Distinct float32 values in random order, evenly spaced inside (low, high)."""
    count = int(np.prod(shape))
    spread = low + (high - low) * (np.arange(count) + 0.37) / max(count, 1)
    return np.random.default_rng(seed + count).permutation(spread).reshape(shape).astype("float32")


def integers(*shape: int, high: int, seed: int = 0) -> Any:
    """Whole numbers from 0 to `high` - 1."""
    return np.random.default_rng(seed).integers(0, high, shape).astype("int32")


@dataclass
class Case:
    """A layer and a call of it.

    `make` gets the module of layers and returns a layer. `inputs` is an array or a list of them,
    `call` holds more arguments of the call. `weights` is False where weights are left as they are.
    `examples` is False where examples of a batch affect each other, `shape` where the output's
    shape cannot be told from the input's, `dtype` where the layer works in one dtype only, and
    `config` where its config names objects of a package.
    """

    name: str
    make: Callable[[Any], Any]
    inputs: Any
    call: dict[str, Any] = field(default_factory=dict)
    examples: bool = True
    shape: bool = True
    dtype: bool = True
    config: bool = True
    gradient: bool = True
    weights: bool = True

    @property
    def arrays(self) -> list[Any]:
        return list(self.inputs) if isinstance(self.inputs, list) else [self.inputs]

    def arguments(self, tf: Any) -> dict[str, Any]:
        """The other arguments of the call, with tensors in place of arrays."""
        return {key: tensors_of(tf, value) for key, value in self.call.items()}

    def packed(self, tensors: Sequence[Any]) -> Any:
        """Tensors in the structure of the inputs."""
        return list(tensors) if isinstance(self.inputs, list) else tensors[0]


def flat(outputs: Any) -> list[Any]:
    """A call's outputs as a list."""
    if isinstance(outputs, (list, tuple)):
        return [leaf for output in outputs for leaf in flat(output)]
    return [outputs]


def tensors_of(tf: Any, value: Any) -> Any:
    """An argument of a call, with tensors in place of arrays."""
    if isinstance(value, list):
        return [tensors_of(tf, entry) for entry in value]
    return tf.constant(value) if isinstance(value, np.ndarray) else value


def plain(value: Any) -> Any:
    """A config without differences that JSON does not know."""

    def simple(leaf: Any) -> Any:
        if hasattr(leaf, "tolist"):
            return leaf.tolist()
        return dict(leaf) if hasattr(leaf, "keys") else list(leaf)

    text = json.dumps(value, default=simple)
    return json.loads(text, parse_float=lambda digits: float(f"{float(digits):.6g}"))


def set_weights(layer: Any) -> None:
    """Gives every weight distinct values; those of variances are positive."""
    arrays = []
    for position, weight in enumerate(layer.weights):
        shape = tuple(weight.shape)
        if weight.dtype.name.startswith(("int", "string", "bool")):
            arrays.append(weight.numpy())
            continue
        array = values(*shape, seed=position, low=-1.0, high=1.0)
        if "variance" in weight.name or "seed" in weight.name:
            array = np.abs(array) + 0.5
        arrays.append(array)
    layer.set_weights(arrays)


def loss_of(tf: Any, layer: Any, outputs: Sequence[Any]) -> Any:
    """A weighted sum of a layer's outputs, and its own losses."""
    loss = 0.0
    for position, output in enumerate(outputs):
        if output.dtype.name in ("float32", "float64"):
            weights = values(*output.shape, seed=position + 1, low=-1.0, high=1.0)
            loss += tf.reduce_sum(output * tf.constant(weights, output.dtype))
    return loss + tf.add_n(layer.losses) if layer.losses else loss


def run(tf: Any, keras: Any, case: Case) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The layer, the arrays and the facts that a case gives."""
    keras.backend.reset_uids()
    tf.random.set_seed(1)
    layer = case.make(keras.layers)
    tensors = [tf.constant(array) for array in case.arrays]
    arguments = case.arguments(tf)
    layer(case.packed(tensors), **arguments)
    if case.weights:
        set_weights(layer)
    watched = [t for t in tensors if t.dtype.name == "float32"]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = flat(layer(case.packed(tensors), **arguments))
        loss = loss_of(tf, layer, outputs)
    arrays = {f"out{number}": array_of(output) for number, output in enumerate(outputs)}
    if case.gradient:
        sources = watched + list(layer.trainable_weights)
        for number, gradient in enumerate(tape.gradient(loss, sources)):
            if gradient is not None:
                arrays[f"grad{number}"] = tf.convert_to_tensor(gradient).numpy()
    facts: dict[str, Any] = {"dtypes": [output.dtype.name for output in outputs]}
    if case.weights:
        for number, weight in enumerate(layer.non_trainable_weights):
            arrays[f"state{number}"] = weight.numpy()
        facts["weights"] = [weight.name for weight in layer.weights]
        facts["trainable"] = [weight.name for weight in layer.trainable_weights]
    if case.config:
        facts["config"] = plain(layer.get_config())
    if case.shape:
        shapes = [(None, *array.shape[1:]) for array in case.arrays]
        found = layer.compute_output_shape(case.packed(shapes))
        facts["shape"] = [list(shape) for shape in shapes_of(tf, found)]
    return layer, arrays, facts


def compare_arrays(
    got: Any, expected: Any, what: str, rtol: float = 2e-5, atol: float = 2e-5
) -> None:
    """Raises AssertionError unless arrays agree, relative to the largest value of all."""
    assert got.shape == expected.shape and got.dtype == expected.dtype, what
    if got.dtype.kind in "fc":
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        np.testing.assert_allclose(got, expected, rtol, atol * scale, err_msg=what)
    else:
        np.testing.assert_array_equal(got, expected, err_msg=what)


def compare(answer: tuple[dict, dict], expected: tuple[dict, dict], name: str) -> None:
    """Raises AssertionError unless a case's arrays and facts are the expected ones."""
    assert answer[1] == expected[1]
    assert answer[0].keys() == expected[0].keys()
    for key, array in answer[0].items():
        compare_arrays(array, expected[0][key], f"{name}: {key}")


def array_of(tensor: Any) -> Any:
    """A tensor's array, strings of fixed length that a file can hold."""
    array = tensor.numpy()
    return array.astype("S") if array.dtype == object else array


def shapes_of(tf: Any, found: Any) -> list[tuple]:
    """What `compute_output_shape` returned, as a list of tuples."""
    if isinstance(found, tf.TensorShape):
        return [tuple(found.as_list())]
    if isinstance(found, (list, tuple)) and all(isinstance(n, (int, type(None))) for n in found):
        return [tuple(found)]
    return [shape for entry in found for shape in shapes_of(tf, entry)]


def save(family: str, answers: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Writes what a family's cases gave."""
    arrays = {
        f"{name}/{key}": a for name, (found, _) in answers.items() for key, a in found.items()
    }
    facts = {name: facts for name, (_, facts) in answers.items()}
    text = np.frombuffer(zlib.compress(json.dumps(facts).encode(), 9), np.uint8)
    np.savez_compressed(RECORDED / f"{family}.npz", facts=text, **arrays)


def load(family: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What `save` wrote."""
    with np.load(RECORDED / f"{family}.npz") as file:
        facts = json.loads(zlib.decompress(file["facts"].tobytes()))
        answers: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
            name: ({}, fact) for name, fact in facts.items()
        }
        for path in file.files:
            if path != "facts":
                name, _, key = path.rpartition("/")
                answers[name][0][key] = file[path]
    return answers
