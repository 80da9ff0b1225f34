"""The host of an evening: it runs the lobby and the games, one after the other, on one board.

The host is the activity of the game loop for the whole evening. It does what concerns the evening: messages of pages,
presses in menus, action cards. Everything else goes to the game that is played, or to the lobby. What changes is stored
first and then shown. `cardtable.evening.states` has the states.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from math import inf
from typing import Final, cast

from cardtable.errors import CardtableError
from cardtable.evening.action_cards import ActionCards
from cardtable.evening.equipment import Services
from cardtable.evening.lobby import Edit, Lobby, LobbyContent
from cardtable.evening.memory import Evening, Memory
from cardtable.evening.menu_pages import Misfit, Situation
from cardtable.evening.menus import Menus, announce_on_hardware
from cardtable.evening.playing import Playing, open_game, open_playing
from cardtable.evening.results import PastGames, last_game, past_games, rematch, tally_of
from cardtable.evening.states import EventRefused, Screen, after
from cardtable.evening.waiting import Waiting
from cardtable.history.pictures import KeptPictures, folder_of
from cardtable.history.statistics import PAUSE_S
from cardtable.journal.file import JournalError
from cardtable.table.messages import (
    BOARD,
    AddPlayer,
    Again,
    Begin,
    BreakOff,
    ChangeGame,
    ChooseGame,
    CorrectionMessage,
    EveningMessage,
    ForgetPlayer,
    GoodNight,
    GoOn,
    HostMessage,
    Join,
    Leave,
    OtherGame,
    OtherPlayers,
    ReadyForRound,
    RecordIsRight,
    Refusal,
    RemovePlayer,
    RenamePlayer,
    Sender,
    SetDealer,
    TableIsRight,
    UndoTo,
    Wake,
)
from cardtable.table.sources import Received
from engine.actions import Action
from engine.games import title_of
from engine.observations import Said, Scene
from engine.record import Header, json_line
from engine.texts import Text, text
from hardware.buttons import Control

_LOG: Final = logging.getLogger(__name__)


class Host:
    """Runs an evening on `services`. Call `start`, then `run`, then `close`; all in one thread.

    `memory`: what is stored of the evening.
    """

    def __init__(self, services: Services, memory: Memory | None = None) -> None:
        self.services: Final = services
        self._loop = services.loop
        self.memory: Final = memory or Memory(services.journal)
        self.evening = Evening()
        """The present state of the evening, which is stored."""
        self.failed: Final[dict[int, str]] = {}
        """The faults that have stopped games, by the number of the game."""
        self.notice: str | None = None
        self.focus: str | None = None
        self.activity: Waiting | Playing | None = None
        self.misfit: Misfit | None = None
        """The last correction that was refused because later actions do not fit."""
        self._cards = ActionCards()
        self._menus = Menus(self._situation)
        self._past = PastGames()
        self.remembered = self.memory.players()
        self._trouble: str | None = None
        most = services.config.history.pictures
        self._pictures = KeptPictures(folder_of(services.journal.path), most) if most else None

    def request(self, message: HostMessage) -> Future[Refusal | None]:
        """Ask for a change; called in any thread. The result is None once it is made, or why it is refused."""
        return self._loop.ask(message)

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Run the evening until `until()` is true; without it for ever.

        A fault in the rules or of a source leads back to the lobby, with a notice.
        """
        while not until():
            try:
                self._loop.run(self, until)
            except Exception as error:  # whatever it is, the evening goes on
                self.fail(error)

    def close(self) -> None:
        """Stop. Nothing is lost: everything shown is stored. May be called twice."""
        self.leave()
        self._loop.close()
        self.services.equipment.close()
        if self._pictures is not None:
            self._pictures.close()

    # The activity of the loop

    @property
    def storing(self) -> bool:
        """Whether the journal can store."""
        return self.activity is None or self.activity.storing

    def process(self, received: Received) -> Refusal | None:
        """Do what concerns the evening; pass everything else on to the game, or to the lobby."""
        assert self.activity is not None
        what = received.what
        if received.is_for_evening:
            return self._serve(received)
        if isinstance(what, Scene):
            kept = self._take_action_cards(what)
            if isinstance(self.activity, Playing):
                received = replace(received, what=kept)
        elif isinstance(what, Said) and self.evening.screen == "asleep":
            self._loop.put(Received(Wake(do="wake")))
        return self.activity.process(received)

    def pass_time(self) -> None:
        """Do what is due."""
        assert self.activity is not None
        self.activity.pass_time()
        if isinstance(self.activity, Waiting) and self.activity.show_changes():
            self._announce(sight=True)
        if self._cards.answered(self._actions):
            self.notice = None
            self._announce()
        self.services.board.access.end_old_asks()
        self._follow_game()

    # Going from one activity to the next

    def play(self, header: Header, open_game: Callable[[], Sequence[Action]], lobby: Lobby, since: float) -> None:
        """Leave the present activity, play a game, and store that it is played.

        Raises `CardtableError` if it cannot be played. The table has no activity then.
        """
        if since != self.evening.since:
            self.forget_guests(since - PAUSE_S)
        self.leave()
        activity: Playing | None = None
        try:
            activity = open_playing(self.services, header, open_game, since, self._pictures)
            screen: Screen = "result" if activity.table.over else "game"
            self.store(Evening(screen, lobby, self.services.journal.number, since), seated=header.players)
        except BaseException:
            if activity:
                activity.close()
            self.services.journal.put_down()
            raise
        self.activity = activity
        self.shown()

    def wait(self, evening: Evening, unfit: str | None = None) -> None:
        """Go to the lobby, or sleep. `unfit`: what is wrong with the cameras. Raises `JournalError`."""
        self.store(evening)
        self.leave()
        self._enter_lobby(unfit)

    def _enter_lobby(self, unfit: str | None = None) -> None:
        lobby, asleep = self.evening.lobby, self.evening.screen == "asleep"
        self.activity = Waiting(self.services, lobby, asleep, unfit)
        try:
            self._past = past_games(self.services.journal.games, self.failed, self.services.translate)
        except JournalError as error:
            self._trouble = str(error)
        self.shown()

    def leave(self) -> None:
        """Leave the present activity."""
        if self.activity is not None:
            self.activity.close()
            self.activity = None
            self.services.journal.put_down()
        self._cards.forget()

    def store(self, evening: Evening, seated: Sequence[str] = ()) -> None:
        """Store the evening and make it the present one. Raises `JournalError`.

        Guests are not remembered, and no phone stays with one who goes.
        """
        for name in {*self.evening.lobby.players} - {*evening.lobby.players}:
            self.services.board.access.let_go(name, inf if name in self.evening.lobby.guests else 0.0)
        try:
            self.memory.save(evening, [name for name in seated if name not in evening.lobby.guests])
        except JournalError as error:
            self._trouble = str(error)
            raise
        self._trouble = None
        self.evening = evening

    def forget_guests(self, until: float = inf) -> None:
        """Let go the phones of guests that were paired before `until`, in seconds since 1970."""
        for name in self.evening.lobby.guests:
            self.services.board.access.let_go(name, until)

    def changed(self, lobby: Lobby, edit: Edit) -> Lobby:
        """Return `lobby` after `edit`. A new guest gets a name that no player and no phone has had before."""
        phones = (phone.player for phone in self.services.board.access.phones())
        taken = [*self.remembered, *filter(None, phones)]
        return lobby.changed(edit, self.services.translate, taken)

    def shown(self) -> None:
        """Show the present state on the board and the displays, without a menu."""
        activity, screen = self.activity, self.evening.screen
        if isinstance(activity, Waiting):
            self._show_lobby(activity)
        self._menus.close()
        if outputs := self.services.outputs:
            outputs.choose(menu=screen != "game")
        self._announce()

    def fail(self, error: Exception, in_request: bool = False) -> None:
        """Return to the lobby after a fault in a request (`in_request`), in the rules, or in a source."""
        _LOG.error("back to the lobby", exc_info=error)
        why = str(error) or type(error).__name__
        unfit: str | None = None
        if in_request:
            self.notice = text("That has failed because of a fault ({why}).", why=why)
        elif isinstance(self.activity, Playing) and error is not self._loop.fault:
            number = self.evening.game
            title = title_of(self.activity.table.header.game)
            message = "{title} has stopped because of a fault ({why}). It is stored as number {number} and set apart."
            self.notice = text(message, title=title, why=why, number=number)
            if number is not None:
                self.failed[number] = text("it stopped because of a fault: {why}", why=why)
        else:
            unfit = text("it has stopped because of a fault ({why}): start the table again", why=why)
            self.notice = text("A camera or a reader has stopped because of a fault ({why}).", why=why)
        evening = replace(self.evening, screen="lobby", game=None)
        try:
            self.wait(evening, unfit)
        except JournalError:  # shown as the lobby's trouble
            self.evening = evening
            self.leave()
            self._enter_lobby(unfit)

    def _follow_game(self) -> None:
        """Show the result when the game ends, and the game again when an undo reopens it."""
        if not isinstance(self.activity, Playing) or self.activity.table.over == (self.evening.screen == "result"):
            return
        evening = replace(self.evening, screen="result" if self.evening.screen == "game" else "game")
        try:
            self.store(evening)
        except JournalError as error:  # the game itself says whether it is over
            _LOG.warning("the end of the game is not stored: %s", error)
            self.evening = evening
        self.shown()

    # Messages, presses and action cards

    def _serve(self, received: Received) -> Refusal | None:
        """Do what concerns the evening; return why it is refused, if it is."""
        self._follow_game()
        wanted = received.what
        try:
            if isinstance(wanted, Control):
                refusal = self._control(wanted)
            else:
                refusal = self._do(cast(EveningMessage, wanted), received.sender)
                if refusal is not None and received.answer is None:  # no page waits for the answer
                    self.notice = refusal
                    self._announce()
        except Exception as error:  # whatever it is, the evening goes on
            self.fail(error, in_request=True)
            refusal = self.notice
        return None if refusal is None else {"refused": refusal}

    def _do(self, message: HostMessage, sender: Sender = BOARD) -> str | None:
        """Do what a message asks for; return why it is refused, if it is."""
        try:
            handle(self, message, sender)
        except (EventRefused, CardtableError) as error:
            if self.activity is None:  # the game could not be opened
                self.evening = replace(self.evening, screen="lobby", game=None)
                self.notice = str(error)
                self._enter_lobby()
            return str(error)
        return None

    def _control(self, control: Control) -> str | None:
        """Process a press or turn at a seat; return why the message chosen with it is refused, if it is."""
        message = Wake(do="wake") if self.evening.screen == "asleep" else self._menus.control(control)
        refusal = None
        if message is not None:
            opened, self.misfit = self._menus.open, None
            refusal = self._do(message, Sender("board", None, f"seat {control.seat}"))
            if self.evening.screen == "lobby" and not isinstance(message, Wake):
                self._menus.open = opened
            if self.misfit is not None:
                self._menus.ask_again()
            elif refusal is not None:
                self.notice = refusal
        self._announce()
        return refusal

    def _take_action_cards(self, scene: Scene) -> Scene:
        """Return the scene without the table's own action cards, which do what they say, or ask first."""
        kept, messages, question = self._cards.observe(scene, self.evening.screen, self._actions)
        for message in messages:
            self._loop.put(Received(message))
        if question is not None:
            self.notice = question
            self._announce()
        return kept

    @property
    def _actions(self) -> int:
        return self.activity.game.snapshot.n if isinstance(self.activity, Playing) else 0

    # What is shown

    def _situation(self) -> Situation:
        lobby = self.evening.lobby
        seated = {name.casefold() for name in lobby.players}
        remembered = [name for name in self.remembered if name.casefold() not in seated]
        now = Situation(self.evening.screen, lobby, remembered, self._past.unfinished, misfit=self.misfit)
        if isinstance(self.activity, Waiting):
            return replace(now, look=self.activity.check.sources)
        return replace(now, game=self.activity.game.snapshot) if isinstance(self.activity, Playing) else now

    def _show_lobby(self, activity: Waiting) -> None:
        content = LobbyContent(self.evening.lobby, self.remembered, self._past, focus=self.focus)
        try:
            self.remembered = self.memory.players()
            games, since = self.services.journal.games, self.evening.since
            last = last_game(games, since)
            content = replace(content, remembered=self.remembered, tally=tally_of(games, since), last=last)
        except JournalError as error:
            self._trouble = str(error)
        activity.show_lobby(replace(content, trouble=self._trouble))

    def _announce(self, sight: bool = False) -> None:
        """Show notice and menu on the board and the displays. `sight`: only if the menu says what the table sees."""
        if sight and not self._menus.is_sight:
            return
        menu = self._menus.shown(self.services.translate)
        self.services.board.announce(self.notice, menu, self.remembered, self._cards.asks)
        question = self.notice if self._cards.asks else None
        announce_on_hardware(self.services, self.activity, self.evening, menu, question)


