// Replays a game step by step on the board's own felt, or the last tricks of the game in progress. The curve of the score
// is the track.

import { $, make, mini, politely, sign, svg, t, withSuits } from "./base.js";
import { drawLive, drawReplayed, holdBack } from "./connection.js";
import { gains } from "./seats.js";

const CHUNK = 40,
  STEP_MS = 1300,
  TRICK_MS = 900,
  QUICK_MS = 6500,
  QUICK_STEP_MS = [150, 1300],
  QUICK_END_MS = 2300,
  LEAST_MS = 100;
const TRICKS = ["trick", "hand", "game"],
  HANDS = ["hand", "game"];
let game = null; // the replayed game, or null
let back = null; // what had the focus before

// Replays the game with this answer of `game.json`. `quick`: play from step `first` to the end, then return, within ten
// seconds. `after`: called when somebody has closed the replay.
export async function replay(about, first = 0, quick = false, after = null) {
  const pace = quick
    ? Math.min(Math.max(QUICK_MS / Math.max(about.steps.length - first, 1), QUICK_STEP_MS[0]), QUICK_STEP_MS[1])
    : STEP_MS;
  back = document.activeElement;
  holdBack(stop);
  game = { about, states: new Map(), at: 0, timer: null, playing: false, quick, pace, picture: false, due: 0, after };
  document.body.classList.add("replaying");
  for (const id of ["lobby", "asleep", "result", "tools", "prompts", "words"]) $(id).hidden = true;
  $("table").hidden = false;
  document.body.append(controls());
  $("table").append(make("img", { id: "replay-picture", alt: t("What the camera saw then"), hidden: true }));
  await go(first);
  $("replay-play")?.focus();
  if (quick && game) play();
}

