"""tf.test.experimental: waiting for devices."""


def sync_devices() -> None:
    """Returns when all devices have computed what they were asked to: operations here wait by themselves.

    >>> tf.test.experimental.sync_devices()
    """
