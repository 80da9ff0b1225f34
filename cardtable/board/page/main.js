// The page: shows each state that the table sends. Here is the screen of a game; screens.js has the others.

import { closeIfOver } from "./ask.js";
import { headline, prompts, words } from "./bar.js";
import { camera } from "./camera.js";
import { connect } from "./connection.js";
import { counting } from "./counting.js";
import { $, region } from "./dom.js";
import { facts, fitFelt, lying, news } from "./felt.js";
import { talk } from "./fit.js";
import { history, undo } from "./history.js";
import { leaving } from "./leaving.js";
import { pegs } from "./pegboard.js";
import { screen } from "./screens.js";
import { edges } from "./seats.js";
import { speak } from "./speech.js";

const BAR_SHARE = { wide: 0.215, tall: 0.3 }; // of the window's height, at most, for what to do now

function table(state) {
  document.title = `${headline(state)} – ${state.title}`;
  $("title").textContent = state.title;
  const names = state.seats.map((seat) => seat.name);
  region("seats", [state.seats.map(({ words, ...seat }) => seat), state.turn, state.target, state.winners, state.over, state.points], () => edges(state));
  $("seats").className = { 2: "two", 4: "four" }[names.length] ?? "";
  region("prompts", [state.prompts, state.trouble], () => prompts(state));
  region("words", [state.seats.map(({ name, words }) => ({ name, words })), state.turn], () => words(state));
  region("pegs", [state.pegs, state.sides, state.seats.map((seat) => seat.score), state.target], () => pegs(state));
  $("pegs").hidden = !state.pegs;
  region("facts", [state.facts, state.trump, state.lying.filter((card) => card.zone === "turn-up")], () => facts(state));
  region("lying", [state.lying, state.turn, state.phase, names], () => lying(state));
  region("news", state.points, () => news(state));
  region("history", state.history, () => history(state));
  region("leaving", [state.between_hands, state.screen, names], () => (state.screen === "game" ? leaving(state) : []));
  counting(state);
  undo(state);
  camera(state);
  closeIfOver(state);
  fit();
}

function fit() {
  talk($("bar"), innerWidth > innerHeight ? BAR_SHARE.wide : BAR_SHARE.tall);
  fitFelt();
}

new ResizeObserver(fit).observe($("felt"));
connect((state) => {
  screen(state, table);
  speak(state);
});
