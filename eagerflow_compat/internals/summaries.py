"""tensorflow.python.ops.summary_ops_v2: the state of summaries, and what writes some of them."""

from __future__ import annotations

import re

from eagerflow.summary import writer
from eagerflow_compat.v1.step_summary import (
    always_record_summaries,
    audio,
    create_file_writer,
    generic,
    histogram,
    image,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    should_record_summaries,
    summary_writer_initializer_op,
)

__all__ = [
    "_INVALID_SCOPE_CHARACTERS",
    "_summary_state",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "generic",
    "histogram",
    "image",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]

# What a name of a scope cannot have.
_INVALID_SCOPE_CHARACTERS = re.compile(r"[^-_/.A-Za-z0-9]")


class _SummaryState:
    """The writer, the step and the condition of this thread, as `tf.summary` has them."""

    is_recording_distribution_strategy = True

    @property
    def is_recording(self) -> object:
        """The condition: a value, or a function that returns one."""
        return writer.state.recording

    @is_recording.setter
    def is_recording(self, condition: object) -> None:
        writer.state.recording = condition

    @property
    def writer(self) -> object:
        """The writer in use, or None."""
        return writer.state.writer

    @writer.setter
    def writer(self, new: object) -> None:
        writer.state.writer = new

    @property
    def step(self) -> object:
        """The step that summaries have by default, or None."""
        return writer.state.step

    @step.setter
    def step(self, step: object) -> None:
        writer.state.step = step


_summary_state = _SummaryState()
