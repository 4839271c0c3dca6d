"""tf.test.experimental: waiting for devices."""


def sync_devices() -> None:
    """Returns when all devices have computed their operations, which are synchronous here.

    >>> tf.test.experimental.sync_devices()
    """
