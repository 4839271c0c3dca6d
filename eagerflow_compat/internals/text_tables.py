"""tensorflow.python.ops.lookup_ops: initializers of tables from a file of one word a line."""

from __future__ import annotations

from eagerflow.framework import dtypes
from eagerflow.lookup.initializers import TextFileIndex, TextFileInitializer
from eagerflow.typing import DTypeLike, FilePath

__all__ = ["TextFileIdTableInitializer", "TextFileStringTableInitializer"]


class TextFileIdTableInitializer(TextFileInitializer):
    """From words to the numbers of their lines; arguments as those of `tf.lookup.TextFileInitializer`."""

    def __init__(
        self,
        filename: FilePath,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: DTypeLike = dtypes.string,
    ) -> None:
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            dtypes.int64,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )


class TextFileStringTableInitializer(TextFileInitializer):
    """From the numbers of lines to words; arguments as those of `tf.lookup.TextFileInitializer`."""

    def __init__(
        self,
        filename: FilePath,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename,
            dtypes.int64,
            key_column_index,
            dtypes.string,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )
