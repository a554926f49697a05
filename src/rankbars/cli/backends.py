"""Where work is done: in this process, in others, or on a cluster."""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from rankbars.cli.stopping import unheard
from rankbars.data.drafts import TemporaryFolder
from rankbars.errors import DataError, MissingPackageError, OptionError

__all__ = ["BACKENDS", "CONNECT_SECONDS", "Workers", "running_on"]

BACKENDS = ("threading", "loky", "dask")
CONNECT_SECONDS = 10

# What is in the environment of Dask's workers when they start. Those of this machine report errors,
# but not that their work was taken from them; and free memory as other processes do: where Dask
# returns every piece to the system at once, arrays of some megabytes cost half as much again.
_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
_QUIET, _GIVEN_BACK = ("DASK_LOGGING__DISTRIBUTED", "critical"), "MALLOC_TRIM_THRESHOLD_"
# Nobody looks at how they spend their time: to watch them costs a tenth of a second per second.
_UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
}


class Workers(NamedTuple):
    """Who works.

    Attributes
    ----------
    backend : str, optional
        One of `BACKENDS`; processes of this machine (loky) where not given.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://head:8786"``; asks for ``"dask"``.
    jobs : int
        Number of workers, as joblib counts them.
    """

    backend: str | None = None
    scheduler: str | None = None
    jobs: int = 1

    def check(self) -> None:
        """Refuse a number of workers that means nothing."""
        if self.jobs == 0:
            raise OptionError.out_of_range("--jobs", self.jobs, "1 or more, or -1 for one per core")


@contextmanager
def running_on(workers: Workers) -> Iterator[int]:
    """Workers of the kind that was asked for, while the context lasts.

    Yields
    ------
    int
        The number of jobs to give to joblib.

    Raises
    ------
    OptionError
        If the options contradict each other.
    MissingPackageError
        If Dask is asked for and not installed.
    DataError
        If nothing answers at the address.
    """
    backend, scheduler, jobs = workers
    if scheduler is not None and backend not in (None, "dask"):
        raise OptionError(
            "--scheduler is the address of a Dask cluster; it does not go with "
            f"--backend {backend}."
        )
    if scheduler is None and backend is None:
        _start_processes(jobs)
        yield jobs
        return
    import joblib

    with ExitStack() as stack:
        if scheduler is not None or backend == "dask":
            stack.enter_context(_dask(scheduler, jobs))
            stack.enter_context(joblib.parallel_config("dask"))
            # How many workers there are is for the cluster to say.
            yield -1
        else:
            stack.enter_context(joblib.parallel_config(backend))
            if backend == "loky":
                _start_processes(jobs)
            yield jobs


def _start_processes(jobs: int) -> None:
    """Start the processes that joblib keeps for all work to come; Ctrl-C is not for them."""
    if jobs in (0, 1):  # none: it is refused by whoever starts the work
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.backend import resource_tracker

    resource_tracker.ensure_running()  # before the others, as in `unheard`
    with unheard():
        # Several calls, as joblib makes a single one by itself; they start all workers.
        Parallel(n_jobs=jobs)(delayed(os.getpid)() for _ in range(2))


@contextmanager
def _dask(scheduler: str | None, jobs: int) -> Iterator[None]:
    """A client of the cluster at the address, or of one of processes on this machine."""
    if importlib.util.find_spec("distributed") is None:
        raise MissingPackageError.for_extra("distributed", "--backend dask", '"rankbars[dask]"')
    # These packages have no types.
    dask: Any = import_module("dask")
    distributed: Any = import_module("distributed")
    with ExitStack() as stack:
        if scheduler is None:
            folder = stack.enter_context(closing(TemporaryFolder()))
            started = dict([*dask.config.get(_ENVIRONMENT).items(), _QUIET])
            started.pop(_GIVEN_BACK, None)
            own = {**_UNWATCHED, "temporary-directory": str(folder.path), _ENVIRONMENT: started}
            stack.enter_context(dask.config.set(own))
            with unheard():
                cluster = distributed.LocalCluster(
                    n_workers=None if jobs < 1 else jobs, threads_per_worker=1, processes=True,
                    # A port that is free: two runs on one machine do not meet.
                    dashboard_address="127.0.0.1:0",
                    # What fails in the work is raised here; the rest is noise of stopping.
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
            where = stack.enter_context(cluster)
        else:
            where = scheduler
        try:
            # On this machine answers come from the workers, not by way of the scheduler.
            direct = True if scheduler is None else None
            client = stack.enter_context(
                distributed.Client(where, timeout=CONNECT_SECONDS, direct_to_workers=direct)
            )
        except (OSError, ValueError) as error:
            raise DataError(
                f"No Dask scheduler answers at {scheduler!r} within {CONNECT_SECONDS} seconds. "
                "Start one with `dask scheduler` and workers with `dask worker ADDRESS`, or leave "
                "--scheduler out."
            ) from error
        if scheduler is None:
            client.run(_hush)
        yield


def _hush() -> None:
    """Let this worker say nothing of what could not be taken apart when it was stopped."""
    sys.unraisablehook = _ignore


def _ignore(_: object) -> None:
    pass
