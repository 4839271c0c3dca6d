"""Ragged tensors as `tf.print` shows them."""

from __future__ import annotations

from typing import Any

from eagerflow.ragged.tensor import RaggedTensor


def ragged_text(value: RaggedTensor, summarize: int) -> str:
    """Nested brackets with commas; long rows are cut in the middle."""
    return _text(value.to_list(), summarize)


def _text(item: Any, summarize: int) -> str:
    if isinstance(item, list):
        parts = item
        cut = 0 <= 2 * summarize < len(item)
        if cut:
            parts = item[:summarize] + item[len(item) - summarize :]
        texts = [_text(part, summarize) for part in parts]
        if cut:
            texts.insert(summarize, "...")
        return f"[{', '.join(texts)}]"
    if isinstance(item, bytes):
        return f"'{item.decode(errors='replace')}'"
    if isinstance(item, bool):
        return str(item).lower()
    return f"{item:f}" if isinstance(item, float) else str(item)
