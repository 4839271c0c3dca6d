"""TensorBoard: writes losses, metrics and weights as event files."""

from __future__ import annotations

import contextlib
import importlib
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eagerflow import _core, errors
from eagerflow.framework import context
from eagerflow.keras import config
from eagerflow.keras.callbacks.callback import Callback, plain
from eagerflow.keras.optimizers.schedules import LearningRateSchedule
from eagerflow.keras.typing import Logs
from eagerflow.protos.graph import MESSAGES
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

if TYPE_CHECKING:
    from eagerflow.summary.writer import SummaryWriter

# Imported when it is first used: few programs need it.
keras_layers = lazy.Module("eagerflow.keras.layers")

_ops = _core.ops
_DEPRECATED_ARGUMENTS = {"write_grads", "embeddings_layer_names", "embeddings_data", "batch_size"}
# Imported when they are first used: few programs profile.
logging = lazy.Module("eagerflow.framework.logging")
profiler = lazy.Module("eagerflow.profiler.experimental")


def _summary() -> Any:
    return importlib.import_module("eagerflow.summary")


def _profiled(batches: Any) -> tuple[int, int]:
    """The first and last batch to profile, from 1; zeros for none.

    Raises:
        ValueError: unless it is a batch, the first and the last batch, or both in a string.
    """
    ends = batches
    try:
        if isinstance(batches, str):
            ends = [int(part) for part in batches.split(",")]
            ends = ends[0] if len(ends) == 1 else ends
        first, last = (ends, ends) if isinstance(ends, int) else ends
        if ends == 0 or 0 < first <= last:
            return int(first), int(last)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        "profile_batch must be a non-negative integer or 2-tuple of positive integers. A pair of positive "
        f"integers signifies a range of batches to profile. Found: {batches}"
    )


