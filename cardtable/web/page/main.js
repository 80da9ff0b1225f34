// The page: shows each state that the table sends, as a game or as one of the other screens.

import { $, make, numbered, region, settings, t } from "./base.js";
import { awake, connect, drawLive, drawWith, held, send } from "./connection.js";
import { counting, isOpen, laidOut, lying, news, pegs, settle, sheet } from "./felt.js";
import { closeIfOver, correctable, correcting, headline, requests, slip, words } from "./requests.js";
import { back, keepsake, moments, noMoments, result, tallied } from "./result.js";
import { acting, does, lowerLeft, lowerRight, rulesOf, seats, sentence, upperLeft, upperRight } from "./seats.js";
import { camera, corrections, history, leaving, phones, undo } from "./sheets.js";
import { speak } from "./speech.js";

const wall = location.pathname.endsWith("/wall"); // the board for a room: large, without buttons and requests
document.body.classList.toggle("wall", wall);
if (wall) settings.keys = "off";

const CORNERS = { nw: upperLeft, ne: upperRight, sw: lowerLeft, se: lowerRight };

// Draws the board without the means to change it; a replay draws only this.
function felt(state) {
  const partners = state.sides < state.seats.length,
    count = state.seats.length;
  const open = isOpen(state);
  $("table").className = [
    "board",
    count < 3 && "duo",
    count === 3 && "trio",
    (partners || state.tallies.length) && "parties",
    state.pegs && "pegged",
    open && "opened",
    state.phase !== "play" && "asks",
  ]
    .filter(Boolean)
    .join(" ");
  region(
    "seats",
    [state.seats.map(({ words, ...seat }) => seat), acting(state), does(state), state.phase, state.winners],
    () => seats(state),
  );
  for (const [corner, draw] of Object.entries(CORNERS))
    region(
      corner,
      [
        state.poster,
        state.tallies,
        state.facts,
        state.hand,
        state.title,
        state.target,
        state.seats.map(({ score, won, name }) => [score, won, name]),
        state.lying.filter((card) => card.zone === "turn-up"),
      ],
      () => draw(state),
    );
  region("pegs", [state.pegs, state.sides, state.seats.map((seat) => seat.score), state.target], () => pegs(state));
  $("pegs").hidden = !state.pegs;
  region("sheet", [state.sheet, state.sides, state.seats.map(({ name, score }) => [name, score])], () => sheet(state));
  region("lying", [...laidOut(state), correctable(state)], () => lying(state));
  region("news", state.points, () => news(state));
  counting(state);
  fit();
}

const asked = (state) => !document.body.classList.contains("replaying") && requests(state).length > 0;

function table(received) {
  const state = moments(received);
  correcting(state);
  document.title = `${headline(state)} – ${state.title}`;
  $("title").textContent = $("menu-title").textContent = state.title;
  region("prompts", [state.prompts, state.trouble, state.phase, state.restoring != null, state.you.may], () =>
    slip(state),
  );
  $("prompts").hidden = !asked(state);
  $("prompts").classList.toggle("alert", requests(state)[0]?.urgent ?? false);
  if (wall) region("words", state.moments.at(-1)?.headline ?? "", (text) => [make("p", {}, ...sentence(text, state))]);
  else
    region("words", [state.seats.map(({ name, words }) => ({ name, words })), state.turn, state.screen], () =>
      numbered([...back(state), ...words(state)]),
    );
  region(
    "accusing",
    state.seats.map(({ name, words }) => ({ name, words })),
    () => words(state, true),
  );
  felt(state);
  rulesOf($("rules-button"), state);
  history(state);
  region("correcting", [state.restoring != null, state.you.may], () => corrections(state));
  region(
    "leaving",
    [state.you.may, state.between_hands, state.remembered, state.screen, state.seats.map((seat) => seat.name)],
    () => (state.screen === "game" ? leaving(state) : []),
  );
  undo(state);
  camera(state);
  closeIfOver(state);
}

function fit() {
  if (!$("table").hidden) settle($("table"));
}

let width = 0;
new ResizeObserver(([{ borderBoxSize }]) => {
  if (width) fit(); // when the table is shown first, it has just been fitted
  width = borderBoxSize[0].inlineSize;
}).observe($("table"), { box: "border-box" });
document.fonts.addEventListener("loadingdone", fit);
$("menu-button").addEventListener("click", () => $("menu-sheet").showModal());
$("menu-sheet")
  .querySelector(".ways")
  .addEventListener(
    "click",
    (event) => {
      if (event.target.closest("button")) $("menu-sheet").close();
    },
    true,
  ); // before the row does what it says
