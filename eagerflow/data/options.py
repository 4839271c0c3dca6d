"""tf.data.Options: how a pipeline is to be run."""

from __future__ import annotations

import enum
from typing import Any

from eagerflow.util.program_warnings import warn


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """How saving treats state outside of a pipeline."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How worker counts are chosen."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _OptionGroup:
    """Attributes that are None until they are set, and merge by what is set."""

    _fields: dict[str, tuple[type, ...]] = {}
    _defaults: dict[str, Any] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __getattr__(self, name: str) -> Any:
        if name not in type(self)._fields:
            raise AttributeError(f"{type(self).__name__} has no option {name!r}.")
        return self._values.get(name, type(self)._defaults.get(name))

    def __setattr__(self, name: str, value: object) -> None:
        kinds = type(self)._fields.get(name)
        if kinds is None:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}: there is no such option."
            )
        if value is not None and not isinstance(value, kinds):
            raise TypeError(f"Property {name!r} must be of type {kinds[0]}, got: {value!r}")
        self._values[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self)._fields]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self)._fields)

    def __hash__(self) -> int:
        return hash(type(self))

    def _merged(self, other: Options) -> Any:
        result = type(self)()
        result._values.update(self._values)
        result._values.update({k: v for k, v in other._values.items() if v is not None})
        return result


class AutotuneOptions(_OptionGroup):
    """How worker counts and buffer sizes are chosen."""

    _fields = {
        "enabled": (bool,),
        "cpu_budget": (int,),
        "ram_budget": (int,),
        "autotune_algorithm": (AutotuneAlgorithm,),
        "initial_parallelism": (int,),
        "min_parallelism": (int,),
    }


class DistributeOptions(_OptionGroup):
    """How a dataset is distributed."""

    _fields = {"auto_shard_policy": (AutoShardPolicy,), "num_devices": (int,)}
    _defaults = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_OptionGroup):
    """Which rewrites of a pipeline are enabled."""

    _fields = dict.fromkeys(
        (
            "apply_default_optimizations",
            "filter_fusion",
            "filter_parallelization",
            "inject_prefetch",
            "seq_interleave_prefetch",
            "map_and_batch_fusion",
            "map_and_filter_fusion",
            "map_fusion",
            "map_parallelization",
            "noop_elimination",
            "parallel_batch",
            "shuffle_and_repeat_fusion",
        ),
        (bool,),
    )


class ServiceOptions(_OptionGroup):
    """Options of the data service."""

    _fields = {"pinned": (bool,)}


class ThreadingOptions(_OptionGroup):
    """How many threads a pipeline may have.

    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    """

    _fields = {"max_intra_op_parallelism": (int,), "private_threadpool_size": (int,)}


_GROUPS: dict[str, type[_OptionGroup]] = {
    "autotune": AutotuneOptions,
    "experimental_distribute": DistributeOptions,
    "experimental_optimization": OptimizationOptions,
    "experimental_service": ServiceOptions,
    "threading": ThreadingOptions,
}


class Options(_OptionGroup):
    """Options of a dataset, for `Dataset.with_options`.

    Only `deterministic` changes what a pipeline does: whether parallel steps keep the order of
    their elements. `threading.private_threadpool_size` bounds the workers that AUTOTUNE may start.
    `experimental_optimization.map_and_batch_fusion` is about errors; see `Dataset.batch`. The other
    options are kept and merged, but have no effect.

    Raises:
        AttributeError: if there is no such option.
        TypeError: if a value is of the wrong type.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> options.merge(tf.data.Options()).deterministic
    False
    """

    _fields = {
        **{name: (kind,) for name, kind in _GROUPS.items()},
        "dataset_name": (str,),
        "framework_type": (list,),
        "deterministic": (bool,),
        "experimental_external_state_policy": (ExternalStatePolicy,),
        "experimental_slack": (bool,),
        "experimental_symbolic_checkpoint": (bool,),
        "experimental_warm_start": (bool,),
    }

    _renamed = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def __init__(self) -> None:
        super().__init__()
        for name, kind in _GROUPS.items():
            self._values[name] = kind()

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(type(self)._renamed.get(name, name))

    def __setattr__(self, name: str, value: object) -> None:
        if name in type(self)._renamed:
            warn(f"options.{name} is deprecated. Use options.{type(self)._renamed[name]} instead.")
        super().__setattr__(type(self)._renamed.get(name, name), value)

    def merge(self, options: Options) -> Options:
        """New options: the other's where they are set, else these."""
        result = self._merged(options)
        for name in _GROUPS:
            result._values[name] = self._values[name]._merged(options._values[name])
        return result