class TensorBoard(Callback):
    """Writes event files into the folders `train` and `validation` of a folder.

    Args:
        log_dir: the folder; `tensorboard --logdir` shows it.
        histogram_freq: the number of epochs between histograms of the weights; 0: none.
        write_graph: whether to write the model's layers.
        write_images: whether to write the weights as images, too.
        write_steps_per_second: whether to write the training speed.
        update_freq: "epoch", "batch", or the number of batches after which the losses and metrics
            so far, and the program's own `tf.summary` calls, are written.
        profile_batch: the number of a batch, from 1, or the first and the last of several, such as
            `(10, 20)` or "10,20", whose operations are profiled (`tf.profiler.experimental`); 0: none.
        embeddings_freq: the number of epochs between saves of the weights for the projector; 0: none.
        embeddings_metadata: paths of files that name an embedding's rows, by layer name.
        **kwargs: deprecated arguments, which are ignored with a warning.

    Raises:
        ValueError: for an unknown argument, and if `profile_batch` names no batches.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> board = tf.keras.callbacks.TensorBoard(folder)
    >>> history = model.fit(tf.ones([4, 2]), tf.ones([4]), verbose=0, callbacks=[board])
    >>> os.listdir(folder)
    ['train']
    """

    _supports_tf_logs = True

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: str | int = "epoch",
        profile_batch: object = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: object = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        unknown = set(kwargs) - _DEPRECATED_ARGUMENTS
        if unknown:
            raise ValueError(
                f"Unrecognized arguments in `TensorBoard` Callback: {unknown}. Supported kwargs "
                f"are: {_DEPRECATED_ARGUMENTS}"
            )
        for name in sorted(kwargs):
            logging.warning(
                f"`{name}` is ignored by the `TensorBoard` callback since TensorFlow 2.0."
            )
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq: Any = 1 if update_freq == "batch" else update_freq
        self.profile_batch = profile_batch
        self._first_profiled, self._last_profiled = _profiled(profile_batch)
        self._profiles = False
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self._writers: dict[str, SummaryWriter] = {}
        self._open: list[contextlib.ExitStack] = []
        self._batches = 0
        self._batch_start = self._epoch_start = 0.0
        self._iterations_before = 0

    def _writer(self, part: str) -> Any:
        writer = self._writers.get(part)
        if writer is None:
            if self._writes():
                writer = _summary().create_file_writer(os.path.join(self.log_dir, part))
            else:
                writer = _summary().create_noop_writer()
            self._writers[part] = writer
        return writer

    @property
    def _train_writer(self) -> Any:
        return self._writer("train")

    @property
    def _val_writer(self) -> Any:
        return self._writer("validation")

    def set_model(self, model: Any) -> None:
        """Stores the model, and writes its layers."""
        self.model = model
        self._writers = {}
        if self.write_graph:
            self._write_layers()
        if self.embeddings_freq and self._writes():
            self._write_embeddings_config()

    def _write_layers(self) -> None:
        """Writes the model's configuration, which TensorBoard draws."""
        if not hasattr(self.model, "to_json"):
            return
        try:
            text = self.model.to_json()
        except (NotImplementedError, TypeError, ValueError):  # a subclassed model
            return
        values = importlib.import_module("eagerflow.summary.values")
        metadata = values._metadata("graph_keras_model", None, b"1")
        summary = _summary()
        with self._train_writer.as_default(), summary.record_if(True):
            summary.write("keras", _core.as_tensor(text), step=0, metadata=metadata)
            graph = _layer_graph(self.model.get_config())
            if graph is not None:
                summary.graph(graph)

    def _write_embeddings_config(self) -> None:
        metadata = self.embeddings_metadata
        names = dict(metadata) if isinstance(metadata, dict) else {}
        entries = []
        for layer in self.model.layers:
            if not isinstance(layer, keras_layers.Embedding):
                continue
            lines = ['  tensor_name: "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"']
            path = metadata if isinstance(metadata, str) else names.pop(layer.name, None)
            if path is not None:
                lines.append(f'  metadata_path: "{path}"')
            entries.append("embeddings {\n" + "\n".join(lines) + "\n}\n")
        if names:
            raise ValueError(
                "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` "
                f"`embeddings_metadata` argument: {names.keys()}"
            )
        os.makedirs(self.log_dir, exist_ok=True)
        with open(os.path.join(self.log_dir, "projector_config.pbtxt"), "w") as file:
            file.writelines(entries)

    def _begin(self, writer_of: str, step: object) -> None:
        """Makes a writer the default of the program's own summaries."""
        if self.update_freq == "epoch":
            return
        stack = contextlib.ExitStack()
        stack.enter_context(self._writer(writer_of).as_default(step))
        stack.enter_context(_summary().record_if(lambda: step % self.update_freq == 0))
        self._open.append(stack)

    def _end(self) -> None:
        if self._open:
            self._open.pop().close()

    def _implements_train_batch_hooks(self) -> bool:
        return (
            self.update_freq != "epoch" or self.write_steps_per_second or self._first_profiled > 0
        )

    def _implements_test_batch_hooks(self) -> bool:
        return False

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Opens the files."""
        self._batches = 0
        self._iterations_before = 0
        self._begin("train", self.model._train_counter)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Closes the files."""
        self._end()
        self._end_profile()
        with context.running_eagerly():  # also in a program that builds a graph
            for writer in self._writers.values():
                writer.close()

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Opens the file of the validation."""
        self._begin("validation", self.model._test_counter)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Writes the values of the evaluation."""
        optimizer = self.model.optimizer
        if logs and optimizer is not None and hasattr(optimizer, "iterations"):
            step = int(optimizer.iterations)
            self._write("validation", plain(logs), step, "evaluation_{}_vs_iterations")
        self._end()

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Stores the time, and begins the profile before its first batch."""
        self._batch_start = time.time()
        if self._first_profiled == self._batches + 1 and self._writes():
            self._begin_profile()

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Writes the averages every `update_freq` batches, and the profile after its last batch."""
        summary = _summary()
        self._batches += 1
        if self._profiles and self._batches >= self._last_profiled:
            self._end_profile()
        if self.write_steps_per_second:
            speed = 1.0 / max(time.time() - self._batch_start, 1e-9)
            with self._train_writer.as_default():
                summary.scalar("batch_steps_per_second", speed, step=self._batches)
        if self.update_freq != "epoch" and self._batches % self.update_freq == 0:
            self._write("train", plain(logs or {}), self._batches, "batch_{}")

    def _begin_profile(self) -> None:
        try:
            profiler.start(self.log_dir)
        except errors.AlreadyExistsError as error:
            # Training continues if the program itself is profiling.
            logging.error("Failed to start profiler: %s", error.message)
        else:
            self._profiles = True

    def _end_profile(self) -> None:
        if not self._profiles:
            return
        self._profiles = False
        try:
            profiler.stop()
        except errors.UnavailableError as error:
            logging.error("Failed to stop profiler: %s", error.message)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Stores the time."""
        if self.write_steps_per_second:
            self._iterations_before = int(self.model.optimizer.iterations)
            self._epoch_start = time.time()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes the epoch's values, and the weights every `histogram_freq` epochs."""
        values = plain(logs or {})
        train = {name: v for name, v in values.items() if not name.startswith("val_")}
        val = {name[4:]: v for name, v in values.items() if name.startswith("val_")}
        optimizer = self.model.optimizer
        rate = getattr(optimizer, "_learning_rate", None)
        if train and isinstance(rate, LearningRateSchedule):
            train["learning_rate"] = float(rate(optimizer.iterations))
        if train and self.write_steps_per_second:
            steps = int(optimizer.iterations) - self._iterations_before
            train["steps_per_second"] = steps / max(time.time() - self._epoch_start, 1e-9)
        self._write("train", train, epoch, "epoch_{}")
        if val:
            self._write("validation", val, epoch, "epoch_{}")
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            path = os.path.join(self.log_dir, "train", f"keras_embedding.ckpt-{epoch}")
            self.model.save_weights(path)

    def _write(self, part: str, values: dict[str, object], step: int, form: str) -> None:
        summary = _summary()
        with self._writer(part).as_default(), summary.record_if(True):
            for name, value in values.items():
                if isinstance(value, int | float):
                    summary.scalar(form.format(name), value, step=step)
                else:
                    warn(f"{name} is no number and is not written.")

    def _write_weights(self, epoch: int) -> None:
        summary = _summary()
        with self._train_writer.as_default(), summary.record_if(True):
            for layer in self.model.layers:
                for weight in layer.weights:
                    name = weight.name.replace(":", "_")
                    summary.histogram(name + "/histogram", weight, step=epoch)
                    if self.write_images:
                        image = _as_image(weight)
                        if image is not None:
                            summary.image(name + "/image", image, step=epoch)
        self._train_writer.flush()


