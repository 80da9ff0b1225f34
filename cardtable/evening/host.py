"""The host of an evening: it runs the lobby and the games, one after the other, on one board.

Requests of pages, menus and action cards are handled between two steps of the main loop, in the main thread. What they
change is stored first and then shown. `cardtable.evening.states` has the states.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Final

from cardtable.errors import CardtableError
from cardtable.evening.action_cards import ActionCards
from cardtable.evening.equipment import Services
from cardtable.evening.lobby import Edit, Lobby
from cardtable.evening.memory import Evening, Memory
from cardtable.evening.menu_pages import Misfit, Situation
from cardtable.evening.menus import Menus, announce_on_hardware
from cardtable.evening.playing import Playing, open_game
from cardtable.evening.results import PastGames, past_games, rematch, tally_of
from cardtable.evening.states import Event, EventRefused, Screen, after
from cardtable.evening.waiting import Waiting
from cardtable.journal.file import JournalError
from cardtable.table.messages import (
    BOARD,
    CORRECTIONS,
    AddPlayer,
    Again,
    Begin,
    BreakOff,
    ChooseGame,
    CorrectionMessage,
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
    ReadyForRound,
    RecordIsRight,
    RemovePlayer,
    RenamePlayer,
    Sender,
    SetDealer,
    SetOption,
    TableIsRight,
    UndoTo,
    Wake,
)
from cardtable.web.screens import Tally
from engine.actions import Action
from engine.games import title_of
from engine.observations import Observation, Said
from engine.record import Header, json_line
from engine.texts import Text, text
from hardware.buttons import Control

Answer = Future[str | None]

_LOG: Final = logging.getLogger(__name__)


class Host:
    """Runs an evening on `services`. Call `play` or `wait`, then `run`, then `close`; all in one thread.

    `handle` does what a message asks for (`cardtable.evening.host`). `memory`: what is stored of the evening.
    """

    def __init__(
        self, services: Services, handle: Callable[[Host, HostMessage, Sender], None], memory: Memory | None = None
    ) -> None:
        self.services: Final = services
        self._handle = handle
        self.memory: Final = memory or Memory(services.journal)
        self.evening = Evening()
        """The evening as it is, and as it is stored."""
        self.failed: Final[dict[int, str]] = {}
        """Why games stopped because of a fault, by their numbers."""
        self.notice: str | None = None
        self.focus: str | None = None
        self.stage: Waiting | Playing | None = None
        self.misfit: Misfit | None = None
        """The correction that was refused last because later actions do not fit."""
        self._requests: queue.SimpleQueue[tuple[HostMessage | Control, Sender, Answer | None]] = queue.SimpleQueue()
        self._cards = ActionCards()
        self._menus = Menus(self._situation)
        self._past = PastGames()
        self.remembered = self.memory.players()
        self._trouble: str | None = None

    def request(self, wanted: HostMessage | Control, sender: Sender = BOARD) -> Answer:
        """Ask for a change; called in any thread. The result is None once it is made, or the text that refuses it."""
        answer: Answer = Future()
        self._requests.put((wanted, sender, answer))
        if self.stage is not None:
            self.stage.wake()
        return answer

    def press(self, control: Control) -> None:
        """Take a press or turn that chooses in a menu; called in any thread."""
        self.request(control)

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Run the evening until `until()` is true; without it for ever.

        A fault in the rules or of a source leads back to the lobby, with a notice.
        """
        while not until():
            self._serve()
            assert self.stage is not None
            try:
                self.stage.run(lambda: until() or self._due())
            except Exception as error:  # whatever it is, the evening goes on
                self.fail(error)

    def close(self) -> None:
        """Stop. Nothing is lost: everything shown is stored. May be called twice."""
        if self.stage is not None:
            self.stage.close()
            self.stage = None
        self.services.equipment.close()

    def play(self, header: Header, open_game: Callable[[], Sequence[Action]], lobby: Lobby, since: float) -> None:
        """Play a game instead of what the table does now, and store that.

        Raises `CardtableError` if it cannot be played; the table then waits in the lobby, without being shown.
        """
        self.leave()
        stage: Playing | None = None
        try:
            self.evening = replace(self.evening, since=since)
            stage = Playing(self.services, header, open_game, lambda: self.evening.since, self._see)
            screen: Screen = "result" if stage.table.over else "game"
            self.store(Evening(screen, lobby, self.services.journal.number, since), seated=header.players)
        except BaseException:
            if stage:
                stage.close()
            raise
        self.stage = stage
        self.shown()

    def wait(self, evening: Evening, unfit: str | None = None) -> None:
        """Go to the lobby, or sleep; `unfit`: what is wrong with the cameras. Raises `JournalError` if not stored."""
        self.store(evening)
        self.leave()
        self._enter_lobby(unfit)

    def _enter_lobby(self, unfit: str | None = None) -> None:
        lobby, asleep = self.evening.lobby, self.evening.screen == "asleep"
        self.stage = Waiting(self.services, lobby, self._observed, asleep, unfit, lambda: self._announce(True))
        try:
            self._past = past_games(self.services.journal.games, self.failed, self.services.translate)
        except JournalError as error:
            self._trouble = str(error)
        self.shown()

    def leave(self) -> None:
        """End what the table does now."""
        if self.stage is not None:
            self.stage.close()
            self.stage = None
        self._cards.forget()

    def store(self, evening: Evening, seated: Sequence[str] = ()) -> None:
        """Store the evening, which is then the present one. Raises `JournalError`."""
        try:
            self.memory.save(evening, seated)
        except JournalError as error:
            self._trouble = str(error)
            raise
        self._trouble = None
        self.evening = evening

    def shown(self) -> None:
        """Show the present state everywhere: the lobby on the board, menus and notices, the displays."""
        stage, screen = self.stage, self.evening.screen
        if isinstance(stage, Waiting):
            self._show_lobby(stage)
        self._menus.close()
        if outputs := self.services.outputs:
            outputs.choose(menu=screen != "game")
        self._announce()

    def fail(self, error: Exception, asked: bool = False) -> None:
        """Return to the lobby after a fault: of a request (`asked`), or else in the rules, or of a source."""
        _LOG.error("back to the lobby", exc_info=error)
        why = str(error) or type(error).__name__
        unfit: str | None = None
        if asked:
            self.notice = text("That has failed because of a fault ({why}).", why=why)
        elif isinstance(self.stage, Playing) and not self.stage.faulty_source(error):
            number = self.evening.game
            title = title_of(self.stage.table.header.game)
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

    def _due(self) -> bool:
        """Return whether something is to be done outside of the stage; asked in every turn of the main loop."""
        self.services.board.integrations.measures.turned()
        if self._cards.answered(self._actions):
            self.notice = None
            self._announce()
        return not self._requests.empty() or self._over_changed()

    def _over_changed(self) -> bool:
        return isinstance(self.stage, Playing) and self.stage.table.over != (self.evening.screen == "result")

    def _serve(self) -> None:
        if self._over_changed():
            evening = replace(self.evening, screen="result" if self.evening.screen == "game" else "game")
            try:
                self.store(evening)
            except JournalError as error:  # the game itself says whether it is over
                _LOG.warning("the end of the game is not stored: %s", error)
                self.evening = evening
            self.shown()
        while not self._requests.empty():
            wanted, sender, answer = self._requests.get()
            if answer is not None and not answer.set_running_or_notify_cancel():
                continue  # the page has gone
            try:
                refusal = self._control(wanted) if isinstance(wanted, Control) else self._do(wanted, sender)
            except Exception as error:  # whatever it is, the evening goes on
                self.fail(error, asked=True)
                refusal = self.notice
            if answer is not None:
                answer.set_result(refusal)
            elif refusal is not None:  # an action card
                self.notice = refusal
                self._announce()

    def _do(self, message: HostMessage, sender: Sender = BOARD) -> str | None:
        """Do what a message asks for; return why not."""
        try:
            self._handle(self, message, sender)
        except (EventRefused, CardtableError) as error:
            if self.stage is None:  # what was begun could not be opened
                self.evening = replace(self.evening, screen="lobby", game=None)
                self.notice = str(error)
                self._enter_lobby()
            return str(error)
        return None

    def _control(self, control: Control) -> str | None:
        """Process a press or turn at a seat."""
        message = Wake(do="wake") if self.evening.screen == "asleep" else self._menus.control(control)
        refusal = None
        if message is not None:
            opened, self.misfit = self._menus.state, None
            refusal = self._do(message, Sender("board", None, f"seat {control.seat}"))
            if self.evening.screen == "lobby" and not isinstance(message, Wake):
                self._menus.state = opened
            if self.misfit is not None:
                self._menus.ask_again()
            elif refusal is not None:
                self.notice = refusal
        self._announce()
        return refusal

    def _see(self, observation: Observation) -> Observation:
        """Take the table's own action cards out of what the referee gets, and do what they say, or ask first."""
        kept, messages, question = self._cards.observe(observation, self.evening.screen, self._actions)
        for message in messages:
            self._requests.put((message, BOARD, None))
        if question is not None:
            self.notice = question
            self._announce()
        return kept

    @property
    def _actions(self) -> int:
        return self.stage.controller.snapshot.n if isinstance(self.stage, Playing) else 0

    def _observed(self, observation: Observation) -> None:
        """Take what is observed while no game is played."""
        self._see(observation)
        if isinstance(observation, Said) and self.evening.screen == "asleep":
            self._requests.put((Wake(do="wake"), BOARD, None))

    def _situation(self) -> Situation:
        lobby = self.evening.lobby
        seated = {name.casefold() for name in lobby.players}
        remembered = [name for name in self.remembered if name.casefold() not in seated]
        past, screen = self._past.unfinished, self.evening.screen
        now = Situation(screen, lobby, remembered, lobby.is_ready, past, misfit=self.misfit)
        if isinstance(self.stage, Waiting):
            return replace(now, look=self.stage.idle_sources.sources)
        return now.playing(self.stage.controller.snapshot) if isinstance(self.stage, Playing) else now

    def _show_lobby(self, stage: Waiting) -> None:
        tally: Tally = {"games": 0, "players": []}
        try:
            self.remembered = self.memory.players()
            tally = tally_of(self.services.journal.games, self.evening.since)
        except JournalError as error:
            self._trouble = str(error)
        stage.show_lobby(self.evening.lobby, self.remembered, self._past, tally, self.focus, self._trouble)

    def _announce(self, sight: bool = False) -> None:
        """Show notice and menu on the board, and on the displays. `sight`: only a menu of what the table sees."""
        if sight and not self._menus.is_sight:
            return
        menu = self._menus.shown(self.services.translate)
        self.services.board.announce(self.notice, menu, self.remembered, self._cards.asks)
        asked = self.notice if self._cards.asks else None
        announce_on_hardware(self.services, self.stage, self.evening, menu, asked)


# What each message for the evening does. `cardtable.evening.states` says in which states.

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
    ReadyForRound: "edit",
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
        case ReadyForRound():
            _ready(host, message.round)
        case _:
            _edit(host, message)


def _ready(host: Host, number: int) -> None:
    """Seat the players of the next round, and say that the table is ready."""
    seats = host.services.next_round.state()
    if seats is None or seats["round"] != number:
        raise EventRefused(text("The next round has changed: look again."))
    lobby = replace(host.evening.lobby, players=tuple(seats["players"]), dealer=None)
    host.store(replace(host.evening, lobby=lobby), seated=seats["players"])
    host.services.next_round.on_ready(number)
    host.shown()


def _correct(host: Host, message: CorrectionMessage, sender: Sender) -> None:
    if host.evening.screen not in ("game", "result"):
        raise EventRefused(text("No game is being played now."))
    refusal = _playing(host).controller.correct(message, sender)
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
    playing = _playing(host)
    if not playing.controller.snapshot.between_hands:
        raise EventRefused(text("Wait until this hand is over; or break the game off."))
    header = playing.controller.table.header
    dealer = playing.controller.snapshot.view.dealer
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
