"""Work that may take a while, off the event loop, in threads that nobody has to wait for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

Job = tuple["Future[Any]", Callable[[], Any]]


class DaemonExecutor(Executor):
    """A few daemon threads that read one queue.

    The interpreter joins the threads of a `ThreadPoolExecutor` before it exits, so that one long search
    keeps a server alive after its client has left. Daemon threads are let go. Jobs must therefore leave
    nothing half-done behind: read, or write to a temporary file and rename it.
    """

    def __init__(self, threads: int = 4, name: str = "worker") -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._closed = False
        self._lock = Lock()
        self._threads = [
            Thread(target=self._serve, name=f"{name}-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call. Cancelling its future before it starts means that it never runs."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._jobs.put((future, lambda: fn(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:
        """Take no more jobs. Unlike its base class it waits for the running ones only when asked to."""
        with self._lock:
            if cancel_futures:
                self._cancel_queued()
            if not self._closed:
                self._closed = True
                for _ in self._threads:
                    self._jobs.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _cancel_queued(self) -> None:
        stops = 0
        with suppress(Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is None:
                    stops += 1
                else:
                    job[0].cancel()
        for _ in range(stops):
            self._jobs.put(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            _run(*job)
            # An idle thread must not keep the last job's arguments and result alive.
            del job


def _run(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:
        # Whoever awaits the future decides; a thread that died of it would only be missing.
        future.set_exception(error)
    else:
        future.set_result(result)
