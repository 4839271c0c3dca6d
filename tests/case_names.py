"""Names for parametrized cases, the same in every process that collects them."""

import re


def case_name(value):
    """The text of `value` without addresses, which would differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:60]
