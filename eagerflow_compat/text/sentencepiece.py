"""SentencePiece's tokenizer, by its own package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.tensor import items
from eagerflow.ragged.graph_specs import convert
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.strings.elementwise import from_items
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util.optional import optional
from eagerflow_compat.text.pieces import Piece, cut_with_offsets
from eagerflow_compat.text.tokenization import Detokenizer, TokenizerWithOffsets

Tensor = _core.Tensor


class SentencepieceTokenizer(TokenizerWithOffsets, Detokenizer):
    """Cuts strings into the pieces of a model that SentencePiece trained.

    Args:
        model: the model's bytes.
        out_type: tf.int32 for the numbers of pieces, tf.string for the pieces.
        nbest_size: above 1, pieces are drawn among so many best ways; below 0 among all.
        alpha: how evenly they are drawn.
        reverse: whether the pieces are given in reverse order.
        add_bos: whether the sign of a beginning is before them.
        add_eos: whether the sign of an end is behind them.
        return_nbest: True is not supported.

    Raises:
        ImportError: if the package sentencepiece is not installed.
        ValueError: if `return_nbest` is asked for.
    """

    def __init__(
        self,
        model: Any = None,
        out_type: DTypeLike = dtypes.int32,
        nbest_size: int = 0,
        alpha: float = 1.0,
        reverse: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
        return_nbest: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        if return_nbest:
            raise ValueError(
                "return_nbest is not supported: use nbest_encode of the package sentencepiece"
            )
        package = optional("sentencepiece", "SentencepieceTokenizer")
        data = items(_core.convert(model, dtypes.string, None))[0]
        self._processor = package.SentencePieceProcessor(model_proto=data)
        self.out_type = dtypes.as_dtype(out_type)
        self.nbest_size, self.alpha = nbest_size, alpha
        self.reverse, self.add_bos, self.add_eos = reverse, add_bos, add_eos

    def tokenize(self, input: TensorLike, name: str | None = None) -> Any:
        """The pieces of each string, in one axis more."""
        return self.tokenize_with_offsets(input)[0]

    def tokenize_with_offsets(self, input: TensorLike, name: str | None = None) -> Any:
        """The pieces of each string, and the bytes where they begin and end."""
        return cut_with_offsets(self._cut, input, "SentencepieceTokenize", self.out_type)

    def _cut(self, data: bytes) -> list[Piece]:
        sampled = self.nbest_size not in (0, 1)
        found = self._processor.encode(
            data,
            return_type="proto",
            enable_sampling=sampled,
            nbest_size=self.nbest_size if sampled else -1,
            alpha=self.alpha,
        )
        as_text = self.out_type is dtypes.string
        pieces = [
            (part.piece.encode() if as_text else part.id, part.begin, part.end)
            for part in found.pieces
        ]
        if self.add_bos:
            pieces.insert(0, (self._sign(self._processor.bos_id()), 0, 0))
        if self.add_eos:
            pieces.append((self._sign(self._processor.eos_id()), 0, 0))
        if self.reverse:
            pieces.reverse()
        return pieces

    def _sign(self, number: int) -> Any:
        if self.out_type is not dtypes.string:
            return number
        return self._processor.id_to_piece(number).encode()

    def detokenize(self, input: TensorLike, name: str | None = None) -> Any:
        """The strings of pieces or their numbers, in one axis less."""
        tokens = convert(input, None)
        if isinstance(tokens, Tensor):
            if not tokens.ndim:
                raise ValueError("The rank of tokens must be at least 1, got a scalar")
            if tokens.ndim == 1:
                return self.detokenize(tokens[None])[0]
            tokens = RaggedTensor.from_tensor(tokens, ragged_rank=tokens.ndim - 1)
        if tokens.ragged_rank > 1:
            return tokens.with_values(self.detokenize(tokens.values))
        if _core.building() is not None:
            spec = tf.TensorSpec([tokens.shape[0]], tf.string)
            return host_call(self.detokenize, spec, (tokens,), name="SentencepieceDetokenize")
        return from_items([self._joined(row) for row in tokens.to_list()], (int(tokens.nrows()),))

    def _joined(self, row: Sequence[Any]) -> bytes:
        row = row[::-1] if self.reverse else row
        if row and isinstance(row[0], bytes):
            return self._processor.decode([piece.decode() for piece in row]).encode()
        return self._processor.decode(list(row)).encode() if row else b""

    def vocab_size(self, name: str | None = None) -> Tensor:
        """How many pieces the model has, int32."""
        return tf.constant(self._processor.get_piece_size(), tf.int32)

    def id_to_string(self, input: TensorLike, name: str | None = None) -> Any:
        """The pieces of numbers."""
        numbers = range(self._processor.get_piece_size())
        pieces = tf.constant([self._processor.id_to_piece(number) for number in numbers])
        return tf.gather(pieces, input)

    def string_to_id(self, input: TensorLike, name: str | None = None) -> Any:
        """The numbers of pieces, int32; that of the unknown piece for others."""
        numbers = range(self._processor.get_piece_size())
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(
                [self._processor.id_to_piece(number) for number in numbers],
                tf.range(len(numbers), dtype=tf.int32),
            ),
            self._processor.unk_id(),
        )
        return table.lookup(input)
