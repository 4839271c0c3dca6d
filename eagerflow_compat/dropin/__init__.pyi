from eagerflow_compat.dropin.install import (
    generation as generation,
)
from eagerflow_compat.dropin.install import (
    install_as_tensorflow as install_as_tensorflow,
)
from eagerflow_compat.dropin.install import (
    uninstall as uninstall,
)
