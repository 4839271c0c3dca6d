from eagerflow.distribute import coordinator as coordinator, partitioners as partitioners
from eagerflow.distribute.contexts import ValueContext as ValueContext
from eagerflow.distribute.experimental_strategy import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from eagerflow.distribute.options import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
)
from eagerflow.distribute.parameter_server import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from eagerflow.distribute.preemption import (
    PreemptionCheckpointHandler as PreemptionCheckpointHandler,
    PreemptionWatcher as PreemptionWatcher,
    TerminationConfig as TerminationConfig,
)
from eagerflow.distribute.strategy import (
    CentralStorageStrategy as CentralStorageStrategy,
)

CollectiveCommunication = CommunicationImplementation
CollectiveHints = CommunicationOptions
