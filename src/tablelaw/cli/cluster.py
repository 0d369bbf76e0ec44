"""Pieces of work given to many processes or machines by Dask: `--cluster tcp://host:port` or `--cluster local:N`."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import importlib.util
import json
import logging
import queue
import re
import socket
import uuid
import warnings
from collections.abc import Iterator
from typing import Any

from tablelaw.checkers.units import Message, Reply, badge
from tablelaw.cli import bench, watchdog
from tablelaw.cli.common import Gone, Progress, most_memory
from tablelaw.spec.diagnostics import Diagnostics

LOCAL, MOST_LOCAL = re.compile(r"local:([0-9]{1,4})"), 256
REMOTE = re.compile(r"(tcp|tls|ws|wss)://\S+:[0-9]+")
CONNECT, HELLO, FIRST = 5.0, 20.0, 10.0
"""Seconds for a scheduler to answer, for its workers to say who they are, for the first of them to be there."""
LOOK, FETCH = 0.5, 60.0
WINDOW = 256
"""So many pieces of work are with the scheduler at once, or three for each thread of its workers."""
TRIES = 3
"""So often is a piece of work begun whose process is killed."""
HELP = "write `--cluster tcp://HOST:PORT` (a scheduler of Dask), or `--cluster local:2` for processes of this machine"


class Cluster:
    """Workers that pieces of work are sent to; what comes back is fetched as soon as it is there."""

    def __init__(self, client: Any, own: Any, where: str, progress: Progress) -> None:
        self.client, self.own, self.where, self.progress = client, own, where, progress
        self.sent, self._name = 0, uuid.uuid4().hex[:12]
        self.window = max(WINDOW, 3 * sum(client.nthreads().values()))
        self._waiting: list[tuple[int, int, str, Message]] = []
        self._at_work: dict[str, Any] = {}
        self._done: queue.SimpleQueue[str] = queue.SimpleQueue()

    def send(self, key: str, message: Message, rank: int = 0) -> None:
        """Send a piece of work; those of low rank are begun first, and of these those that were sent first."""
        heapq.heappush(self._waiting, (rank, self.sent, key, message))
        self.sent += 1
        self._fill()

    def _fill(self) -> None:
        """Hand on what waits, as far as the scheduler is to hold it: a message has all the text of the rules."""
        while self._waiting and len(self._at_work) < self.window:
            rank, number, key, message = heapq.heappop(self._waiting)
            future = self.client.submit(
                bench.work, json.dumps(message), key=f"tablelaw-{self._name}-{number}", priority=-rank,
                retries=TRIES - 1, pure=False,
            )  # fmt: skip
            self._at_work[key] = future
            future.add_done_callback(lambda _, key=key: self._done.put(key))

    def come(self) -> Iterator[tuple[str, Reply]]:
        """What comes, with its key; ends when nothing is at work. Raises `Gone`."""
        while self._at_work:
            try:
                key = self._done.get(timeout=LOOK)
            except queue.Empty:
                self._tell()
                if self.client.status not in ("running", "connecting"):
                    raise Gone(f"the cluster at {self.where} is gone") from None
                continue
            reply = self._fetched(self._at_work.pop(key))
            self._fill()
            yield key, reply

    def ready(self) -> Iterator[tuple[str, Reply]]:
        """What has come already, and is not fetched yet."""
        with contextlib.suppress(queue.Empty):
            while True:
                key = self._done.get_nowait()
                yield key, self._fetched(self._at_work.pop(key))

    def _tell(self) -> None:
        watchdog.again()
        left = len(self._at_work) + len(self._waiting)
        self.progress.tell(f"{self.sent - left} of {self.sent} pieces of work done by others")

    def _fetched(self, future: Any) -> Reply:
        from distributed import KilledWorker

        watchdog.again()
        try:
            reply: Reply = json.loads(future.result(timeout=FETCH))
        except bench.Lost as why:
            reply = {"lost": f"given up after {TRIES} tries: {why}"}
        except KilledWorker:
            reply = {"lost": "given up: the workers that tried it were lost, one after the other"}
        except Exception as fault:  # Dask tells of what happens to it in many classes
            raise Gone(f"the cluster at {self.where} is gone, or does not work: {type(fault).__name__}") from None
        if "differs" in reply:
            raise Gone(f"a worker of {self.where} has another version of tablelaw, or of what it rests on")
        return reply

    def close(self) -> None:
        """Cancel what is at work, and let go."""
        with contextlib.suppress(Exception):
            self.client.cancel(list(self._at_work.values()), force=True)
        self._at_work.clear()
        self._waiting.clear()
        if self.own is not None:
            bench.end_all()
        for one in (self.client, self.own):
            with contextlib.suppress(Exception):
                if one is not None:
                    one.close(timeout=2)


def memory_for(cluster: str | None, given: int | None) -> int:
    """Mebibytes for a piece of work: as given, else what one process may take here, but shared by those of this machine."""
    local = LOCAL.fullmatch(cluster or "")
    usual = given or most_memory()
    if given or local is None:
        return usual
    return min(usual, max(256, int(1.5 * most_memory()) // max(1, int(local[1]))))


def connect(where: str, sink: Diagnostics, progress: Progress) -> Cluster | None:
    """The cluster that an argument names; None, and told, where there is none that can be used."""
    local = LOCAL.fullmatch(where)
    if not (local and 0 < int(local[1]) <= MOST_LOCAL) and not REMOTE.fullmatch(where):
        sink.error("Q109", None, f"`{where[:80]}` is no cluster", help=HELP)
        return None
    if importlib.util.find_spec("distributed") is None:
        help_ = "pip install 'tablelaw[cluster]'"
        sink.error("Q129", None, "`--cluster` needs Dask, which is not installed here", help=help_)
        return None
    progress.tell("the cluster is looked for")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dask
        from distributed import Client, LocalCluster

        for name in ("distributed", *(n for n in logging.root.manager.loggerDict if n.startswith("distributed."))):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # each was given a level of its own
        dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT:g}s"})
        silent, own, client = "" if local else _silent(where), None, None
        try:
            if local:
                own = LocalCluster(
                    n_workers=1, threads_per_worker=int(local[1]), processes=False, dashboard_address=None,
                    memory_limit=None, silence_logs=logging.CRITICAL,
                )  # fmt: skip
            client = None if silent else Client(own or where, timeout=CONNECT, set_as_default=False)
        except Exception as fault:
            silent = _said(fault)
    if client is None:
        cure = "start one by `dask scheduler`, or name the machine and the port where it runs"
        sink.error("Q129", None, f"no scheduler answers at `{where}`", notes=(silent,), help=cure)
        return None
    found = Cluster(client, own, where, progress)
    if local or _trusted(client, where, sink):
        return found
    found.close()
    return None


def _silent(where: str) -> str:
    """Why no scheduler answers at an address. Looked at before a client is made, which would not give up as cleanly."""
    from distributed.core import rpc
    from distributed.security import Security

    async def asked() -> None:
        async with rpc(where, connection_args=Security().get_connection_args("client"), timeout=CONNECT) as scheduler:
            if (await scheduler.identity()).get("type") != "Scheduler":
                raise OSError("what answers there is no scheduler")

    host, _, port = where.partition("://")[2].rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT):
            pass
        asyncio.run(asyncio.wait_for(asked(), CONNECT))
    except TimeoutError:
        return f"there was no answer in {CONNECT:g} s"
    except OSError as fault:
        return _said(fault)
    except Exception:
        return "what answers there is no scheduler of Dask"
    return ""


def _said(fault: Exception) -> str:
    return str(fault).partition("\n")[0][:200] or type(fault).__name__


def _trusted(client: Any, where: str, sink: Diagnostics) -> bool:
    """Are there workers, and does each have this very program?"""
    try:
        client.wait_for_workers(1, timeout=FIRST)
    except Exception:
        help_ = f"start one on each machine: `dask worker {where}`"
        sink.error("Q129", None, f"no worker is connected to the scheduler at `{where}`", help=help_)
        return False
    mine = badge()
    try:
        badges = client.run(badge, on_error="return")
    except Exception as fault:
        sink.error("Q129", None, f"the workers of `{where}` do not answer", notes=(_said(fault),), help="start them anew")
        return False
    wrong = {at: found for at, found in badges.items() if found != mine}
    if not wrong:
        return True
    notes = [f"{at}: {_differing(found, mine)}" for at, found in sorted(wrong.items())]
    few = [*notes[:5], *([f"and {len(notes) - 5} more"] if len(notes) > 5 else [])]
    message = f"{len(wrong)} of {len(badges)} workers of `{where}` would not give the answers of this program"
    help_ = "install the same tablelaw, Python and libraries there as here, and start the workers anew"
    sink.error("Q129", None, message, notes=few, help=help_)
    return False


def _differing(found: object, mine: dict[str, object]) -> str:
    if not isinstance(found, dict):
        return "tablelaw is not installed there" if isinstance(found, ImportError) else _said(Exception(found))
    if found.get("program") != mine["program"]:
        return "another version of tablelaw, of Python, or of a library that it rests on"
    there, here = ("no", "one") if mine["compiler"] else ("a", "none")
    return f"it has {there} C compiler, and this machine has {here}"
