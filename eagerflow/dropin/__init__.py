"""The drop-in: programs that say `import tensorflow` run on eagerflow."""

from eagerflow.dropin.install import generation, install_as_tensorflow, uninstall

__all__ = ["generation", "install_as_tensorflow", "uninstall"]