# What the messages do. `cardtable.evening.states` says in which states they are allowed.


def handle(host: Host, message: HostMessage, sender: Sender = BOARD) -> None:
    """Do what the message of `sender` asks for; store and show it.

    Raises `EventRefused` if it cannot be done now, and `CardtableError` for files or hardware that cannot be used.
    Nothing has changed then, except that the table has no activity after a game that could not be opened.
    """
    if isinstance(message, CorrectionMessage):
        _correct(host, message, sender)
        return
    following = after(host.evening.screen, message.do)
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
        case ChangeGame():
            _change_game(host, message.game)
        case Join() | Leave():
            _change_players(host, message)
        case GoodNight():
            host.forget_guests()  # on another evening other people have their names
            host.focus = None
            host.wait(replace(evening, game=None))
        case Wake():
            host.wait(replace(evening, since=None))  # the next game begins another evening
        case ReadyForRound():
            _ready(host, message.round)
        case _:
            _edit(host, message)


def _ready(host: Host, number: int) -> None:
    """Seat the players of the next round, and report that the table is ready."""
    seats = host.services.next_round.state()
    if seats is None or seats["round"] != number:
        raise EventRefused(text("The next round has changed: look again."))
    lobby = replace(host.evening.lobby, players=tuple(seats["players"]), dealer=None, guests=frozenset())
    host.store(replace(host.evening, lobby=lobby), seated=seats["players"])
    # A plug-in is called, for which the game does not wait.
    threading.Thread(target=host.services.next_round.on_ready, args=(number,), name="ready", daemon=True).start()
    host.shown()


