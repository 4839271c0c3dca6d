"""tf.compat.v1.distribute: training on several devices and machines."""

from eagerflow.distribute.collectives import ReduceOp
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.distribute")


def get_loss_reduction() -> ReduceOp:
    """How losses of replicas become one: they are added, each divided by the number of replicas.

    >>> tf.compat.v1.distribute.get_loss_reduction()
    <ReduceOp.SUM: 'SUM'>
    """
    return ReduceOp.SUM
