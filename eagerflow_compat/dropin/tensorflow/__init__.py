"""What `tensorflow.__file__` and `tensorflow.__path__` name: modules below are found by the import hook."""