def _correct(host: Host, message: CorrectionMessage, sender: Sender) -> None:
    if host.evening.screen not in ("game", "result"):
        raise EventRefused(text("No game is being played now."))
    refusal = _playing(host).game.correct(message, sender)
    if refusal is not None:
        if "misfit" in refusal and not isinstance(message, UndoTo | TableIsRight | RecordIsRight):
            host.misfit = Misfit(message, len(refusal["misfit"]["lost"]))
        raise EventRefused(refusal["refused"])


def _edit(host: Host, edit: Edit) -> None:
    lobby = host.changed(host.evening.lobby, edit)
    if lobby.asks_dealer and lobby.guests.issuperset(lobby.players):
        lobby = lobby.changed(SetDealer(do="set-dealer", seat=0))
    new = [name for name in lobby.players if name not in host.evening.lobby.players]
    if isinstance(edit, RenamePlayer):
        to = next(iter(new), edit.to)
        host.services.board.access.rename_player(edit.name, to)
        host.memory.rename(edit.name, to)
        if to in host.remembered:  # a guest turns out to be a player whom the table knows
            lobby = replace(lobby, guests=lobby.guests - {to})
    elif isinstance(edit, ForgetPlayer):
        host.services.board.access.let_go(edit.name, inf)
        host.memory.forget(edit.name)
    host.store(replace(host.evening, lobby=lobby), seated=new)
    host.shown()


