"""Gradients that leave for the other processes while the backward pass still computes others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import UnconnectedGradients
from eagerflow.framework.indexed_slices import IndexedSlices

_ops = _core.ops

# So much leaves at once: enough to be worth a call, and early enough that the last part is small.
DEFAULT_BYTES = 4 << 20


class Buckets:
    """Sums tensors over the processes of a communicator, in the order in which they become available.

    Args:
        communicator: joins the values of several processes.
        bytes_per_bucket: how many bytes are sent at once; 0 leaves the choice.
    """

    def __init__(self, communicator: Any, bytes_per_bucket: int = 0) -> None:
        self._communicator = communicator
        self._limit = bytes_per_bucket or DEFAULT_BYTES
        self._open: list[tuple[Any, Any]] = []
        self._size = 0
        self._sent: list[tuple[Any, list[tuple[Any, Any]]]] = []

    def add(self, key: Any, tensor: Any) -> None:
        """Sends a tensor as soon as others with it are enough.

        Args:
            key: by what `sums` names it.
            tensor: the tensor.
        """
        self._open.append((key, tensor))
        # Of unknown size, such as in a graph for batches of any size: sent at once.
        elements = tensor.shape.num_elements()
        self._size += self._limit if elements is None else elements * tensor.dtype.size
        if self._size >= self._limit:
            self._send()

    def _send(self) -> None:
        ticket = self._communicator.start_sums([tensor for _, tensor in self._open])
        self._sent.append((ticket, self._open))
        self._open, self._size = [], 0

    def sums(self) -> dict[Any, Any]:
        """The sums by key, when all are there.

        The remaining tensors have no computation to overlap with. This thread sums them after the others,
        so that two threads never poll for messages at once.
        """
        totals: dict[Any, Any] = {}
        for ticket, members in self._sent:
            tensors = self._communicator.finish_sums(ticket, [tensor for _, tensor in members])
            totals.update(zip((key for key, _ in members), tensors, strict=True))
        if self._open:
            tensors = self._communicator.all_reduce([tensor for _, tensor in self._open])
            totals.update(zip((key for key, _ in self._open), tensors, strict=True))
        self._sent, self._open, self._size = [], [], 0
        return totals


class SummingTape:
    """A tape whose gradients are summed over processes; other attributes are those of the tape.

    Args:
        tape: the tape.
        communicator: joins the values of the processes.
        bytes_per_bucket: see `Buckets`.
    """

    def __init__(self, tape: Any, communicator: Any, bytes_per_bucket: int = 0) -> None:
        self._tape = tape
        self._communicator = communicator
        self._bytes = bytes_per_bucket

    def __enter__(self) -> SummingTape:
        self._tape.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._tape.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tape, name)

    def gradient(
        self,
        target: object,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = None,
    ) -> Any:
        """The sums of the processes' gradients; for the arguments see `tf.GradientTape`.

        None stays None, and sparse rows are concatenated.
        """
        flat: Sequence[Any] = nest.flatten(sources)
        buckets = Buckets(self._communicator, self._bytes)
        contexts: dict[int, Any] = {}

        def send(number: int, gradient: Any) -> None:
            tensor, contexts[number] = self._before(gradient)
            buckets.add(number, tensor)

        def finished(number: int, gradient: Any) -> None:
            gradient = self._form(gradient)
            if self._stays(flat[number]) or isinstance(gradient, IndexedSlices):
                return
            with _core.stop_recording():
                send(number, gradient)

        own = self._tape._gradient_as_finished(target, flat, output_gradients, finished)
        results = list(own)
        rows = []
        with _core.stop_recording():
            for number, gradient in enumerate(own):
                if gradient is None or number in contexts:
                    continue
                if self._stays(flat[number]):
                    results[number] = self._of_this_process(gradient)
                elif isinstance(self._form(gradient), IndexedSlices):
                    rows.append(number)
                else:
                    send(number, self._form(gradient))
            for number, total in buckets.sums().items():
                results[number] = self._after(total, contexts[number])
            for number in rows:
                results[number] = self._after(self._gathered(own[number]), None)
            if UnconnectedGradients(unconnected_gradients or "none") is UnconnectedGradients.ZERO:
                for number, gradient in enumerate(results):
                    if gradient is None:
                        results[number] = _ops.zeros_like(_core.as_tensor(flat[number]))
        return nest.pack_sequence_as(sources, results)

    # What other tapes of this kind change.

    def _stays(self, source: object) -> bool:
        """Whether each process keeps its own gradient of a source."""
        return False

    def _of_this_process(self, gradient: Any) -> Any:
        """What becomes of such a gradient."""
        return gradient

    def _form(self, gradient: Any) -> Any:
        """A gradient as it travels: a tensor or rows."""
        return gradient

    def _before(self, gradient: Any) -> tuple[Any, None]:
        """The tensor to send, such as in a smaller dtype, and the context for `_after`."""
        return gradient, None

    def _after(self, total: Any, context: object) -> Any:
        """What becomes of a sum, or of the rows of all processes."""
        return total

    def _gathered(self, rows: Any) -> IndexedSlices:
        values, indices = self._communicator.all_gather_rows([rows.values, rows.indices])
        return IndexedSlices(values, indices, rows.dense_shape)
