"""The methods of models that save and load."""

from __future__ import annotations

from typing import Any


class SavingMethods:
    """Adds `save`, `save_weights` and `load_weights` to models."""

    def save(
        self,
        filepath: Any,
        overwrite: bool = True,
        save_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Saves configuration, weights and compilation; see `tf.keras.models.save_model`."""
        from eagerflow.keras.saving.api import save_model

        save_model(self, filepath, overwrite, save_format, **kwargs)

    def save_weights(
        self,
        filepath: Any,
        overwrite: bool = True,
        save_format: str | None = None,
        options: Any = None,
    ) -> None:
        """Saves the weights.

        Args:
            filepath: `NAME.weights.h5` (Keras 3's format), `NAME.h5` (HDF5 of Keras 2),
                `NAME.safetensors`, `NAME.npz`, or another name for a TensorFlow checkpoint, which
                also has the optimizer's state.
            overwrite: whether files that are there are replaced.
            save_format: "h5" or "tf", if the name does not say it.
            options: ignored.

        Raises:
            ValueError: for an unknown format, or a model without weights.
            tf.errors.OpError: of the kind that fits, if the file cannot be written.
        """
        from eagerflow.keras.saving.api import save_weights

        save_weights(self, filepath, overwrite, save_format)

    def load_weights(
        self, filepath: Any, skip_mismatch: bool = False, by_name: bool = False, options: Any = None
    ) -> Any:
        """Loads the weights that `save_weights` saved, here or in Keras.

        Args:
            filepath: the file, or a checkpoint's path without endings.
            skip_mismatch: whether layers with other shapes are left out.
            by_name: whether layers are found by their names, not by their order (HDF5 only).
            options: ignored.

        Returns:
            For checkpoints the status of `tf.train.Checkpoint.restore`. Layers that have no weights
            yet get them as soon as they make them, and what nobody took is logged in the end.

        Raises:
            ValueError: if weights do not fit; it names all that do not, and none is loaded.
            AssertionError: if a checkpoint has nothing for this model.
            tf.errors.NotFoundError: if there is no such file.
        """
        from eagerflow.keras.saving.api import load_weights

        return load_weights(self, filepath, skip_mismatch, by_name)
