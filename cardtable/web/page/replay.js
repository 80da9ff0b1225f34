// Replays a game step by step on the board's own felt, or the last tricks of the game in progress.

import { politely } from "./announce.js";
import { $, make } from "./dom.js";
import { drawLive, drawReplayed, hold } from "./live.js";
import { gains } from "./seats.js";
import { t } from "./texts.js";

const CHUNK = 40,
  STEP_MS = 1300,
  TRICK_MS = 900,
  QUICK_MS = 6500,
  QUICK_STEP_MS = [150, 1300],
  QUICK_END_MS = 2300,
  LEAST_MS = 100;
let game = null; // the replayed game, or null
let back = null; // what had the focus before

// Replays the game with this answer of `game.json`. `quick`: play from step `first` to the end, then return, within ten
// seconds.
export async function replay(about, first = 0, quick = false) {
  const pace = quick
    ? Math.min(Math.max(QUICK_MS / Math.max(about.steps.length - first, 1), QUICK_STEP_MS[0]), QUICK_STEP_MS[1])
    : STEP_MS;
  back = document.activeElement;
  hold(stop);
  game = { about, states: new Map(), at: 0, timer: null, playing: false, quick, pace, picture: false, due: 0 };
  document.body.classList.add("replaying");
  for (const id of ["lobby", "asleep", "result", "tools", "prompts", "words"]) $(id).hidden = true;
  $("table").hidden = false;
  document.body.append(controls());
  $("table").append(make("img", { id: "replay-picture", alt: t("What the camera saw then"), hidden: true }));
  await go(first);
  $("replay-play")?.focus();
  if (quick && game) play();
}

export function stop() {
  if (!game) return;
  clearTimeout(game.timer);
  game = null;
  $("replay").remove();
  $("replay-picture").remove();
  document.body.classList.remove("replaying");
  $("tools").hidden = $("words").hidden = false;
  drawLive();
  if (back?.isConnected) back.focus();
}

async function load(at) {
  if (game.states.has(at)) return;
  const from = Math.floor(at / CHUNK) * CHUNK,
    wanted = game;
  const answer = await fetch(`history/steps.json?id=${game.about.id}&from=${from}&count=${CHUNK}`);
  const { first, steps } = await answer.json();
  steps.forEach((step, number) => wanted.states.set(first + number, step));
}

async function go(to) {
  const wanted = game;
  game.at = Math.min(Math.max(to, 0), game.about.steps.length);
  const at = game.at;
  await load(at).catch(() => {});
  if (game !== wanted || game.at !== at || !game.states.has(at)) return;
  const { state, hands } = game.states.get(at);
  drawReplayed(state);
  draw(at, state, hands);
  if (at + 1 <= game.about.steps.length) load(at + 1).catch(() => {});
}

function draw(at, state, hands) {
  const entry = game.about.steps[at - 1];
  $("replay-text").replaceChildren(...(entry ? sentence(entry, state) : [t("The beginning")]));
  $("replay-at").textContent = `${at} / ${game.about.steps.length}`;
  const slider = $("replay-slider");
  slider.value = at;
  slider.setAttribute("aria-valuetext", $("replay-text").textContent);
  const known = state.seats.map((seat, number) => [seat.name, hands[number] ?? []]).filter(([, cards]) => cards.length);
  $("replay-hands").textContent = known.map(([name, cards]) => `${name}: ${cards.map(glyph).join(" ")}`).join(" · ");
  $("replay-picture-button").hidden = !game.about.steps.some((step) => step.picture);
  $("replay-picture-button").setAttribute("aria-pressed", String(game.picture));
  const picture = game.picture && entry?.picture;
  $("replay-picture").hidden = !picture;
  if (picture) $("replay-picture").src = `history/moment.jpg?id=${game.about.id}&line=${entry.n}`;
  if (!game.playing) politely([$("replay-text").textContent]);
}

const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const glyph = (card) => card.replace(/^(\w+)([SHDC])$/, (all, rank, suit) => rank + SIGNS[suit]);
const sentence = (entry, state) => [
  entry.text,
  ...gains(entry.points, state),
  ...entry.events.map((event) => ` · ${event}`),
];

function play(yes = true) {
  clearTimeout(game.timer);
  if (yes && !game.playing) game.due = performance.now();
  game.playing = yes;
  $("replay-play").textContent = yes ? "❚❚" : "▶";
  $("replay-play").setAttribute("aria-label", yes ? t("Pause") : t("Play"));
  if (!yes) return;
  if (game.at >= game.about.steps.length) {
    if (game.quick) game.timer = setTimeout(stop, QUICK_END_MS);
    else play(false);
    return;
  }
  const pause = game.at && game.about.steps[game.at - 1].ends && !game.quick ? TRICK_MS : 0;
  game.due += game.pace + pause; // so the time for loading and drawing a step does not accumulate
  game.timer = setTimeout(
    async () => {
      await go(game.at + 1);
      if (game?.playing) play();
    },
    Math.max(game.due - performance.now(), LEAST_MS),
  );
}

function by(steps) {
  play(false);
  go(game.at + steps);
}

// Goes to the next or previous end of a trick, or of a hand.
function jump(direction, kinds) {
  play(false);
  const ends = [
    0,
    ...game.about.steps.flatMap((step, number) => (kinds.includes(step.ends) ? [number + 1] : [])),
    game.about.steps.length,
  ];
  go(direction > 0 ? (ends.find((end) => end > game.at) ?? game.at) : (ends.findLast((end) => end < game.at) ?? 0));
}

const TRICKS = ["trick", "hand", "game"],
  HANDS = ["hand", "game"];

function controls() {
  const button = (label, sign, onclick, id = null) =>
    make("button", { "aria-label": label, title: label, onclick, id }, sign);
  const last = game.about.steps.length;
  return make(
    "footer",
    { id: "replay" },
    make("p", { id: "replay-text" }),
    make("p", { id: "replay-hands" }),
    make("input", {
      id: "replay-slider",
      type: "range",
      min: 0,
      max: last,
      value: 0,
      "aria-label": t("Step"),
      oninput: (event) => {
        play(false);
        go(Number(event.target.value));
      },
    }),
    make(
      "nav",
      { "aria-label": t("Replay") },
      button(t("Previous hand"), "⇤", () => jump(-1, HANDS)),
      button(t("Previous trick"), "«", () => jump(-1, TRICKS)),
      button(t("Back one step"), "‹", () => by(-1)),
      button(t("Play"), "▶", () => play(!game.playing), "replay-play"),
      button(t("Forward one step"), "›", () => by(1)),
      button(t("Next trick"), "»", () => jump(1, TRICKS)),
      button(t("Next hand"), "⇥", () => jump(1, HANDS)),
      button(
        t("Camera"),
        "◉",
        () => {
          game.picture = !game.picture;
          go(game.at);
        },
        "replay-picture-button",
      ),
      make("span", { id: "replay-at" }),
      button(t("Back to the table"), "✕", stop, "replay-close"),
    ),
  );
}

const KEYS = {
  ArrowRight: () => by(1),
  ArrowLeft: () => by(-1),
  PageDown: () => jump(1, TRICKS),
  PageUp: () => jump(-1, TRICKS),
  End: () => jump(1, HANDS),
  Home: () => jump(-1, HANDS),
  Escape: stop,
  " ": () => play(!game.playing),
};
document.addEventListener("keydown", (event) => {
  if (!game || !(event.key in KEYS) || document.querySelector("dialog[open]")) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  event.preventDefault();
  KEYS[event.key]();
});
