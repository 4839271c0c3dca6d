"""Monitored sessions: they initialize or restore, run hooks, and end cleanly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from eagerflow import errors
from eagerflow.checkpoint.state import get_checkpoint_state
from eagerflow.framework import context
from eagerflow.graph import variables as graph_variables
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.session import BaseSession, Session
from eagerflow.ops.control_flow import group
from eagerflow.train.coordinator import Coordinator
from eagerflow_compat.v1 import session_hooks as hooks_module
from eagerflow_compat.v1.queue_runner import start_queue_runners
from eagerflow_compat.v1.saver import Saver
from eagerflow_compat.v1.session_hooks import SessionRunArgs, SessionRunContext, SessionRunValues
from eagerflow_compat.v1.summary import merge_all

_DEFAULT = object()


class Scaffold:
    """What a session needs to start: initializers, the saver, and the summary.

    Args:
        init_op: initializes variables; by default all global ones.
        init_feed_dict: values for it.
        init_fn: called with the scaffold and the session after that.
        ready_op: returns the names of variables that are not initialized.
        ready_for_local_init_op: returns the names of global variables that are not initialized.
        local_init_op: initializes local variables.
        summary_op: the summary; by default all of the graph.
        saver: saves and restores; by default all global variables.
        copy_from_scaffold: accepted.
        local_init_feed_dict: values for `local_init_op`.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: object = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: object = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        self.init_op = init_op
        self.init_feed_dict = init_feed_dict
        self.init_fn = (lambda session: init_fn(self, session)) if init_fn else None
        self.ready_op = ready_op
        self.ready_for_local_init_op = ready_for_local_init_op
        self.local_init_op = local_init_op
        self.local_init_feed_dict = local_init_feed_dict
        self.summary_op = summary_op
        self.saver = saver

    def finalize(self) -> Scaffold:
        """Makes what was not passed, and finalizes the graph."""
        if self.init_op is None:
            self.init_op = graph_variables.global_variables_initializer()
        if self.ready_for_local_init_op is None:
            self.ready_for_local_init_op = self.get_or_default(
                "ready_for_local_init_op",
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                _uninitialized_global_variables,
            )
        if self.local_init_op is None:
            self.local_init_op = self.get_or_default(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op
            )
        if self.ready_op is None:
            self.ready_op = graph_variables.report_uninitialized_variables()
        if self.summary_op is None:
            self.summary_op = merge_all()
        if self.saver is None:
            self.saver = self.get_or_default("saver", GraphKeys.SAVERS, _saver_of_all)
        if self.saver is not None:
            self.saver.build()
        context.default_graph().finalize()
        return self

    @staticmethod
    def default_local_init_op() -> Any:
        """An operation that initializes the graph's local variables and tables."""
        return group(
            graph_variables.local_variables_initializer(), graph_variables.tables_initializer()
        )

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable) -> Any:
        """The only element of a collection, or a new one that is added to it."""
        members = context.default_graph().get_collection(collection_key)
        if len(members) > 1:
            raise RuntimeError(f"More than one item in the collection {collection_key!r}.")
        if members:
            return members[0]
        made = default_constructor()
        if made is not None:
            context.default_graph().add_to_collection(collection_key, made)
        return made


def _uninitialized_global_variables() -> Any:
    """The names of the graph's variables that have no values yet, local ones apart."""
    return graph_variables.report_uninitialized_variables(graph_variables.global_variables())


def _saver_of_all() -> Saver:
    """A saver of the graph's variables, which may be none."""
    return Saver(allow_empty=True)


def _restored(
    session: Session, saver: Saver | None, folder: str | None, path: str | None = None
) -> bool:
    """Whether variables have been restored from a path, or from a folder's latest checkpoint.

    The saver then knows the checkpoints of the folder, and keeps as many as it may of them and its own.
    """
    state = get_checkpoint_state(folder) if folder and not path else None
    path = path or (state.model_checkpoint_path if state else None)
    if not path or saver is None:
        return False
    saver.restore(session, path)
    if state is not None:
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
    return True