const whole = (state) => screen(state, table);
drawWith(felt, whole);
addEventListener("answered", drawLive);
connect(
  (received) => {
    const state = wall ? watched(received) : received;
    if (!held(state)) whole(state);
    speak(state);
  },
  wall ? "?as=spectator" : "",
);

// A state without what only the players need.
function watched(state) {
  const prompts = state.prompts?.filter((prompt) => prompt.kind === "turn") ?? [];
  return { ...state, prompts, notice: null, menu: null, trouble: null, text: "" };
}

// Chooses the screen, and shows what may cover it: a notice, or the menu of a button or an encoder.

// Shows the screen of `state`; `table` draws a game.
function screen(state, table) {
  const kind = state.screen === "result" ? "game" : state.screen;
  const soon = wall && kind === "lobby";
  $("lobby").hidden = kind !== "lobby" || soon;
  $("table").hidden = kind !== "game";
  $("asleep").hidden = kind !== "asleep" && !soon;
  $("asleep").classList.toggle("soon", soon);
  notice(state.notice);
  $("notice").classList.toggle("calm", state.calm);
  menu(state.menu);
  if (before !== kind) moved(kind);
  phones(state);
  awake(kind !== "asleep");
  if (soon) between(state);
  else if (kind === "lobby") import("./lobby.js").then((page) => page.lobby(state)).catch(console.error);
  if (kind === "asleep") asleep(state);
  if (kind !== "game") noMoments();
  if (kind === "game") {
    table(state);
    result(state);
  }
  document.body.dataset.version = state.version;
}

const FAREWELL_MS = 600_000; // for which the sleeping table shows the evening
let closed = null;

// A notice covers the top of the screen until it is closed or replaced.
function notice(text) {
  if (text !== closed) closed = null;
  $("notice").hidden = !text || text === closed;
  region("notice", text, () => [
    make("span", {}, text ?? ""),
    make(
      "button",
      {
        class: "quiet",
        "aria-label": t("Close"),
        onclick: () => {
          closed = text;
          notice(text);
        },
      },
      "✕",
    ),
  ]);
}

let before = null;

// On a new screen the keyboard starts at the top.
function moved(kind) {
  for (const open of before ? document.querySelectorAll("dialog[open]") : []) open.close();
  if (before && !wall) $({ game: "table" }[kind] ?? kind).focus();
  before = kind;
}

function asleep(state) {
  document.title = t("Card table");
  const mine = state.you.may.includes("host");
  const wake = (content) =>
    make(
      mine ? "button" : "div",
      mine ? { class: "wake", onclick: () => send({ do: "wake" }) } : { class: "wake" },
      ...content,
    );
  const drawn = region("asleep", [state.text, mine, state.tally, state.keepsake, state.you.role], ([text]) => [
    wake([make("span", { "aria-hidden": "true" }, "☾"), text]),
    state.tally.games ? make("p", { class: "evening" }, t("This evening:"), " ", ...tallied(state.tally)) : null,
    state.keepsake == null ? null : keepsake(state, state.keepsake, () => {}),
  ]);
  if (drawn)
    setTimeout(() => {
      for (const part of $("asleep").querySelectorAll(".evening, .keepsake")) part.hidden = true;
    }, FAREWELL_MS);
}

// On a wall, between two games: what comes next, and the evening so far.
function between({ games, game, players, tally }) {
  document.title = t("Card table");
  region("asleep", [game, players, tally], () => [
    make("h2", {}, games.find((each) => each.game === game)?.title ?? t("Card table")),
    players.length ? make("p", { class: "players" }, players.join(" · ")) : null,
    tally.games ? make("p", { class: "evening" }, t("This evening:"), " ", ...tallied(tally)) : null,
  ]);
}

// Enter and Space wake the table wherever the focus is, but on the keepsake.
document.addEventListener("keydown", (event) => {
  if (
    $("asleep").hidden ||
    event.repeat ||
    !["Enter", " "].includes(event.key) ||
    document.querySelector("dialog[open]") ||
    event.target.closest(".keepsake")
  )
    return;
  event.preventDefault();
  $("asleep").querySelector(".wake")?.click();
});

function menu(shown) {
  $("menu").hidden = !shown;
  const drawn = region("menu", shown, () =>
    shown
      ? [
          make("h2", {}, shown.title),
          make(
            "ul",
            {},
            ...shown.entries.map((entry, number) =>
              make("li", number === shown.chosen ? { class: "chosen", "aria-current": "true" } : {}, entry),
            ),
          ),
        ]
      : [],
  );
  if (drawn) $("menu").querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
}
