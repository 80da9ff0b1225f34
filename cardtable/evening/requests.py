"""What each message for the evening does. `cardtable.evening.states` says in which states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from cardtable.board.access.sender import BOARD, Sender
from cardtable.board.correction_messages import (
    CORRECTIONS,
    CorrectionMessage,
    RecordIsRight,
    TableIsRight,
    UndoTo,
)
from cardtable.board.messages import (
    AddPlayer,
    Again,
    Begin,
    BreakOff,
    ChooseGame,
    ClubReady,
    EveningMessage,
    ForgetPlayer,
    GoodNight,
    GoOn,
    HostMessage,
    Join,
    Leave,
    MovePlayer,
    OtherGame,
    OtherPlayers,
    RemovePlayer,
    RenamePlayer,
    SetDealer,
    SetOption,
    Wake,
)
from cardtable.evening.host import Host
from cardtable.evening.lobby import Edit, Lobby
from cardtable.evening.memory import Evening
from cardtable.evening.menu_situation import Misfit
from cardtable.evening.playing import Playing
from cardtable.evening.states import Event, EventRefused, after
from cardtable.play.ending import rematch
from cardtable.play.games import open_game
from cardtable.play.journal_errors import JournalError
from engine.actions import Action
from engine.record import Header, json_line
from engine.texts import Text, text

EVENT_OF: Final[dict[type[EveningMessage], Event]] = {
    ChooseGame: "edit",
    SetOption: "edit",
    AddPlayer: "edit",
    RemovePlayer: "edit",
    MovePlayer: "edit",
    RenamePlayer: "edit",
    ForgetPlayer: "edit",
    SetDealer: "edit",
    Begin: "begin",
    GoOn: "go-on",
    BreakOff: "break-off",
    Join: "change-players",
    Leave: "change-players",
    Again: "again",
    OtherGame: "other-game",
    OtherPlayers: "other-players",
    GoodNight: "good-night",
    ClubReady: "edit",
    Wake: "wake",
}


def handle(host: Host, message: HostMessage, sender: Sender = BOARD) -> None:
    """Do what the message of `sender` asks for, store it and show it.

    Raises `EventRefused` if it cannot be done now, and `CardtableError` for files or hardware that cannot be used;
    nothing has changed then, except that a game that could not be opened leaves the table in the lobby.
    """
    if isinstance(message, CORRECTIONS):
        _correct(host, message, sender)
        return
    event = EVENT_OF[type(message)]
    following = after(host.evening.screen, event)
    host.notice = None
    evening = replace(host.evening, screen=following)
    match message:
        case Begin():
            begin(host, host.evening.lobby.header(), host.evening.lobby)
        case GoOn():
            if message.id in host.failed:
                raise EventRefused(host.failed[message.id])
            resume(host, message.id)
        case Again():
            table = _playing(host).table
            header = rematch(table)
            begin(host, header, host.evening.lobby.of(header))
        case OtherGame() | OtherPlayers():
            host.focus = "game" if isinstance(message, OtherGame) else "players"
            header = rematch(_playing(host).table)
            host.wait(replace(evening, game=None, lobby=host.evening.lobby.of(header)))
        case BreakOff():
            host.focus = None
            host.wait(replace(evening, game=None))
        case Join() | Leave():
            _change_players(host, message)
        case GoodNight():
            host.focus = None
            host.wait(replace(evening, game=None, since=None))
        case Wake():
            host.wait(evening)
        case ClubReady():
            _ready(host, message.round)
        case _:
            _edit(host, message)


def _ready(host: Host, number: int) -> None:
    """Seat the players of the club's next round, and say that the table is ready."""
    seats = host.services.next_round.state()
    if seats is None or seats["round"] != number:
        raise EventRefused(text("The next round has changed: look again."))
    lobby = replace(host.evening.lobby, players=tuple(seats["players"]), dealer=None)
    host.store(replace(host.evening, lobby=lobby), seated=seats["players"])
    host.services.next_round.say_ready(number)
    host.shown()


def _correct(host: Host, message: CorrectionMessage, sender: Sender) -> None:
    if host.evening.screen not in ("game", "result"):
        raise EventRefused(text("No game is being played now."))
    refusal = _playing(host).session.corrections.make(message, sender)
    if refusal is not None:
        if "misfit" in refusal and not isinstance(message, UndoTo | TableIsRight | RecordIsRight):
            host.misfit = Misfit(message, len(refusal["misfit"]["lost"]))
        raise EventRefused(refusal["refused"])


