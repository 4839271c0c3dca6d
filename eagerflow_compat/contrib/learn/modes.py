"""In which mode a model function is called."""

from __future__ import annotations


class ModeKeys:
    """The names of modes: to train, to evaluate, or to infer."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks the name of a mode.

        Raises:
            ValueError: if it is another one.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")
