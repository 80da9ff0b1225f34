// The board's page: shows the state that the table sends, and sends back words and corrections.
// Texts are inserted with textContent, never as HTML: names come from people, troubles from devices.

import "./theme.js";
import { closeIfOver, complete } from "./ask.js";
import { make, picture, suit } from "./draw.js";
import { fit } from "./fit.js";
import { PHASES, SUITS, t, word } from "./texts.js";

const $ = (id) => document.getElementById(id);
const WAIT_FIRST = 300, WAIT_MOST = 5000, SURE = 4000, PICTURE_EVERY = 1000, MOST_ACROSS = 6;

let socket = null;
let state = null;
let wait = WAIT_FIRST;
let peek = false; // whether the camera's picture is shown on request, although nothing is wrong
let helped = ""; // the name of the camera that needs help
let seen = false; // whether there is a picture of that camera, or of any
let lying = new Set();
const drawn = new Map();

// Small tools

const signed = (points) => (points > 0 ? `+${points}` : `−${-points}`);
const name = (seat) => state.seats[seat]?.name ?? "";
const who = (seat) => make("span", { class: "who" }, name(seat));

// Redraws a region only if its content has changed, so that a button does not disappear while it is pressed.
function region(id, value, draw) {
  const text = JSON.stringify(value);
  if (drawn.get(id) === text) return false;
  drawn.set(id, text);
  $(id).replaceChildren(...draw(value).filter((child) => child != null));
  return true;
}

// What is shown

function show() {
  const turn = state.turn != null ? t("{name}’s turn", { name: name(state.turn) }) : PHASES[state.phase] ?? state.phase;
  document.title = `${turn} – ${state.title}`;
  $("title").textContent = state.title;
  const facts = new Map();
  for (const [what, label, value] of state.facts) {
    if (what !== "trumps") facts.set(label, [...(facts.get(label) ?? []), value]); // trumps are shown elsewhere
  }
  $("phase").replaceChildren(PHASES[state.phase] ?? state.phase, ...[...facts].flatMap(([what, values]) => [` · ${what} `, make("b", {}, values.join("; "))]));
  $("trump").hidden = !state.trump;
  $("trump").classList.toggle("red", "HD".includes(state.trump ?? "-"));
  region("trump", state.trump, (trump) => (trump ? [suit(trump), t("{suit} are trumps", { suit: SUITS[trump] })] : []));
  region("seats", [state.seats.map(({ words, ...seat }) => seat), state.turn, state.target, state.winners, state.over, state.points], seats);
  if (region("lying", [state.lying, state.turn, state.phase, state.seats.map((seat) => seat.name)], stage)) fit($("lying"));
  region("prompts", [state.prompts, state.trouble], prompts);
  region("words", [state.seats.map(({ name, words }) => ({ name, words })), state.turn], words);
  region("points", state.points, points);
  region("history", state.history, history);
  undo();
  camera();
  closeIfOver(state);
}

function seats() {
  const fresh = state.points.fresh ? state.points.list : [];
  const sides = state.sides;
  return state.seats.map((seat, number) => {
    const gain = fresh.filter((entry) => entry.seat === number).reduce((sum, entry) => sum + entry.points, 0);
    const on = state.turn === number;
    const won = state.winners.includes(number % sides);
    return make("article", { class: `seat${on ? " turn" : ""}${won ? " winner" : ""}` },
      make("div", { class: "name" }, make("b", {}, seat.name), seat.dealer ? make("span", { class: "dealer" }, state.dealer_does) : null),
      make("div", { class: "row" },
        make("span", { class: "score" }, String(seat.score), state.target ? make("small", {}, ` / ${state.target}`) : null),
        make("span", { class: "more" }, won ? t("wins!") : seat.won === null ? "" : t("{number} won", { number: seat.won }), make("br"), t("{number} in hand", { number: seat.cards }))),
      state.target ? make("progress", { class: "bar", max: state.target, value: Math.max(seat.score, 0), "aria-label": t("{name}: {score} of {target}", { ...seat, target: state.target }) }) : null,
      gain ? make("span", { class: `gain${gain < 0 ? " loss" : ""}`, "aria-hidden": "true" }, signed(gain)) : null);
  });
}

