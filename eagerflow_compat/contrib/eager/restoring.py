"""Variables that get their values from a checkpoint when they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow.checkpoint.inspection import load_checkpoint
from eagerflow.framework.variable import variable_creator_scope


@contextmanager
def restore_variables_on_create(
    save_path: str, map_func: Callable[[str], str] | None = None
) -> Iterator[None]:
    """A context in which new variables get the values of a checkpoint, by their names.

    Args:
        save_path: what `Saver.save` returned.
        map_func: gives the name in the checkpoint for a variable's name.

    Raises:
        tf.errors.NotFoundError: if there is no such checkpoint.
        ValueError: if it has no such variable.

    >>> import tempfile
    >>> tfe = tf.contrib.eager
    >>> path = tfe.Saver([tfe.Variable(3.0, name="v")]).save(tempfile.mkdtemp() + "/model")
    >>> with tfe.restore_variables_on_create(path):
    ...     print(float(tfe.Variable(0.0, name="v")))
    3.0
    """
    reader = load_checkpoint(save_path)

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        variable = next_creator(**kwargs)
        name = variable.name.split(":")[0]
        wanted = name if map_func is None else map_func(name)
        if not reader.has_tensor(wanted):
            raise ValueError(
                f"Variable {wanted} is not in the checkpoint {save_path}, which has "
                f"{sorted(reader.get_variable_to_shape_map())}"
            )
        variable.assign(reader.get_tensor(wanted))
        return variable

    with variable_creator_scope(create):
        yield
