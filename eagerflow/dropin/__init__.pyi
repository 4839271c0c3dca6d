from eagerflow.dropin.install import (
    generation as generation,
    install_as_tensorflow as install_as_tensorflow,
    uninstall as uninstall,
)