class SessionManager:
    """Makes sessions and initializes or restores their variables.

    Args:
        local_init_op: initializes local variables.
        ready_op: returns the names of variables that are not initialized.
        ready_for_local_init_op: accepted.
        graph: the graph.
        recovery_wait_secs: accepted.
        local_init_run_options: accepted.
        local_init_feed_dict: values for `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: object = None,
        graph: Any = None,
        recovery_wait_secs: int = 30,
        local_init_run_options: object = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        self._local_init_op = local_init_op
        self._local_feeds = local_init_feed_dict
        self._ready_op = ready_op
        self._graph = graph

    def prepare_session(
        self,
        master: str,
        init_op: object = None,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable | None = None,
    ) -> Session:
        """A session, restored from the latest checkpoint, or initialized if there is none.

        Raises:
            RuntimeError: if there is no way to initialize, or variables are left without values.
        """
        session = Session(master, graph=self._graph, config=config)
        if not _restored(session, saver, checkpoint_dir, checkpoint_filename_with_path):
            if init_op is None and init_fn is None and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn is not None:
                init_fn(session)
        if self._local_init_op is not None:
            session.run(self._local_init_op, feed_dict=self._local_feeds)
        if self._ready_op is not None:
            missing = session.run(self._ready_op)
            if len(missing):
                names = ", ".join(name.decode() for name in missing)
                raise RuntimeError(
                    f"Init operations did not make model ready. Variables not initialized: {names}"
                )
        return session

    def recover_session(
        self, master: str, saver: Any = None, checkpoint_dir: str | None = None, **kwargs: object
    ) -> tuple[Session, bool]:
        """A session, and whether it was restored from a checkpoint."""
        session = Session(master, graph=self._graph)
        if not _restored(session, saver, checkpoint_dir):
            return session, False
        if self._local_init_op is not None:
            session.run(self._local_init_op, feed_dict=self._local_feeds)
        return session, True


class SessionCreator:
    """Base class of what makes the sessions of monitored sessions."""

    def create_session(self) -> Session:
        """A session whose variables are initialized."""
        raise NotImplementedError(f"{type(self).__name__} makes no sessions.")


class ChiefSessionCreator(SessionCreator):
    """Makes sessions that are restored from a checkpoint, or initialized.

    Args:
        scaffold: the initializers, the saver and the summary.
        master: must be empty.
        config: accepted.
        checkpoint_dir: where checkpoints are.
        checkpoint_filename_with_path: or one of them.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._checkpoint_dir = checkpoint_dir
        self._path = checkpoint_filename_with_path

    def create_session(self) -> Session:
        scaffold = self._scaffold.finalize()
        manager = SessionManager(
            scaffold.local_init_op,
            scaffold.ready_op,
            graph=context.default_graph(),
            local_init_feed_dict=scaffold.local_init_feed_dict,
        )
        return manager.prepare_session(
            self._master,
            scaffold.init_op,
            scaffold.saver,
            self._checkpoint_dir,
            self._path,
            config=self._config,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(ChiefSessionCreator):
    """The same as the chief's: there are no other processes to wait for.

    Args:
        scaffold: the initializers, the saver and the summary.
        master: must be empty.
        config: accepted.
        max_wait_secs: accepted.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 1800,
    ) -> None:
        super().__init__(scaffold, master, config)


class MonitoredSession:
    """A session that initializes itself, runs hooks, and stops its threads at the end.

    Args:
        session_creator: makes the session.
        hooks: `SessionRunHook`s, called before and after runs.
        stop_grace_period_secs: how long threads may take at the end.
    """

    StepContext = SessionRunContext

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[Any] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph_was_finalized = context.default_graph().finalized
        self._hooks = list(hooks or ())
        self._grace = stop_grace_period_secs
        self._coord = Coordinator()
        for hook in self._hooks:
            hook.begin()
        creator = session_creator or ChiefSessionCreator()
        self._session: Any = creator.create_session()
        start_queue_runners(self._session, self._coord)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)

    @property
    def graph(self) -> Any:
        """The graph that the session runs."""
        return None if self._session is None else self._session.graph

    def _open(self) -> Any:
        if self._session is None:
            raise RuntimeError("Session is already closed.")
        return self._session

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs the fetches and the hooks; arguments as in `Session.run`.

        Raises:
            RuntimeError: if the session is closed, or two hooks feed the same tensor.
        """
        session = self._open()
        run_context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
        feeds = dict(feed_dict or {})
        all_fetches: dict[str, Any] = {"caller": fetches}
        for k, hook in enumerate(self._hooks):
            more = hook.before_run(run_context)
            if more is None:
                continue
            if more.fetches is not None:
                all_fetches[f"hook {k}"] = more.fetches
            for key, value in (more.feed_dict or {}).items():
                if key in feeds:
                    raise RuntimeError(f"Same tensor is fed by two hooks, or by one and run: {key}")
                feeds[key] = value
        results = session.run(all_fetches, feed_dict=feeds)
        for k, hook in enumerate(self._hooks):
            values = SessionRunValues(results.get(f"hook {k}"), options, run_metadata)
            hook.after_run(run_context, values)
        if run_context.stop_requested:
            self._coord.request_stop()
        return results["caller"]

    def run_step_fn(self, step_fn: Callable) -> Any:
        """The result of a function of a context with `session` and `run_with_hooks`.

        Raises:
            StopIteration: never to the outside: it asks for a stop.
        """
        try:
            return step_fn(_StepContext(self))
        except StopIteration:
            self._coord.request_stop()
            return None

    def should_stop(self) -> bool:
        """Whether a hook has requested a stop, or the session is closed."""
        return self._session is None or self._coord.should_stop()

    def close(self) -> None:
        """Ends the hooks and threads, and closes the session."""
        self._close(end=True)

    def _close(self, end: bool) -> None:
        if self._session is None:
            return
        session, coord = self._session, self._coord
        try:
            if end:
                for hook in self._hooks:
                    hook.end(session)
        finally:
            self._session = None
            coord.request_stop()
            try:
                coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                if not self._graph_was_finalized:
                    session.graph._unfinalize()
                session.close()

    def __enter__(self) -> MonitoredSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        over = kind is not None and issubclass(kind, errors.OutOfRangeError | StopIteration)
        self._close(end=kind is None or over)
        return over


class _StepContext:
    """The argument of functions that are passed to `run_step_fn`."""

    def __init__(self, monitored: MonitoredSession) -> None:
        self._monitored = monitored

    @property
    def session(self) -> BaseSession:
        """The session, without hooks."""
        return self._monitored._open()

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `MonitoredSession.run`."""
        return self._monitored.run(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the function, and requests a stop of the session."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class SingularMonitoredSession(MonitoredSession):
    """A monitored session for one process.

    Args:
        hooks: `SessionRunHook`s, called before and after runs.
        scaffold: the initializers, the saver and the summary.
        master: must be empty.
        config: accepted.
        checkpoint_dir: where checkpoints are.
        stop_grace_period_secs: how long threads may take at the end.
        checkpoint_filename_with_path: or one of the checkpoints.
    """

    def __init__(
        self,
        hooks: Sequence[Any] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session inside."""
        return self._open()


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A monitored session that saves checkpoints and summaries.

    Args:
        master: must be empty.
        is_chief: whether this process saves.
        checkpoint_dir: where; nothing is saved by default.
        scaffold: the initializers, the saver and the summary.
        hooks: `SessionRunHook`s, called before and after runs.
        chief_only_hooks: the same, if `is_chief`.
        save_checkpoint_secs: the time between checkpoints, by default 600.
        save_summaries_steps: the number of steps between summaries, by default 100.
        save_summaries_secs: or the time.
        config: accepted.
        stop_grace_period_secs: how long threads may take at the end.
        log_step_count_steps: the number of steps between logs of the speed.
        max_wait_secs: accepted.
        save_checkpoint_steps: the number of steps between checkpoints.
        summary_dir: where summaries are written, by default with the checkpoints.
        save_graph_def: accepted.
    """
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    if save_checkpoint_secs is _DEFAULT and save_checkpoint_steps is _DEFAULT:
        save_checkpoint_secs, save_checkpoint_steps = 600, None
    given = (save_summaries_steps, save_summaries_secs, save_checkpoint_secs, save_checkpoint_steps)
    summary_steps, summary_secs, checkpoint_secs, checkpoint_steps = (
        None if value is _DEFAULT else value for value in given
    )
    scaffold = scaffold or Scaffold()
    all_hooks = list(hooks or ())
    if is_chief:
        all_hooks += list(chief_only_hooks or ())
        folder = summary_dir or checkpoint_dir
        if folder:
            if log_step_count_steps:
                all_hooks.append(
                    hooks_module.StepCounterHook(log_step_count_steps, output_dir=folder)
                )
            if (summary_steps or 0) > 0 or (summary_secs or 0) > 0:
                all_hooks.append(
                    hooks_module.SummarySaverHook(
                        summary_steps or None, summary_secs or None, folder, scaffold=scaffold
                    )
                )
        if checkpoint_dir and ((checkpoint_secs or 0) > 0 or (checkpoint_steps or 0) > 0):
            all_hooks.append(
                hooks_module.CheckpointSaverHook(
                    checkpoint_dir,
                    checkpoint_secs or None,
                    checkpoint_steps or None,
                    scaffold=scaffold,
                )
            )
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