def _edit(host: Host, edit: Edit) -> None:
    lobby = host.evening.lobby.changed(edit)
    new = [name for name in lobby.players if name not in host.evening.lobby.players]
    if isinstance(edit, RenamePlayer):
        host.services.board.access.rename_player(edit.name, next(iter(new), edit.to))
        host.memory.rename(edit.name, next(iter(new), edit.to))
    elif isinstance(edit, ForgetPlayer):
        host.memory.forget(edit.name)
    host.store(replace(host.evening, lobby=lobby), seated=new)
    host.shown()


def _change_players(host: Host, message: Join | Leave) -> None:
    """Begin a new game with other players, between two hands.

    The game that was played stays stored as it is, and its next dealer deals first. If the game is not for that many
    players, the lobby follows.
    """
    session = _playing(host).session
    if not session.controller.snapshot.between_hands:
        raise EventRefused(text("Wait until this hand is over; or break the game off."))
    header = session.controller.table.header
    dealer = session.controller.snapshot.view.dealer
    lobby = replace(host.evening.lobby.of(header), dealer=None if dealer is None else header.players[dealer])
    changed: Lobby
    if isinstance(message, Join):
        changed = lobby.changed(AddPlayer(do="add-player", name=message.name, seat=message.seat))
    else:
        changed = lobby.changed(RemovePlayer(do="remove-player", name=message.name))
        if dealer is not None and header.players[dealer] == message.name:
            after_dealer = changed.players[dealer % len(changed.players)] if changed.players else None
            changed = replace(changed, dealer=after_dealer)
    try:
        header = changed.header()
    except EventRefused as reason:
        host.focus = "players"
        host.wait(replace(host.evening, screen="lobby", game=None, lobby=changed))
        host.notice = str(reason)
        host.shown()
        return
    begin(host, header, changed)


def _playing(host: Host) -> Playing:
    assert isinstance(host.stage, Playing), "the machine allows this in a game only"
    return host.stage


def begin(host: Host, header: Header, lobby: Lobby) -> None:
    """Begin a new game. Raises `CardtableError`."""
    journal = host.services.journal
    host.play(header, lambda: open_game(journal, header, new=True), lobby, host.memory.begun(host.evening.since))


def resume(host: Host, number: int) -> None:
    """Continue a stored game. Raises `CardtableError`, also if it cannot be read."""
    journal = host.services.journal
    if number not in journal.games.numbers():
        raise EventRefused(text("There is no game with the number {number}.", number=number))
    stored = journal.games.replayed(number)[0]

    def past() -> Sequence[Action]:
        journal.resume(number)
        return stored.actions

    host.play(stored.header, past, host.evening.lobby.of(stored.header), host.memory.begun(host.evening.since))


def start(host: Host, new: bool, report: Callable[[Text], None]) -> None:
    """Begin where the configuration, or the last evening, says.

    In the game, or at the result, at which the program ended, unless `new`. Otherwise with game and players in
    table.toml: in that game, which is resumed unless it is over or `new`; so too if the file named others when the
    program ended. Or else in the lobby. `report` gets remarks. Raises `CardtableError` if the configured game cannot
    be played, or nothing can be stored.
    """
    config, journal = host.services.config, host.services.journal
    host.memory.configured = json_line(config.header.to_json()) if config.chosen else None
    stored = host.memory.load()
    if stored is not None:
        host.evening = replace(stored, screen="lobby")
    if stored is not None and stored.game is not None and not new and _goes_on(host, stored):
        try:
            resume(host, stored.game)
        except JournalError as error:
            if not config.chosen:
                host.notice = str(error)
                report(text("{error}. The table opens in the lobby.", error=str(error)))
        else:
            return
    if config.chosen:
        header = config.header
        since = host.memory.begun(host.evening.since)
        host.play(header, lambda: open_game(journal, header, new, report), host.evening.lobby.of(header), since)
        return
    lobby = host.evening.lobby
    if stored is None:
        dealer = None if config.dealer is None else config.players[config.dealer]
        options = {config.game: dict(config.options)} if config.game else {}
        lobby = Lobby(config.game, config.players, dealer, options)
    host.wait(Evening("lobby", lobby, None, host.evening.since))


def _goes_on(host: Host, stored: Evening) -> bool:
    """Return whether the game of the stored evening is resumed, or its result shown, by its number."""
    config = host.services.config
    if stored.screen not in ("game", "result"):
        return False
    if not config.chosen:
        return True
    if stored.configured != host.memory.configured:
        return False
    return stored.screen == "result" or host.services.journal.games.last(config.header) != stored.game
