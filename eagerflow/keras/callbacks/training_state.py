"""What a training depends on besides weights: data, random values, metrics, callbacks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.data import codec
from eagerflow.data.iterator import IteratorSpec
from eagerflow.framework import random_seed
from eagerflow.framework.variable import Variable
from eagerflow.keras.random_generator import RandomGenerator
from eagerflow.util.program_warnings import warn

_VALUES = (int, float, np.ndarray, np.generic)  # of the logs that are saved


class TrainingState:
    """The state of one call of `fit`, which arrays can hold.

    Args:
        model: the model that is trained.
        callbacks: its list of callbacks.
        data: the DataHandler.
        validation: the Validation.
    """

    def __init__(self, model: Any, callbacks: Any, data: Any, validation: Any) -> None:
        self._model = model
        self._callbacks = callbacks
        self._data = data
        self._validation = validation
        self._streams: list[Any] = []  # variables: the positions of the graph's random streams
        self._first_values: list[Any] = []
        model.train_function = None
        self._steps = model.make_train_function()
        model.train_function = self._train

    def _train(self, iterator: Any) -> Any:
        with random_seed.keeping(self._stream):
            return self._steps(iterator)

    def _stream(self, words: list[int]) -> Any:
        """A variable for the next stream, in the order in which graphs are traced."""
        number = len(self._streams)
        first = self._first_values[number] if number < len(self._first_values) else words
        value = _core.convert(np.asarray(first, np.int64), None, None)
        self._streams.append(_core.Variable(value, False, "random_stream"))
        return self._streams[-1]

    def arrays(self, logs: dict[str, Any]) -> dict[str, np.ndarray]:
        """The state by names.

        Args:
            logs: those of the epoch at its end, or none.
        """
        plain = {
            "position": _plain(self._data.position()),
            "validation": _plain(self._validation.position),
            "logs": _plain({k: v for k, v in logs.items() if isinstance(v, _VALUES)}),
            "random": _random_state(),
            "callbacks": [
                [type(each).__name__, _plain(each.training_state())]
                for each in self._callbacks.callbacks
            ],
        }
        found = {"training": np.frombuffer(codec.encode(plain), np.uint8)}
        for kind, variables in (
            ("streams", self._streams),
            ("generators", list(_generators(self._model))),
            ("metrics", _metric_variables(self._model)),
            ("remainders", [each._remainder for each in _exact_variables(self._model)]),
            ("rate", _rate(self._model)),
        ):
            found |= {f"{kind}/{k}": each.numpy() for k, each in enumerate(variables)}
        for k, part in enumerate(_parts(self._model)):
            stored: dict[str, Any] = {}
            part.save_own_variables(stored)
            found |= {f"part {k}/{name}": value for name, value in stored.items()}
        return found

    def restore(self, state: Any, epoch: int, step: int) -> None:
        """Goes to a state that `arrays` returned, perhaps in another process.

        Args:
            state: the arrays.
            epoch: the index of the epoch.
            step: the step of the epoch; the metrics of step 0 are new.
        """
        plain = codec.decode(state["training"].tobytes())
        self._data.resume(epoch, step, plain["position"], plain.get("logs"))
        self._validation.resume(plain.get("validation", {}))
        self._first_values = _numbered(state, "streams")
        if step and not self._model.run_eagerly:
            # Metrics are made when the step is traced; no data are read.
            with random_seed.keeping(self._stream):
                self._steps.get_concrete_function(IteratorSpec(self._data.element_spec))
        _assign(list(_generators(self._model)), _numbered(state, "generators"))
        _assign(_rate(self._model), _numbered(state, "rate"))
        for k, part in enumerate(_parts(self._model)):
            stored = _numbered(state, f"part {k}")
            if stored:
                part.load_own_variables({str(k): value for k, value in enumerate(stored)})
        takers = list(self._callbacks.callbacks)
        for name, values in plain["callbacks"]:
            taker = next((each for each in takers if type(each).__name__ == name), None)
            if taker is not None:
                takers.remove(taker)
                taker.restore_training_state(nest.map_structure(_array, values))
            elif values:
                warn(f"The backup has the state of a {name}, and there is no such callback now.")
        _set_random_state(plain["random"])

    def restore_metrics(self, state: Any) -> None:
        """Gives the metrics the values that they had in the middle of an epoch."""
        _assign(_metric_variables(self._model), _numbered(state, "metrics"))
        values = map(_core.as_tensor, _numbered(state, "remainders"))
        for variable, value in zip(_exact_variables(self._model), values, strict=False):
            variable._set_remainder(value)


def _numbered(state: Any, kind: str) -> list[Any]:
    names = [name for name in state if name.startswith(f"{kind}/")]
    return [state[f"{kind}/{k}"] for k in range(len(names))]


def _assign(variables: list[Any], values: list[Any]) -> None:
    for variable, value in zip(variables, values, strict=False):
        variable.assign(value)


def _metric_variables(model: Any) -> list[Any]:
    return [variable for metric in model.metrics for variable in metric.variables]


def _exact_variables(model: Any) -> list[Any]:
    """The variables of metrics that keep what additions lose to rounding."""
    return [each for each in _metric_variables(model) if each._remainder is not None]


def _parts(model: Any) -> list[Any]:
    """What an optimizer has besides its variables, such as the scale of losses."""
    return list(getattr(model.optimizer, "_state_parts", dict)().values())


def _rate(model: Any) -> list[Any]:
    """The learning rate, which is not among an optimizer's variables; nothing if a schedule says it."""
    rate = getattr(model.optimizer, "learning_rate", None)
    return [rate] if isinstance(rate, _core.Variable) else []


def _generators(model: Any) -> Iterator[Variable]:
    """The states of the random generators of a model's layers."""
    for layer in model._all_inner_layers():
        for value in vars(layer).values():
            if isinstance(value, RandomGenerator):
                value = value._generator
            state = getattr(value, "state", None)
            if isinstance(state, Variable):
                yield state


def _plain(value: Any) -> Any:
    """A structure with tensors for arrays, and Python's numbers for NumPy's."""

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return _core.as_tensor(leaf)
        return leaf.item() if isinstance(leaf, np.generic) else leaf

    return nest.map_structure(convert, value)


def _array(leaf: Any) -> Any:
    return leaf.numpy() if isinstance(leaf, _core.Tensor) else leaf


def _random_state() -> dict[str, Any]:
    """The positions of the program's sources of random values."""
    version, words, gauss = random.getstate()
    name, keys, *rest = np.random.get_state()
    numpy = [str(name), [int(key) for key in keys], *_plain(rest)]
    python = [version, list(words), gauss]
    return {"python": python, "numpy": numpy, "tensorflow": random_seed.position()}


def _set_random_state(state: dict[str, Any]) -> None:
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, *rest = state["numpy"]
    np.random.set_state((name, np.array(keys, np.uint32), *rest))
    random_seed.go_to(state["tensorflow"])
