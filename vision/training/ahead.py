"""What is learned from, drawn ahead by other processes: drawing takes longer than learning, above all on a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

import torch
from torch.utils.data import DataLoader, Dataset

D = TypeVar("D")
B = TypeVar("B", covariant=True)


class Source(Protocol[D, B]):
    """What a net learns from: each batch is put together from what is new at its step and at some before.

    Both depend on nothing but the step. `reach`: how many steps back a batch goes.
    """

    @property
    def reach(self) -> int: ...

    def drawn(self, step: int) -> D:
        """What is new at a step: the long work."""
        ...

    def together(self, step: int, drawn: Callable[[int], D]) -> B:
        """The batch of a step, from what was drawn at it and up to `reach` before: quick."""
        ...


class _Steps(Dataset[D], Generic[D]):
    """What is drawn at `count` steps from the step `first` on."""

    def __init__(self, draw: Callable[[int], D], first: int, count: int) -> None:
        self._draw, self._first, self._count = draw, first, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> D:
        return self._draw(self._first + number)


class Ahead(Generic[D, B]):
    """The batches of `source`, for steps that only go up; drawn by `workers` processes, with none by this one.

    Each step is drawn once, whatever batches it comes into, and the number of workers changes no batch. `end`: the
    step after the last.
    """

    def __init__(self, source: Source[D, B], workers: int, end: int) -> None:
        self._source, self._workers, self._end = source, workers, end
        self._coming: Iterator[D] | None = None
        self._next = 0
        self._kept: dict[int, D] = {}
        self.waited = 0.0
        """Seconds in which the net had to wait for what it learns from."""

    def __call__(self, step: int) -> B:
        """The batch of `step`."""
        begun = time.monotonic()
        for old in [at for at in self._kept if at < step - self._source.reach]:
            del self._kept[old]
        batch = self._source.together(step, self._drawn)
        self.waited += time.monotonic() - begun
        return batch

    def _drawn(self, step: int) -> D:
        while step not in self._kept:
            if not self._workers:
                self._kept[step] = self._source.drawn(step)
            else:
                self._wait(step)
        return self._kept[step]

    def _wait(self, step: int) -> None:
        """Keeps the next that comes from the workers."""
        if self._coming is None:
            self._next = max(step - self._source.reach, 0)
            self._coming = self._begin()
        if step < self._next:
            raise ValueError(f"step {step} is asked for, but {self._next} is drawn")
        self._kept[self._next] = next(self._coming)
        self._next += 1

    def _begin(self) -> Iterator[D]:
        # What draws holds what cannot be sent to another process, but is there in a fork. The loader has a random
        # generator of its own: with torch's own, of which learning draws, it would change what is learned.
        return iter(
            DataLoader(
                _Steps(self._source.drawn, self._next, self._end - self._next),
                batch_size=None,
                num_workers=self._workers,
                collate_fn=_as_it_is,
                multiprocessing_context="fork",
                generator=torch.Generator(),
            )
        )


def _as_it_is(drawn: D) -> D:
    return drawn
