import asyncio
import gc
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import Executor, Future

import pytest

from lsp_server.worker import DaemonExecutor

TIMEOUT_SECONDS = 10


@pytest.fixture
def executor():
    executor = DaemonExecutor(1)
    yield executor
    executor.shutdown(cancel_futures=True)


def block(executor: Executor) -> threading.Event:
    """Keep the only thread busy until the event is set."""
    started, release = threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        release.wait(TIMEOUT_SECONDS)

    executor.submit(wait)
    assert started.wait(TIMEOUT_SECONDS)
    return release


def test_results_and_arguments_pass_through(executor):
    assert executor.submit(divmod, 7, 2).result(TIMEOUT_SECONDS) == (3, 1)
    assert executor.submit(int, "ff", base=16).result(TIMEOUT_SECONDS) == 255
    assert list(executor.map(str, range(3), timeout=TIMEOUT_SECONDS)) == ["0", "1", "2"]


def test_an_exception_reaches_the_future_and_the_thread_lives_on(executor):
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result(TIMEOUT_SECONDS)
    with pytest.raises(SystemExit):
        executor.submit(sys.exit, 3).result(TIMEOUT_SECONDS)
    assert executor.submit(int).result(TIMEOUT_SECONDS) == 0


def test_several_threads_work_at_once():
    executor = DaemonExecutor(2)
    barrier = threading.Barrier(2)
    for future in [executor.submit(barrier.wait, TIMEOUT_SECONDS) for _ in range(2)]:
        future.result(TIMEOUT_SECONDS)
    executor.shutdown()


def test_a_job_that_is_cancelled_before_it_starts_never_runs(executor):
    release = block(executor)
    ran: list[str] = []
    cancelled = executor.submit(ran.append, "cancelled")
    assert cancelled.cancel()
    release.set()
    executor.submit(ran.append, "next").result(TIMEOUT_SECONDS)
    assert ran == ["next"]


def test_an_idle_thread_keeps_no_arguments_alive(executor):
    class Payload:
        pass

    payload = Payload()
    seen = weakref.ref(payload)
    executor.submit(id, payload).result(TIMEOUT_SECONDS)
    del payload
    end = time.monotonic() + TIMEOUT_SECONDS
    while seen() is not None and time.monotonic() < end:
        gc.collect()
    assert seen() is None


def test_run_in_executor_can_be_cancelled_while_the_job_runs(executor):
    release = threading.Event()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(loop.run_in_executor(executor, release.wait, TIMEOUT_SECONDS), 0.05)
        release.set()
        assert await loop.run_in_executor(executor, int) == 0

    asyncio.run(main())


def test_no_jobs_are_taken_after_shutdown(executor):
    executor.shutdown()
    executor.shutdown()
    with pytest.raises(RuntimeError):
        executor.submit(int)


def test_shutdown_runs_or_cancels_what_is_queued():
    for cancel in (False, True):
        executor = DaemonExecutor(1)
        release = block(executor)
        queued: Future[int] = executor.submit(int)
        executor.shutdown(cancel_futures=cancel)
        executor.shutdown(cancel_futures=cancel)
        assert queued.cancelled() is cancel
        release.set()
        executor.shutdown(wait=True)
        assert queued.done()


def test_a_with_block_waits_for_its_jobs():
    with DaemonExecutor(1) as executor:
        future = executor.submit(time.sleep, 0.05)
    assert future.done()


def test_a_running_job_does_not_hold_up_the_exit_of_the_interpreter():
    program = (
        "import threading, time; from lsp_server.worker import DaemonExecutor; started = threading.Event()\n"
        "def job(): started.set(); time.sleep(60)\n"
        "DaemonExecutor().submit(job); started.wait(10)"
    )
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
    assert time.monotonic() - begin < 20
