"""Callbacks that send values to a CSV file, to a server, or to functions."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eagerflow.keras.callbacks.callback import Callback, warn_of_unknown
from eagerflow.keras.typing import Logs
from eagerflow.keras.utils import io_utils
from eagerflow.util.program_warnings import warn


def _cell(value: object) -> Any:
    """A value as a cell of the table; iterables in brackets."""
    if isinstance(value, str) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value
    if isinstance(value, Iterable):
        return f'"[{", ".join(map(str, value))}]"'
    return value


class CSVLogger(Callback):
    """Writes each epoch's values as a row of a CSV file.

    Args:
        filename: the file.
        separator: the separator of cells.
        append: whether rows are appended to an existing file.
    """

    def __init__(
        self, filename: str | os.PathLike[str], separator: str = ",", append: bool = False
    ) -> None:
        super().__init__()
        self.sep = separator
        self.filename = io_utils.path_to_string(filename)
        self.append = append
        self.writer: Any = None
        self.keys: list[str] | None = None
        self.append_header = True
        self.csv_file: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Opens the file."""
        if self.append and os.path.exists(self.filename):
            with open(self.filename, encoding="utf-8") as file:
                self.append_header = not file.readline()
        mode = "a" if self.append else "w"
        path = self.filename if self._writes() else os.devnull
        self.csv_file = open(path, mode, encoding="utf-8", newline="")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes the epoch's row, and the header before the first."""
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(key.startswith("val_") for key in self.keys):
                # Validation may start in a later epoch.
                self.keys.extend([f"val_{key}" for key in self.keys])
        if self.writer is None:
            self.writer = csv.DictWriter(
                self.csv_file, fieldnames=["epoch", *self.keys], delimiter=self.sep
            )
            if self.append_header:
                self.writer.writeheader()
        row = {key: _cell(logs.get(key, "NA")) for key in self.keys}
        self.writer.writerow({"epoch": epoch, **row})
        self.csv_file.flush()

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Closes the file."""
        self.csv_file.close()
        self.writer = None


class RemoteMonitor(Callback):
    """Sends each epoch's values to a server.

    Args:
        root: the server's address.
        path: the path on the server.
        field: the form field for the values as JSON.
        headers: headers of the request.
        send_as_json: whether to send the values as a JSON body rather than as a form field.
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: dict[str, str] | None = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root = root
        self.path = path
        self.field = field
        self.headers = headers
        self.send_as_json = send_as_json

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Sends the values; warns if the server does not answer."""
        import urllib.error
        import urllib.parse
        import urllib.request

        values = {"epoch": epoch} | {
            key: value.item() if isinstance(value, np.ndarray | np.generic) else value
            for key, value in (logs or {}).items()
        }
        text = json.dumps(values)
        headers = dict(self.headers or {})
        if self.send_as_json:
            body = text.encode()
            headers.setdefault("Content-Type", "application/json")
        else:
            body = urllib.parse.urlencode({self.field: text}).encode()
        request = urllib.request.Request(self.root + self.path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=10):
                pass
        except (urllib.error.URLError, OSError):
            warn(f"Could not reach RemoteMonitor root server at {self.root}")


class LambdaCallback(Callback):
    """Calls functions.

    Args:
        on_epoch_begin: called with the epoch and logs.
        on_epoch_end: called with the epoch and logs.
        on_batch_begin: called with the batch and logs.
        on_batch_end: called with the batch and logs.
        on_train_begin: called with logs.
        on_train_end: called with logs.
        **kwargs: functions for the other methods of `Callback`.

    >>> callback = tf.keras.callbacks.LambdaCallback(
    ...     on_epoch_end=lambda epoch, logs: print(epoch, logs["loss"])
    ... )
    >>> callback.on_epoch_end(0, {"loss": 0.5})
    0 0.5
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_batch_begin: Callable[..., Any] | None = None,
        on_batch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        functions = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            **kwargs,
        }
        warn_of_unknown(
            "LambdaCallback",
            {name: function for name, function in kwargs.items() if not hasattr(Callback, name)},
        )
        for name, function in functions.items():
            if function is not None:
                setattr(self, name, function)
