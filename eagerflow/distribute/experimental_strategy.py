"""tf.distribute.experimental: a strategy with other arguments than its successor."""

from __future__ import annotations

from typing import Any

from eagerflow.distribute import strategy
from eagerflow.distribute.options import CommunicationImplementation, CommunicationOptions


class MultiWorkerMirroredStrategy(strategy.MultiWorkerMirroredStrategy):
    """`tf.distribute.MultiWorkerMirroredStrategy`, with the arguments that it had at first.

    Args:
        communication: a `tf.distribute.experimental.CommunicationImplementation`.
        cluster_resolver: describes the cluster.

    >>> tf.distribute.experimental.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(
        self,
        communication: CommunicationImplementation = CommunicationImplementation.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))
