"""Training data drawn in advance by other processes: drawing takes longer than training, above all on a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

import torch
from torch.utils.data import DataLoader, Dataset

D = TypeVar("D")
B = TypeVar("B", covariant=True)


class Source(Protocol[D, B]):
    """The training data of a net: each batch consists of what is drawn at its step and at some earlier ones.

    It depends on the step only.
    """

    @property
    def lookback(self) -> int:
        """How many steps back a batch may reach; 0: each batch depends on its own step only."""
        ...

    def draw(self, step: int) -> D:
        """Return what is new at a step: slow."""
        ...

    def batch(self, step: int, drawn: Callable[[int], D]) -> B:
        """Return the batch of a step, from what was drawn at it and up to `lookback` steps before: fast."""
        ...


class _Steps(Dataset[D], Generic[D]):
    """What is drawn at `count` steps from step `first` on."""

    def __init__(self, draw: Callable[[int], D], first: int, count: int) -> None:
        self._draw, self._first, self._count = draw, first, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> D:
        return self._draw(self._first + number)


class Prefetcher(Generic[D, B]):
    """The batches of `source` for increasing steps, drawn by `workers` processes; 0: by this process.

    Each step is drawn once, even if several batches use it, and the batches do not depend on the number of workers.
    `end`: the step after the last.
    """

    def __init__(self, source: Source[D, B], workers: int, end: int) -> None:
        self._source, self._workers, self._end = source, workers, end
        self._coming: Iterator[D] | None = None
        self._next = 0
        self._kept: dict[int, D] = {}
        self.waited = 0.0
        """Seconds that training has waited for data."""

    def __call__(self, step: int) -> B:
        """Return the batch of `step`."""
        begun = time.monotonic()
        for old in [at for at in self._kept if at < step - self._source.lookback]:
            del self._kept[old]
        batch = self._source.batch(step, self._drawn)
        self.waited += time.monotonic() - begun
        return batch

    def _drawn(self, step: int) -> D:
        while step not in self._kept:
            if not self._workers:
                self._kept[step] = self._source.draw(step)
            else:
                self._wait(step)
        return self._kept[step]

    def _wait(self, step: int) -> None:
        """Keep the next result of the workers."""
        if self._coming is None:
            self._next = max(step - self._source.lookback, 0)
            self._coming = self._begin()
        if step < self._next:
            raise ValueError(f"step {step} was requested, but the next one is {self._next}")
        self._kept[self._next] = next(self._coming)
        self._next += 1

    def _begin(self) -> Iterator[D]:
        # The source holds objects that cannot be pickled but exist in a forked process. The loader has a random
        # generator of its own: with torch's global one it would change the random numbers of training.
        return iter(
            DataLoader(
                _Steps(self._source.draw, self._next, self._end - self._next),
                batch_size=None,
                num_workers=self._workers,
                collate_fn=_unchanged,
                multiprocessing_context="fork",
                generator=torch.Generator(),
            )
        )


def _unchanged(drawn: D) -> D:
    return drawn
