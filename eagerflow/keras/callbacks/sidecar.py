"""SidecarEvaluatorModelExport: saves the best model that a SidecarEvaluator finds."""

from __future__ import annotations

import re
from typing import Any

from eagerflow.keras.callbacks.model_checkpoint import ModelCheckpoint


class SidecarEvaluatorModelExport(ModelCheckpoint):
    """Saves the model after an evaluation that was better than all before.

    Args:
        export_filepath: where to; `{epoch:04d}` in it is the number of the checkpoint.
        checkpoint_filepath: where the program that trains writes checkpoints, such as
            "folder/ckpt-{epoch:04d}".
        **kwargs: `monitor`, `mode`, `save_weights_only` and more, see `ModelCheckpoint`.
    """

    def __init__(self, export_filepath: Any, checkpoint_filepath: Any, **kwargs: Any) -> None:
        # Evaluations are all there is to save after.
        if kwargs.get("save_freq") == "eval":
            del kwargs["save_freq"]
        super().__init__(filepath=export_filepath, save_best_only=True, **kwargs)
        self._checkpoints = ModelCheckpoint(checkpoint_filepath)
        self.export_index = 0

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Notes which checkpoint is evaluated."""
        newest = self._checkpoints._newest()
        number = re.match(r".*ckpt-(\d+)", newest) if newest else None
        self.export_index = int(number[1]) - 1 if number else 0

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Saves the model if it is better."""
        self.epochs_since_last_save += 1
        self._save_model(self.export_index, None, logs)
