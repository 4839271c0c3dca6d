"""The base classes of what cuts strings, and puts them together again."""

from __future__ import annotations

import abc
from typing import Any

from eagerflow.framework.module import Module
from eagerflow.typing import TensorLike


class Splitter(Module, metaclass=abc.ABCMeta):
    """Cuts each string into pieces."""

    @abc.abstractmethod
    def split(self, input: TensorLike) -> Any:
        """The pieces of each string, in one axis more."""


class SplitterWithOffsets(Splitter):
    """Cuts each string into pieces, and says where they were."""

    @abc.abstractmethod
    def split_with_offsets(self, input: TensorLike) -> Any:
        """The pieces of each string, and the bytes where they begin and end."""


class Tokenizer(Splitter):
    """Cuts each string into tokens: strings, or the numbers that stand for them."""

    @abc.abstractmethod
    def tokenize(self, input: TensorLike) -> Any:
        """The tokens of each string, in one axis more."""

    def split(self, input: TensorLike) -> Any:
        """The same as `tokenize`."""
        return self.tokenize(input)


class TokenizerWithOffsets(Tokenizer, SplitterWithOffsets):
    """Cuts each string into tokens, and says where they were."""

    @abc.abstractmethod
    def tokenize_with_offsets(self, input: TensorLike) -> Any:
        """The tokens of each string, and the bytes where they begin and end."""

    def split_with_offsets(self, input: TensorLike) -> Any:
        """The same as `tokenize_with_offsets`."""
        return self.tokenize_with_offsets(input)


class Detokenizer(Module, metaclass=abc.ABCMeta):
    """Puts strings together from tokens."""

    @abc.abstractmethod
    def detokenize(self, input: TensorLike) -> Any:
        """The strings whose tokens these are."""