def _change_game(host: Host, game: str) -> None:
    """Begin another game with the same players; if nobody knows who deals first, ask in the lobby."""
    lobby = host.evening.lobby.of(rematch(_playing(host).table))
    lobby = lobby.changed(ChooseGame(do="choose-game", game=game))
    if not lobby.asks_dealer:
        lobby.header()  # a game that does not fit is refused before this one is left
    _begin_or_ask(host, lobby, None)


def _change_players(host: Host, message: Join | Leave) -> None:
    """Begin a new game with other players, between two hands.

    The present game stays stored as it is, and its next dealer deals first. If the game is not for that many players,
    the table goes to the lobby.
    """
    playing = _playing(host)
    if not playing.game.snapshot.between_hands:
        raise EventRefused(text("Wait until this hand is over, or break the game off."))
    header = playing.game.table.header
    dealer = playing.game.snapshot.view.dealer
    lobby = replace(host.evening.lobby.of(header), dealer=None if dealer is None else header.players[dealer])
    changed: Lobby
    if isinstance(message, Join):
        changed = host.changed(lobby, AddPlayer(do="add-player", name=message.name, seat=message.seat))
    else:
        changed = lobby.changed(RemovePlayer(do="remove-player", name=message.name))
        if dealer is not None and header.players[dealer] == message.name:
            after_dealer = changed.players[dealer % len(changed.players)] if changed.players else None
            changed = replace(changed, dealer=after_dealer)
    _begin_or_ask(host, changed, "players")


