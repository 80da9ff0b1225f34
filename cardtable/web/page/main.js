// The page: shows each state that the table sends. This module draws a game, screens.js the other screens.

import { closeIfOver } from "./ask.js";
import { clamp, headline, limit, prompts, words } from "./bar.js";
import { camera } from "./camera.js";
import { connect } from "./connection.js";
import { correctable, correcting } from "./correct.js";
import { counting } from "./counting.js";
import "./cursor.js";
import { $, region } from "./dom.js";
import { facts, fitFelt, lying, news } from "./felt.js";
import { enlarge, isShort, overflows, talk } from "./fit.js";
import { corrections, history, undo } from "./history.js";
import { leaving } from "./leaving.js";
import { drawWith, held } from "./live.js";
import "./past-open.js";
import { pegs } from "./pegboard.js";
import { back } from "./result.js";
import { screen } from "./screens.js";
import { acting, edges } from "./seats.js";
import "./shortcuts.js";
import { speak } from "./speech.js";

const BAR_SHARE = { wide: 0.215, tall: 0.3 }; // largest share of the window's height for the bar
const MOST_PROMPTS = 6;
const MOST_WORDS = 0.25; // share of the window's height for words in large type: two rows
const LEAST_FELT = 0.3; // share of the window's height that larger type leaves to the felt

// Draws the seats and the cards between them; a replay draws only these.
function felt(state) {
  const names = state.seats.map((seat) => seat.name);
  region("seats", [state.seats.map(({ words, ...seat }) => seat), acting(state), state.target, state.winners, state.over, state.points], () => edges(state));
  $("seats").className = { 2: "two", 4: "four", 7: "many", 8: "many" }[names.length] ?? "";
  region("pegs", [state.pegs, state.sides, state.seats.map((seat) => seat.score), state.target], () => pegs(state));
  $("pegs").hidden = !state.pegs;
  region("facts", [state.facts, state.trump, state.lying.filter((card) => card.zone === "turn-up"), correctable(state)], () => facts(state));
  region("lying", [state.lying, state.turn, state.phase, state.auction, names, correctable(state)], () => lying(state));
  region("news", state.points, () => news(state));
  counting(state);
  fit();
}

function table(state) {
  correcting(state);
  document.title = `${headline(state)} – ${state.title}`;
  $("title").textContent = state.title;
  region("prompts", [state.prompts, state.trouble], () => prompts(state));
  region("words", [state.seats.map(({ name, words }) => ({ name, words })), state.turn, state.screen, state.restoring != null, state.you.may, state.prompts.map(({ kind, urgent, seat }) => [kind, urgent, seat])], () => [...back(state), ...words(state)]);
  felt(state);
  history(state);
  region("correcting", [state.restoring != null, state.you.may], () => corrections(state));
  region("leaving", [state.you.may, state.between_hands, state.remembered, state.screen, state.seats.map((seat) => seat.name)], () => (state.screen === "game" ? leaving(state) : []));
  undo(state);
  camera(state);
  closeIfOver(state);
}

let fitted = ""; // the sizes at the last fit
const sizes = () => [innerWidth, innerHeight, $("felt").clientWidth, $("felt").clientHeight].join();

// Shows as many prompts as fit, but at least one, which has one line if two do not fit.
function fit() {
  if ($("table").hidden) return;
  for (let most = Math.min($("prompts").children.length, MOST_PROMPTS); most >= 0; most -= 1) {
    $("prompts").classList.toggle("tight", !most);
    limit($("prompts"), Math.max(most, 1));
    enlarge(arrange, () => cut() || $("felt").clientHeight < LEAST_FELT * innerHeight);
    if (!cut()) break;
  }
  fitted = sizes();
}

const cut = () => [$("table"), $("facts"), $("lying"), $("counting"), ...document.querySelectorAll(".seat, .seat .more, .auction td")].some(overflows);

function arrange() {
  const bar = $("bar"), list = $("prompts"), words = $("words"), wide = innerWidth > innerHeight;
  bar.classList.remove("stacked");
  words.classList.remove("dense");
  words.classList.toggle("dense", wide && words.offsetHeight > MOST_WORDS * innerHeight);
  for (const prompt of list.children) prompt.classList.remove("cut");
  if (wide && !talk(bar, list, BAR_SHARE.wide, list)) { // the words are above the prompts if that needs less room
    const short = isShort(list), beside = bar.offsetHeight;
    bar.classList.add("stacked");
    talk(bar, list, BAR_SHARE.wide, list);
    if (short && bar.offsetHeight >= beside) bar.classList.remove("stacked"), talk(bar, list, BAR_SHARE.wide, list);
  }
  if (!wide) talk(bar, bar, BAR_SHARE.tall, list);
  clamp(list);
  fitFelt();
}

new ResizeObserver(() => { if (sizes() !== fitted) fit(); }).observe($("felt"));
const whole = (state) => screen(state, table);
drawWith(felt, whole);
connect((state) => {
  if (!held(state)) whole(state);
  speak(state);
});
