"""A cell that sees what it attends to."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow_compat.v1.layers import Dense
from eagerflow_compat.v1.rnn_cells import RNNCell

_ops = _core.ops


class AttentionWrapperState(
    namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """The state of an `AttentionWrapper`."""

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with other parts, such as `cell_state`.

        Raises:
            ValueError: if tensors have other shapes than those before.
        """

        def checked(before: TensorLike, after: Any) -> Any:
            if isinstance(before, _core.Tensor) and not before.shape.is_compatible_with(
                _core.as_tensor(after).shape
            ):
                raise ValueError(
                    f"The shape of the AttentionWrapperState is expected to be {before.shape}, not "
                    f"{after.shape}. Use the wrapper's zero_state with the same batch size; for beam "
                    "search, tile the encoder's state by tile_batch."
                )
            return after

        for name, value in kwargs.items():
            nest.map_structure(checked, getattr(self, name), value)
        return self._replace(**kwargs)


class AttentionWrapper(RNNCell):
    """A cell whose inputs are joined with what it attended to before.

    Args:
        cell: an `RNNCell`.
        attention_mechanism: an `AttentionMechanism`, or a list of them.
        attention_layer_size: the size of the layer over the cell's output and the context, or a list
            of sizes; without one, the context itself is the attention.
        alignment_history: whether the state keeps all weights, in a TensorArray.
        cell_input_fn: makes the cell's inputs of inputs and attention; by default joins them.
        output_attention: whether the attention is the output, or the cell's output.
        initial_cell_state: the cell's state in `zero_state`.
        name: the cell's name.
        attention_layer: a layer, or a list of them, in place of the sizes.
        dtype: of the layers.

    Raises:
        ValueError: if there are both sizes and layers, or not one for each mechanism.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Structure = None,
        name: str | None = None,
        attention_layer: Any = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._is_multi = isinstance(attention_mechanism, list | tuple)
        self._mechanisms = list(attention_mechanism) if self._is_multi else [attention_mechanism]
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._attention_layers = [None] * len(self._mechanisms)
        if attention_layer_size is not None:
            self._attention_layers = [
                Dense(size, use_bias=False, name="attention_layer", dtype=dtype)
                for size in self._for_each(attention_layer_size)
            ]
        elif attention_layer is not None:
            self._attention_layers = self._for_each(attention_layer)
        self._cell = cell
        self._alignment_history = alignment_history
        self._cell_input_fn = cell_input_fn or (
            lambda x, attention: _ops.concat([x, attention], -1)
        )
        self._output_attention = output_attention
        self._initial_cell_state = initial_cell_state
        self._attention_size = sum(
            mechanism.values.shape[-1] if layer is None else _units(layer, mechanism, cell)
            for layer, mechanism in zip(self._attention_layers, self._mechanisms, strict=True)
        )

    def _for_each(self, given: Any) -> list[Any]:
        found = list(given) if isinstance(given, list | tuple) else [given]
        if len(found) != len(self._mechanisms):
            raise ValueError(
                f"There must be an attention layer for each mechanism: {len(found)} and "
                f"{len(self._mechanisms)}"
            )
        return found

    def _packed(self, values: Structure) -> Any:
        """One value for each mechanism, as the state has it."""
        return tuple(values) if self._is_multi else values[0]

    def _unpacked(self, values: Structure) -> list[Any]:
        return list(values) if self._is_multi else [values]

    @property
    def output_size(self) -> int:
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        sizes = [mechanism.alignments_size for mechanism in self._mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_size,
            time=TensorShape([]),
            alignments=self._packed(sizes),
            alignment_history=self._packed(
                [sizes[k] if self._alignment_history else () for k in range(len(sizes))]
            ),
            attention_state=self._packed([m.state_size for m in self._mechanisms]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The first state: that of the cell, and zeros."""
        cell_state = self._initial_cell_state
        if cell_state is None:
            cell_state = self._cell.zero_state(batch_size, dtype)
        alignments = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
        histories = [
            TensorArray(dtype, 0, True, element_shape=x.shape) if self._alignment_history else ()
            for x in alignments
        ]
        return AttentionWrapperState(
            cell_state=cell_state,
            attention=_ops.zeros(_ops.stack([batch_size, self._attention_size], 0), dtype),
            time=_core.as_tensor(0),
            alignments=self._packed(alignments),
            alignment_history=self._packed(histories),
            attention_state=self._packed(
                [m.initial_state(batch_size, dtype) for m in self._mechanisms]
            ),
        )

    def call(self, inputs: Any, state: Any) -> tuple[_core.Tensor | Any, AttentionWrapperState]:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        attentions, alignments, states, histories = [], [], [], []
        for mechanism, layer, before, history in zip(
            self._mechanisms,
            self._attention_layers,
            self._unpacked(state.attention_state),
            self._unpacked(state.alignment_history),
            strict=True,
        ):
            weights, after = mechanism(output, before)
            context = _ops.squeeze(_ops.matmul(_ops.expand_dims(weights, 1), mechanism.values), [1])
            attention = context if layer is None else layer(_ops.concat([output, context], 1))
            attentions.append(attention)
            alignments.append(weights)
            states.append(after)
            histories.append(history.write(state.time, weights) if self._alignment_history else ())
        attention = attentions[0] if len(attentions) == 1 else _ops.concat(attentions, 1)
        new = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._packed(alignments),
            alignment_history=self._packed(histories),
            attention_state=self._packed(states),
        )
        return attention if self._output_attention else output, new


def _units(layer: Any, mechanism: Any, cell: RNNCell) -> int:
    if hasattr(layer, "units"):
        return layer.units
    width = cell.output_size + mechanism.values.shape[-1]
    return int(TensorShape(layer.compute_output_shape(TensorShape([None, width])))[-1])
