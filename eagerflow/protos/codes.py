"""Code: the status codes of errors, as packages' messages have them."""

from eagerflow import errors
from eagerflow.protos.schema import Schema

_CODES = " ".join(
    f"{name} = {code};" for name, code in vars(errors).items() if isinstance(code, int)
)
MESSAGES = Schema("tensorflow.error", f"enum Code {{ {_CODES} }}")