def _begin_or_ask(host: Host, lobby: Lobby, focus: str | None) -> None:
    """Begin the chosen game; go to the lobby, and say what is missing, if it cannot begin like this."""
    try:
        header = lobby.header()
    except EventRefused as reason:
        host.focus = focus
        host.wait(replace(host.evening, screen="lobby", game=None, lobby=lobby))
        host.notice = str(reason)
        host.shown()
        return
    begin(host, header, lobby)


def _playing(host: Host) -> Playing:
    assert isinstance(host.activity, Playing), "the machine allows this in a game only"
    return host.activity


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
    """Show the first activity of the evening. It is the first of these that applies:

    - the game that was in progress when the program ended, or its result, unless `new`, and unless table.toml has named
      another game or other players since;
    - the game in table.toml, resumed unless it is over or `new`, and unless it is the first start;
    - the lobby.

    `report` gets remarks. Raises `CardtableError` if the configured game cannot be played, or nothing can be stored.
    """
    config, journal = host.services.config, host.services.journal
    # As the file says it: a default that has changed since then must not end the game in progress.
    named = replace(config.header, options=config.options if config.game else {})
    host.memory.configured = json_line(named.to_json()) if config.chosen else None
    stored = host.memory.load()
    if stored is not None:
        host.evening = replace(stored, screen="lobby", since=None if stored.screen == "asleep" else stored.since)
        if (began := host.memory.begun(host.evening.since)) != host.evening.since:
            host.forget_guests(began - PAUSE_S)
    if stored is not None and stored.game is not None and not new and _goes_on(host, stored):
        try:
            resume(host, stored.game)
        except JournalError as error:
            if not config.chosen:
                host.notice = str(error)
                report(text("{error}. The table opens in the lobby.", error=str(error)))
        else:
            return
    if config.chosen and not config.first_start:  # whose questions are asked in the lobby
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
    """Return whether to go on with the game of the stored evening, or with its result."""
    config = host.services.config
    if stored.screen not in ("game", "result"):
        return False
    if not config.chosen:
        return True
    if stored.configured != host.memory.configured:
        return False
    return stored.screen == "result" or host.services.journal.games.last(config.header) != stored.game
