"""The plug-in that adds the club to cardtable (`cardtable.plugins`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cardtable.plugins import Guest, HostTable, Plugin
from engine.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cardtable.config.model import TableConfig
    from cardtable.config.section import Section
    from cardtable.doctor.finding import Finding
    from cardtable.setup.step import Step


class ClubPlugin(Plugin):
    """Lets a table belong to a club: it publishes its games to the hub, and its lobby offers the next round."""

    commands: ClassVar = {
        "club": "cardtable_club.commands.club",
        "hub": "cardtable_club.commands.hub",
        "tournament": "cardtable_club.commands.tournament",
    }
    locale: ClassVar = Path(__file__).parent / "locale"
    lobby_link: ClassVar = text("Club…")

    def section(self) -> type[Section]:
        """Return the model of `[club]`."""
        from cardtable_club.config import ClubConfig

        return ClubConfig

    def step(self) -> type[Step]:
        """Return the step in which the table joins a club."""
        from cardtable_club.member.step import ClubStep

        return ClubStep

    def check(self, config: TableConfig) -> Iterable[Finding]:
        """Return whether the club's broker can be used, if the table belongs to a club."""
        from cardtable_club.config import ClubConfig

        club = config.section(ClubConfig)
        if club is None:
            return ()
        from cardtable_club.member.link import check_broker

        return (check_broker(club),)

    def join(self, table: HostTable) -> Guest | None:
        """Connect the table to its club, if one is configured."""
        from cardtable_club.config import ClubConfig

        config = table.config.section(ClubConfig)
        if config is None:
            return None
        from cardtable_club.member.link import Link

        table.not_before(config.broker.since())
        link = Link(config, table.journal, table.playing)
        link.say, link.show_message, link.faults = table.say, table.show_message, table.faults
        link.not_before = table.not_before
        link.when_assigned = table.next_round.offer
        table.next_round.on_ready = link.ready
        return link.start()
