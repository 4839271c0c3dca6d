"""SidecarEvaluatorModelExport: saves the best model that a SidecarEvaluator evaluates."""

from __future__ import annotations

import re
from typing import Any

from eagerflow.keras.callbacks.model_checkpoint import ModelCheckpoint


class SidecarEvaluatorModelExport(ModelCheckpoint):
    """Saves the model after an evaluation that improves on all earlier ones.

    Args:
        export_filepath: the path; a field `{epoch:04d}` is the index of the checkpoint.
        checkpoint_filepath: the path of the checkpoints of the training program, such as
            "folder/ckpt-{epoch:04d}".
        **kwargs: `monitor`, `mode`, `save_weights_only` and more, see `ModelCheckpoint`.
    """

    def __init__(self, export_filepath: Any, checkpoint_filepath: Any, **kwargs: Any) -> None:
        # The model is saved after evaluations only.
        if kwargs.get("save_freq") == "eval":
            del kwargs["save_freq"]
        super().__init__(filepath=export_filepath, save_best_only=True, **kwargs)
        self._checkpoints = ModelCheckpoint(checkpoint_filepath)
        self.export_index = 0

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Stores the index of the checkpoint that is evaluated."""
        newest = self._checkpoints._newest()
        number = re.match(r".*ckpt-(\d+)", newest) if newest else None
        self.export_index = int(number[1]) - 1 if number else 0

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Saves the model if it improved."""
        self.epochs_since_last_save += 1
        self._save_model(self.export_index, None, logs)
