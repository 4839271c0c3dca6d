from eagerflow.distribute.contexts import ValueContext as ValueContext
from eagerflow.distribute.options import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
)
from eagerflow.distribute.strategy import (
    CentralStorageStrategy as CentralStorageStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)

CollectiveCommunication = CommunicationImplementation
CollectiveHints = CommunicationOptions
