"""tf.flags: command line options, which are absl's: programs that use both see the same flags."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from absl import flags

# Names that TensorFlow had for arguments before it used absl's flags.
_FORMER_ARGUMENTS = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class _ProgramFlags:
    """The program's flags, each an attribute; the first that is read parses the command line.

    >>> tf.compat.v1.flags.DEFINE_integer("steps_of_example", 10, "How many steps.").name
    'steps_of_example'
    >>> tf.compat.v1.flags.FLAGS.mark_as_parsed()
    >>> tf.compat.v1.flags.FLAGS.steps_of_example
    10
    >>> delattr(tf.compat.v1.flags.FLAGS, "steps_of_example")
    """

    def __getattr__(self, name: str) -> Any:
        values = flags.FLAGS
        if name in values and not values.is_parsed():
            # Programs that never call `tf.app.run` parse the command line at the first access.
            values(sys.argv, known_only=True)
        return getattr(values, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(flags.FLAGS, name)

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        return flags.FLAGS(*args, **kwargs)

    def __getitem__(self, name: str) -> Any:
        return flags.FLAGS[name]

    def __contains__(self, name: str) -> bool:
        return name in flags.FLAGS

    def __iter__(self) -> Iterator[str]:
        return iter(flags.FLAGS)

    def __len__(self) -> int:
        return len(flags.FLAGS)

    def __dir__(self) -> list[str]:
        return dir(flags.FLAGS)


FLAGS = _ProgramFlags()


def _with_former_arguments(define: Callable[..., object]) -> Callable[..., object]:
    """A function that defines a flag and takes the arguments' former names, too."""

    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        return define(*args, **{_FORMER_ARGUMENTS.get(k, k): v for k, v in kwargs.items()})

    return defined


DEFINE_string = _with_former_arguments(flags.DEFINE_string)
DEFINE_boolean = _with_former_arguments(flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = _with_former_arguments(flags.DEFINE_float)
DEFINE_integer = _with_former_arguments(flags.DEFINE_integer)