def _as_image(weight: _core.Variable) -> _core.Tensor | None:
    """A weight as images `[n, height, width, channels]`, or None if its shape does not fit."""
    values = _ops.squeeze(weight.read_value())
    shape = values._shape_tuple()
    if len(shape) == 1:
        values = _ops.reshape(values, [1, shape[0], 1, 1])
    elif len(shape) == 2:
        if shape[0] > shape[1]:
            values = _ops.transpose(values, [1, 0])
        values = values[None, ..., None]
    elif len(shape) == 3:
        if config.image_data_format() == "channels_last":
            values = _ops.transpose(values, [2, 0, 1])
        values = values[..., None]
    shape = values._shape_tuple()
    return values if len(shape) == 4 and shape[-1] in (1, 3, 4) else None


def _layer_graph(config: object) -> Any:
    """A GraphDef with a node for each layer of a Sequential or functional model, or None."""
    layers = config.get("layers") if isinstance(config, dict) else None
    if not isinstance(layers, list):
        return None
    names = {entry["config"].get("name") for entry in layers}
    graph = MESSAGES["GraphDef"]()
    previous: list[str] = []
    for entry in layers:
        name = entry["config"]["name"]
        inputs = previous
        if "inbound_nodes" in entry:
            inputs = list(dict.fromkeys(_names_among(entry["inbound_nodes"], names)))
        graph.node.add(name=name, op=entry["class_name"], input=inputs)
        previous = [name]
    return graph


def _names_among(inbound: object, names: set[str]) -> Iterator[str]:
    """The names of layers in nested inbound nodes, each of which begins with a name."""
    if isinstance(inbound, dict):
        inbound = list(inbound.values())
    if not isinstance(inbound, (list, tuple)) or not inbound:
        return
    if isinstance(inbound[0], str) and inbound[0] in names:
        yield inbound[0]
        inbound = inbound[3:]  # the node and tensor indices; arguments may contain nodes, too
    for node in inbound:
        yield from _names_among(node, names)
