"""The session that a program shares with Keras."""

from __future__ import annotations

import threading
from typing import Any

from eagerflow.framework import context
from eagerflow.graph.session import Session, get_default_session, provide_session


class _Local(threading.local):
    session: Any = None


_local = _Local()


def set_session(session: Any) -> None:
    """Sets the session that `get_session` returns."""
    _local.session = session


def get_session(op_input_list: Any = ()) -> Any:
    """The default session, or the one that was set, or a new one for the default graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.keras.backend.get_session() is session
    True
    """
    session = get_default_session()
    if session is None:
        session = _local.session
    if session is None or session.graph is not context.default_graph():
        session = _local.session = Session()
    return session


provide_session(get_session)
