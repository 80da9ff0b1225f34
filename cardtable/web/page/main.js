// The page: shows each state that the table sends. This module draws a game, screens.js the other screens.

import { closeIfOver } from "./ask.js";
import { headline, requests, slip, words } from "./bar.js";
import { camera } from "./camera.js";
import { connect } from "./connection.js";
import { lowerLeft, lowerRight, upperLeft, upperRight } from "./corners.js";
import { correctable, correcting } from "./correct.js";
import { counting } from "./counting.js";
import "./cursor.js";
import { $, region } from "./dom.js";
import { isOpen, laidOut, lying, news, settle } from "./felt.js";
import { enlarge } from "./fit.js";
import { corrections, history, undo } from "./history.js";
import { leaving } from "./leaving.js";
import { drawLive, drawWith, held } from "./live.js";
import "./past-open.js";
import { moments } from "./moments.js";
import { pegs } from "./pegboard.js";
import { back } from "./result.js";
import { screen } from "./screens.js";
import { acting, seats } from "./seats.js";
import "./shortcuts.js";
import { speak } from "./speech.js";

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
    [
      state.seats.map(({ words, ...seat }) => seat),
      acting(state),
      state.phase,
      state.led,
      state.lying.length,
      state.winners,
    ],
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
  region("words", [state.seats.map(({ name, words }) => ({ name, words })), state.turn, state.screen], () => [
    ...back(state),
    ...words(state),
  ]);
  region(
    "accusing",
    state.seats.map(({ name, words }) => ({ name, words })),
    () => words(state, true),
  );
  felt(state);
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

const beyond = (box) => box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().bottom > innerHeight + 1;

function fit() {
  if (!$("table").hidden)
    enlarge(
      () => settle($("table")),
      () => [...$("table").querySelectorAll(".corner, .seat .line")].some(beyond),
    );
}

new ResizeObserver(fit).observe($("felt"));
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
connect((state) => {
  if (!held(state)) whole(state);
  speak(state);
});
