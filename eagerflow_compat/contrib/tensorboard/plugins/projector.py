"""Which variables TensorBoard shows as points, and what their rows are."""

from __future__ import annotations

import os
from typing import Any

from eagerflow.io import gfile
from eagerflow.io.os_errors import path_text
from eagerflow.protos.schema import Schema
from eagerflow_compat.v1.meta_graphs import write_message

_MESSAGES = Schema(
    "tensorflow",
    """
    message SpriteMetadata {
      string image_path = 1;
      repeated uint32 single_image_dim = 2;
    }
    message EmbeddingInfo {
      string tensor_name = 1;
      string metadata_path = 2;
      string bookmarks_path = 3;
      repeated uint32 tensor_shape = 4;
      SpriteMetadata sprite = 5;
      string tensor_path = 6;
    }
    message ProjectorConfig {
      string model_checkpoint_path = 1;
      repeated EmbeddingInfo embeddings = 2;
      string model_checkpoint_dir = 3;
    }
    """,
)
_NAMES = ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata")


def __getattr__(name: str) -> Any:
    """The class of a message, built at the first access."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _MESSAGES[name]


__all__ = [*_NAMES, "visualize_embeddings"]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes the settings of the page of embeddings beside a log.

    Args:
        summary_writer: a `tf.summary.FileWriter`, or the folder of the log.
        config: a ProjectorConfig message.

    Raises:
        ValueError: if the writer has no folder.

    >>> import tempfile
    >>> projector = tf.contrib.tensorboard.plugins.projector
    >>> config = projector.ProjectorConfig()
    >>> embedding = config.embeddings.add()
    >>> embedding.tensor_name, embedding.metadata_path = "words", "words.tsv"
    >>> folder = tempfile.mkdtemp()
    >>> projector.visualize_embeddings(folder, config)
    >>> print(open(folder + "/projector_config.pbtxt").read().strip())
    embeddings {
      tensor_name: "words"
      metadata_path: "words.tsv"
    }
    """
    find = getattr(summary_writer, "get_logdir", None)
    logdir = summary_writer if find is None else find()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    folder = path_text(logdir)
    gfile.makedirs(folder)
    write_message(os.path.join(folder, "projector_config.pbtxt"), config, True)