function stage() {
  const before = lying;
  lying = new Set(state.lying.map((card) => `${card.zone} ${card.seat} ${card.card}`));
  const draw = (card) => picture(card.card, "div", { class: before.has(`${card.zone} ${card.seat} ${card.card}`) ? "" : "new" });
  const groups = new Map();
  for (const card of state.lying) {
    const key = card.zone === "play" ? "play" : `${card.zone} ${card.seat ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), card]);
  }
  const out = [];
  const played = groups.get("play") ?? [];
  groups.delete("play");
  // No card is awaited for a complete trick.
  const complete = state.seats.every((_, seat) => played.filter((card) => card.seat === seat).length === 1);
  const awaited = state.phase === "play" && state.turn != null && !complete;
  $("lying").style.setProperty("--across", Math.min(Math.max(played.length + awaited, 2), MOST_ACROSS));
  const free = awaited
    ? make("div", { class: "place" }, make("div", { class: "card free", "aria-hidden": "true" }), who(state.turn)) : null;
  for (const [, cards] of groups) {
    const { zone, seat } = cards[0];
    const label = zone === "show" ? t("open") : t(zone);
    out.push(make("div", { class: "group aside" }, make("div", { class: "cards" }, ...cards.map(draw)),
      make("h2", {}, seat == null ? label : t("{name}: {what}", { name: name(seat), what: label }))));
  }
  if (played.length || free) {
    out.push(make("div", { class: "group" },
      make("div", { class: "cards" }, ...played.map((card) => make("div", { class: "place" }, draw(card), card.seat == null ? "" : who(card.seat))), free)));
  }
  if (!out.length) out.push(make("p", { class: "waiting" }, state.over ? t("Thank you for the game.") : t("No cards on the table yet.")));
  return out;
}

new ResizeObserver(() => fit($("lying"))).observe($("stage"));

function prompts() {
  const list = state.prompts.map((prompt) => make("p", { class: `prompt${prompt.urgent ? " alert" : ""}` }, prompt.text));
  if (state.trouble) list.unshift(make("p", { class: "prompt alert" }, t("Not stored: {reason}", { reason: state.trouble })));
  return list.sort((a, b) => b.classList.contains("alert") - a.classList.contains("alert"));
}

function words() {
  const order = state.seats.map((seat, number) => ({ ...seat, number })).filter((seat) => seat.words.length);
  order.sort((a, b) => (b.number === state.turn) - (a.number === state.turn));
  return order.map((seat) => make("div", { class: `says${seat.number === state.turn ? " turn" : ""}` }, make("span", {}, seat.name),
    ...seat.words.map((said) => make("button", { type: "button", class: "word", onclick: () => say(seat.number, said) },
      (said.label ? t(said.label) : word(said.word)) + (said.needs.length ? "…" : "")))));
}

function points() {
  return state.points.list.map((entry) => make("span", { class: entry.points < 0 ? "loss" : "" },
    `${name(entry.seat)} `, make("b", {}, signed(entry.points)), ` ${word(entry.for)}`));
}

function history() {
  return state.history.map((entry) => make("li", {}, entry.text,
    ...entry.points.map((point) => make("span", { class: point.points < 0 ? "loss" : "" }, ` · ${name(point.seat)} `, make("b", {}, signed(point.points)), ` ${word(point.for)}`)),
    ...entry.events.map((event) => make("span", { class: "event" }, ` · ${event}`))));
}

// An undo takes two taps: the first shows the action, the second undoes it.
let sure = null;
function undo() {
  const last = state.history[0];
  if (sure && sure.n !== state.n) calm();
  $("undo").disabled = !last;
  $("undo").textContent = sure ? t("Really take back: {action}?", { action: last.text })
    : last ? t("↶ Take back: {action}", { action: last.text }) : t("Nothing to take back");
  $("undo").classList.toggle("sure", Boolean(sure));
}
function calm() {
  clearTimeout(sure?.timer);
  sure = null;
}
$("undo").addEventListener("click", () => {
  if (sure) {
    send({ do: "undo", n: sure.n });
    calm();
  } else {
    sure = { n: state.n, timer: setTimeout(() => { calm(); undo(); }, SURE) };
  }
  undo();
});

// Words

async function say(seat, said) {
  const message = await complete(seat, said, state);
  if (message) send(message);
}

function refused(text) {
  $("refused").textContent = text;
  $("refused").hidden = false;
  setTimeout(() => { $("refused").hidden = true; }, 6000);
}

// The camera's picture is shown while a camera needs help, and on request.

function camera() {
  const needs = state.sources.find((source) => source.camera && source.trouble)?.name ?? "";
  if (needs !== helped) {
    [helped, seen] = [needs, false];
    freshPicture();
  }
  $("camera").hidden = !peek && !(helped && seen);
  $("camera").classList.toggle("needed", Boolean(helped && seen));
  $("camera-button").setAttribute("aria-pressed", String(peek));
  $("picture").hidden = !seen;
  $("picture-text").textContent = !seen ? t("There is no picture from the camera now.")
    : helped ? t("What “{name}” saw last", { name: helped }) : ""; // its trouble is shown among the prompts
}
function freshPicture() {
  if ((helped || peek) && !document.hidden) $("picture").src = `camera.jpg?of=${encodeURIComponent(helped)}&${Date.now()}`;
}
setInterval(freshPicture, PICTURE_EVERY);
for (const event of ["load", "error"]) {
  $("picture").addEventListener(event, () => {
    seen = event === "load";
    if (state) camera();
  });
}
$("camera-button").addEventListener("click", () => {
  peek = !peek;
  if (state) camera();
  freshPicture();
});

// The connection

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  else refused(t("There is no connection to the table; nothing was entered."));
}

const TRY_AGAIN_LATER = 1013; // the close code if too many pages are open

function connected(yes, code = 0) {
  $("offline").hidden = yes;
  $("offline").textContent = code === TRY_AGAIN_LATER
    ? t("Too many pages of this table are open: close one that is not needed. Trying again…")
    : t("No connection to the table. Trying again…");
  document.body.classList.toggle("offline", !yes);
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.refused) return refused(message.refused);
    if (!message.seats) return; // the table is still being set up
    wait = WAIT_FIRST;
    connected(true);
    state = message;
    show();
  });
  socket.addEventListener("close", (event) => {
    connected(false, event.code);
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, WAIT_MOST);
  });
}
connect();
