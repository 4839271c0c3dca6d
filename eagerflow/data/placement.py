"""Elements of datasets on devices."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.framework.device import spec_of
from eagerflow.framework.device_table import table


class PlacedDataset(UnaryDataset):
    """The same elements, copied to a device; what it cannot hold, such as text, stays on the host.

    Args:
        source: the dataset of the elements.
        device: the device's name.
    """

    _public_name = "_CopyToDeviceDataset"

    def __init__(self, source: Dataset, device: str) -> None:
        super().__init__(source)
        self._device = device

    def _cursor(self, context: Context) -> Cursor:
        spec = spec_of(self._device)
        assert spec is not None
        return _PlacedCursor(self._input._cursor(context), table.row_of(spec))


class _PlacedCursor(InputCursor):
    __slots__ = ("_row",)

    def __init__(self, source: Cursor, row: int) -> None:
        super().__init__(source)
        self._row = row

    def __next__(self) -> Any:
        return nest.map_structure(self._placed, next(self._input), expand_composites=True)

    def _placed(self, leaf: object) -> Any:
        if not isinstance(leaf, _core.Tensor) or self._row < 0:
            return leaf
        return _core.copy_to_device(leaf, self._row)