function stop() {
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

function close() {
  const { after } = game;
  stop();
  after?.();
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
  $("replay-at").textContent = place(at);
  const slider = $("replay-slider");
  slider.value = at;
  slider.setAttribute("aria-valuetext", `${place(at)}. ${$("replay-text").textContent}`);
  slider.parentElement.style.setProperty("--at", at / Math.max(game.about.steps.length, 1));
  const turn = state.turn ?? entry?.seat,
    known = hands[turn] ?? [];
  $("replay-hands").replaceChildren(...(known.length ? [`${state.seats[turn].name}: `, ...known.map(mini)] : []));
  $("replay-picture-button").hidden = !game.about.steps.some((step) => step.picture);
  $("replay-picture-button").setAttribute("aria-pressed", String(game.picture));
  const picture = game.picture && entry?.picture;
  $("replay-picture").hidden = !picture;
  if (picture) $("replay-picture").src = `history/moment.jpg?id=${game.about.id}&line=${entry.n}`;
  if (!game.playing) politely([$("replay-text").textContent]);
}

// The hand and the trick after so many actions.
function place(at) {
  const done = game.about.steps.slice(0, Math.max(at - 1, 0));
  const hands = done.filter((step) => HANDS.includes(step.ends)).length;
  const tricks = done.slice(done.findLastIndex((step) => HANDS.includes(step.ends)) + 1);
  const trick = tricks.filter((step) => step.ends === "trick").length;
  return t("Hand {hand}, trick {trick}", { hand: hands + 1, trick: trick + 1 });
}

const sentence = (entry, state) => [
  ...withSuits(entry.text),
  ...gains(entry.points, state),
  ...entry.events.map((event) => ` · ${event}`),
];

function play(yes = true) {
  clearTimeout(game.timer);
  if (yes && !game.playing) game.due = performance.now();
  game.playing = yes;
  $("replay-play").replaceChildren(sign(yes ? "M8 5v14M16 5v14" : "M8 5l11 7-11 7z"));
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

function controls() {
  const button = (label, d, onclick, id = null) =>
    make("button", { class: "tool", "aria-label": label, title: label, onclick, id }, sign(d));
  return make(
    "footer",
    { id: "replay" },
    make("p", { id: "replay-text" }),
    make("p", { id: "replay-at" }),
    make("p", { id: "replay-hands" }),
    make(
      "nav",
      { "aria-label": t("Replay") },
      button(t("Previous trick"), "M12 5 5 12l7 7M19 5l-7 7 7 7", () => jump(-1, TRICKS)),
      button(t("Back one step"), "M15 5 8 12l7 7", () => by(-1)),
      button(t("Play"), "M8 5l11 7-11 7z", () => play(!game.playing), "replay-play"),
      button(t("Forward one step"), "m9 5 7 7-7 7", () => by(1)),
      button(t("Next trick"), "m12 5 7 7-7 7M5 5l7 7-7 7", () => jump(1, TRICKS)),
    ),
    track(),
    make(
      "nav",
      {},
      button(
        t("Camera"),
        "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
        () => {
          game.picture = !game.picture;
          go(game.at);
        },
        "replay-picture-button",
      ),
      button(t("Back to the table"), "M5 5 19 19M19 5 5 19", close, "replay-close"),
    ),
  );
}

// The curve of the score is the slider.
function track() {
  const { steps, sides } = game.about,
    last = steps.length;
  const points = [[0, steps[0]?.scores ?? [0]], ...steps.map((step, number) => [(number + 1) / last, step.scores])];
  const leading = sides.flatMap((side, number) => (side.won ? [number] : []));
  return make(
    "div",
    { class: "track" },
    lines(points, { leading }).picture,
    ...steps.flatMap((step, number) =>
      step.ends === "hand" ? [make("i", { style: { left: `${(100 * (number + 1)) / last}%` } })] : [],
    ),
    make("input", {
      id: "replay-slider",
      type: "range",
      min: 0,
      max: last,
      value: 0,
      "aria-label": t("Place in the game"),
      oninput: (event) => {
        play(false);
        go(Number(event.target.value));
      },
    }),
  );
}

const KEYS = {
  ArrowRight: () => by(1),
  ArrowLeft: () => by(-1),
  PageDown: () => jump(1, TRICKS),
  PageUp: () => jump(-1, TRICKS),
  End: () => jump(1, HANDS),
  Home: () => jump(-1, HANDS),
  Escape: close,
  " ": () => play(!game.playing),
};
document.addEventListener("keydown", (event) => {
  if (!game || !(event.key in KEYS) || document.querySelector("dialog[open]")) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  event.preventDefault();
  KEYS[event.key]();
});

const NEAR = 0.6; // of the target: from there on it is in the picture
export const HIGH = 100;

// The curves of a score as wide and high as their box: a line for each side, those of `leading` thick. `points`: the
// place (0 to 1) and the scores of all sides. Returns the picture, and for a score its height in percent.
export function lines(points, { leading = [], target = null, label = null } = {}) {
  const scores = points.flatMap(([, each]) => each);
  const low = Math.min(0, ...scores);
  let high = Math.max(1, ...scores);
  const aim = target != null && high >= NEAR * target;
  if (aim) high = Math.max(high, target);
  const y = (score) => HIGH - (HIGH * (score - low)) / (high - low);
  const sides = points[0][1].map((_, side) => side);
  const line = (side) =>
    svg("path", {
      class: leading.includes(side) ? "line lead" : "line",
      d: points
        .map(([x, each], number) => `${number ? "L" : "M"}${(HIGH * x).toFixed(1)} ${y(each[side]).toFixed(1)}`)
        .join(""),
    });
  const drawn = sides.toSorted((a, b) => leading.includes(a) - leading.includes(b)).map(line);
  if (aim) drawn.unshift(svg("path", { class: "target", d: `M0 ${y(target)}H${HIGH}` }));
  const box = svg("svg", { class: "lines", viewBox: `0 0 ${HIGH} ${HIGH}`, preserveAspectRatio: "none" }, ...drawn);
  if (label) (box.setAttribute("role", "img"), box.setAttribute("aria-label", label));
  else box.setAttribute("aria-hidden", "true");
  return { picture: box, y, aim };
}
