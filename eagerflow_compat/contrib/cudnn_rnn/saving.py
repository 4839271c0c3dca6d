"""What checkpoints have of a parameter vector: the variables of cells, by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.graphdef import cudnn_rnn
from eagerflow.keras import naming
from eagerflow_compat.contrib.cudnn_rnn import cells, parameters
from eagerflow_compat.v1.rnn_cells import BasicRNNCell

_ops = _core.ops


class CudnnOpaqueParamsSaveable:
    """A parameter vector as the variables of the cells that compute the same, for `tf.train.Saver`.

    Their names are those of a `MultiRNNCell` in `dynamic_rnn`, or of
    `stack_bidirectional_dynamic_rnn` if there are two directions. Savers find the object in the
    collection `tf.GraphKeys.SAVEABLE_OBJECTS`, or in their list.

    Args:
        opaque_params: the variable of the vector.
        num_layers: the number of layers.
        num_units: the size of the states.
        input_size: the size of the inputs.
        input_mode: "linear_input".
        direction: "unidirectional" or "bidirectional".
        scope: the scope of the cells' network, which comes before the names.
        name: the object's name.
    """

    _rnn_mode = ""
    _cell: type = object

    def __init__(
        self,
        opaque_params: Any,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = parameters.CUDNN_INPUT_LINEAR_MODE,
        direction: str = parameters.CUDNN_RNN_UNIDIRECTION,
        scope: Any = None,
        name: str = "cudnn_rnn_saveable",
    ) -> None:
        self.variable = opaque_params
        self.name = name
        self._numbers = num_layers, num_units, input_size
        self._words = self._rnn_mode, input_mode, direction
        self._scope = getattr(scope, "name", scope) or ""

    def _networks(self) -> Iterator[tuple[str, int]]:
        """The prefix of the names of each layer and direction, and the size of its inputs."""
        layers, units, size = self._numbers
        both = self._words[2] == parameters.CUDNN_RNN_BIDIRECTION
        cell = naming.snake_case(self._cell.__name__)
        start = f"{self._scope}/" if self._scope else ""
        for layer in range(layers):
            inputs = size if layer == 0 else units * (1 + both)
            if not both:
                yield f"{start}rnn/multi_rnn_cell/cell_{layer}/{cell}", inputs
                continue
            for way in ("fw", "bw"):
                scopes = f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{way}"
                yield f"{start}{scopes}/{cell}", inputs

    def saved(self, params: Any) -> dict[str, _core.Tensor]:
        """What a checkpoint has, by name, of a value of the vector."""
        weights, biases = cudnn_rnn.to_canonical(*self._numbers, params, *self._words)
        found = {}
        networks = list(self._networks())
        count = len(weights) // len(networks)
        for k, (prefix, _) in enumerate(networks):
            where = slice(k * count, (k + 1) * count)
            for name, value in self._of_cell(weights[where], biases[where]).items():
                found[f"{prefix}/{name}"] = value
        return found

    def names(self) -> list[str]:
        """The names in checkpoints."""
        inside = self._variables()
        return [f"{prefix}/{name}" for prefix, _ in self._networks() for name in inside]

    def restored(self, values: Mapping[str, Any]) -> _core.Tensor:
        """The vector of what a checkpoint has."""
        weights: list[Any] = []
        biases: list[Any] = []
        for prefix, inputs in self._networks():
            given = [values[f"{prefix}/{name}"] for name in self._variables()]
            of_network, added = self._of_network(given, inputs)
            weights += of_network
            biases += added
        return cudnn_rnn.to_params(weights, biases)

    def _variables(self) -> Sequence[str]:
        """The names of a cell's variables."""
        return ["kernel", "bias"]

    # The number of gates, and the order in which the cell has those of the vector.
    _order: tuple[int, ...] = (0,)

    def _of_cell(self, weights: Sequence[Any], biases: Sequence[Any]) -> dict[str, Any]:
        """A cell's variables: the biases of input and state are one there."""
        gates = len(self._order)
        rows = [_ops.concat([weights[k], weights[k + gates]], 1) for k in self._order]
        added = [biases[k] + biases[k + gates] for k in self._order]
        kernel = _ops.transpose(_ops.concat(rows, 0), [1, 0])
        return {"kernel": kernel, "bias": _ops.concat(added, 0)}

    def _of_network(self, values: Sequence[Any], inputs: int) -> tuple[list[Any], list[Any]]:
        """Matrices and biases of a cell's variables; input and state have half of a bias each."""
        units, gates = self._numbers[1], len(self._order)
        columns = _ops.split(_ops.transpose(values[0], [1, 0]), [units] * gates, 0)
        pairs = [_ops.split(part, [inputs, units], 1) for part in columns]
        halves = [part * 0.5 for part in _ops.split(values[1], [units] * gates, 0)]
        back = [self._order.index(k) for k in range(gates)]
        weights = [pairs[k][side] for side in (0, 1) for k in back]
        return weights, [halves[k] for k in back] * 2


class CudnnLSTMSaveable(CudnnOpaqueParamsSaveable):
    """The parameters of a `CudnnLSTM` as variables of `CudnnCompatibleLSTMCell`."""

    _rnn_mode = parameters.CUDNN_LSTM
    _cell = cells.CudnnCompatibleLSTMCell
    _order = (0, 2, 1, 3)


class CudnnRNNTanhSaveable(CudnnOpaqueParamsSaveable):
    """The parameters of a `CudnnRNNTanh` as variables of `BasicRNNCell`."""

    _rnn_mode = parameters.CUDNN_RNN_TANH
    _cell = BasicRNNCell


class CudnnRNNReluSaveable(CudnnRNNTanhSaveable):
    """The parameters of a `CudnnRNNRelu` as variables of `BasicRNNCell`."""

    _rnn_mode = parameters.CUDNN_RNN_RELU


class CudnnGRUSaveable(CudnnOpaqueParamsSaveable):
    """The parameters of a `CudnnGRU` as variables of `CudnnCompatibleGRUCell`."""

    _rnn_mode = parameters.CUDNN_GRU
    _cell = cells.CudnnCompatibleGRUCell

    def _variables(self) -> Sequence[str]:
        scopes = "gates", "candidate/input_projection", "candidate/hidden_projection"
        return [f"{scope}/{name}" for name in ("kernel", "bias") for scope in scopes]

    def _of_cell(self, weights: Sequence[Any], biases: Sequence[Any]) -> dict[str, Any]:
        gates = _ops.concat([_ops.concat([weights[k], weights[k + 3]], 1) for k in (0, 1)], 0)
        values = [_ops.transpose(part, [1, 0]) for part in (gates, weights[2], weights[5])]
        values += [_ops.concat([biases[k] + biases[k + 3] for k in (0, 1)], 0)]
        return dict(zip(self._variables(), [*values, biases[2], biases[5]], strict=True))

    def _of_network(self, values: Sequence[Any], inputs: int) -> tuple[list[Any], list[Any]]:
        units = self._numbers[1]
        gates, of_input, of_state = (_ops.transpose(part, [1, 0]) for part in values[:3])
        pairs = [_ops.split(part, [inputs, units], 1) for part in _ops.split(gates, [units] * 2, 0)]
        halves = list(_ops.split(values[3] * 0.5, [units] * 2, 0))
        weights = [pairs[0][0], pairs[1][0], of_input, pairs[0][1], pairs[1][1], of_state]
        return weights, [*halves, values[4], *halves, values[5]]
