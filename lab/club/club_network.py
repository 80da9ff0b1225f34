"""A slow network in front of a port: data is delayed, limited in rate, and cut off now and then."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Final


class SlowNetwork:
    """Listens on a free port of 127.0.0.1 and passes connections on to `target`, until `close`.

    Each message waits `delay_s` and up to as much again. A direction passes `bytes_a_second`. Each connection is cut
    after a random time of `cut_s` seconds on average.
    """

    def __init__(self, target: int, delay_s: float, bytes_a_second: float, cut_s: float, seed: int) -> None:
        self._target, self._delay, self._rate, self._cut = target, delay_s, bytes_a_second, cut_s
        self._chance = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: Final = int(self._server.sockets[0].getsockname()[1])
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Cut everything."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(3.0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        both = [
            asyncio.create_task(self._pass_on(reader, far_writer)),
            asyncio.create_task(self._pass_on(far_reader, writer)),
        ]
        await asyncio.wait(both, timeout=self._chance.expovariate(1 / self._cut), return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        writer.close()
        far_writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            await asyncio.sleep(self._delay * self._chance.uniform(1.0, 2.0) + len(data) / self._rate)
            writer.write(data)
