"""Seats without a player, at a table that is wired for more players than the game has."""

from __future__ import annotations

from dataclasses import replace

from engine.observations import Dealt, LaidAway, Observation, Said, Scene


def without_empty_seats(observation: Observation, players: int) -> Observation | None:
    """Return the observation for a game of `players` seats; None if it is from a seat without a player.

    A card in a zone of such a seat lies outside every zone.
    """
    if isinstance(observation, Said):
        seats = (observation.seat, observation.against or 0)
        return observation if max(seats) < players else None
    if isinstance(observation, Dealt | LaidAway):
        return observation if observation.seat < players else None
    if isinstance(observation, Scene) and any(
        sighting.zone is not None and (sighting.zone.seat or 0) >= players for sighting in observation.sightings
    ):
        sightings = tuple(
            replace(sighting, zone=None) if sighting.zone and (sighting.zone.seat or 0) >= players else sighting
            for sighting in observation.sightings
        )
        return replace(observation, sightings=sightings)
    return observation
