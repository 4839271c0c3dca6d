"""tensorflow.python.distribute.estimator_training: estimators under strategies, in one process."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "estimator_evaluate",
    "estimator_train",
    "init_run_config",
    "should_run_distribute_coordinator",
    "train_and_evaluate",
]

_CLUSTER = (
    "estimators train in one process here. Leave TF_CONFIG out, or train with tf.keras under "
    "tf.distribute.MultiWorkerMirroredStrategy()."
)


def init_run_config(config: Any, tf_config: dict[str, Any]) -> None:
    """Gives the configuration of a run its strategies.

    Args:
        config: the `RunConfig`.
        tf_config: what the environment variable TF_CONFIG has.

    Raises:
        ValueError: if a strategy is set twice.
        NotImplementedError: if `tf_config` has several processes.
    """
    if tf_config.get("cluster"):
        raise NotImplementedError(f"TF_CONFIG has a cluster, and {_CLUSTER}")
    chosen = config._experimental_distribute
    if chosen is not None:
        for kind in ("train", "eval"):
            strategy = getattr(chosen, f"{kind}_distribute")
            if strategy is not None and getattr(config, f"_{kind}_distribute") is not None:
                raise ValueError(
                    f"Either `{kind}_distribute` or `experimental_distribute.{kind}_distribute` can "
                    "be set."
                )
            if strategy is not None:
                setattr(config, f"_{kind}_distribute", strategy)
    config._init_distributed_setting_from_environment_var({})
    config._maybe_overwrite_session_config_for_distributed_training()
    config._distribute_coordinator_mode = None


def should_run_distribute_coordinator(config: Any) -> bool:
    """False: there are no processes to coordinate."""
    return False


def _refuse(*args: object, **kwargs: object) -> NoReturn:
    """Raises a NotImplementedError: there are no processes to coordinate."""
    raise NotImplementedError(_CLUSTER.capitalize())


train_and_evaluate = estimator_train = estimator_evaluate = _refuse
