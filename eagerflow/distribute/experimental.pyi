from eagerflow.distribute.contexts import ValueContext as ValueContext
from eagerflow.distribute.experimental_strategy import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from eagerflow.distribute.options import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
)
from eagerflow.distribute.strategy import (
    CentralStorageStrategy as CentralStorageStrategy,
)

CollectiveCommunication = CommunicationImplementation
CollectiveHints = CommunicationOptions
