from eagerflow.framework.trackable import TrackableResource as TrackableResource
from eagerflow.saved_model.fingerprint import (
    Fingerprint as Fingerprint,
    read_fingerprint as read_fingerprint,
    VariablePolicy as VariablePolicy,
)
