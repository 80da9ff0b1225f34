// The menu and its sheets: what happened, the camera, the history, phones, keys, and leaving the game.

import { $, ask, enlarged, make, region, settings, split, t, withSuits } from "./base.js";
import { post, send } from "./connection.js";
import { about, addCard, correctable, rights, undoTo, whatIsIt, whichCard } from "./requests.js";
import { gains } from "./seats.js";
import { repeat } from "./speech.js";

// What this device may do, the code with which phones come to the table, and the button of the sheet that connects them,
// whose module is loaded when it is first opened.

const BEFORE_S = 30; // how long before the old code expires a new one is shown
let device = null;
let sheet = null; // the module of the sheet
let code = null; // the table's answer; null before it
let codeTimer = 0;
let asking = 0; // the phone about which the question is shown
let changed = () => {};

const hosts = () => ["board", "director"].includes(device?.you.role);

export function phones(next) {
  device = next;
  document.body.dataset.may = next.you.may.join(" ");
  sheet?.phones(next);
  askAbout(next.asks[0]);
}

// The code that lets any phone in; null until the table has answered. `then` is called when it has changed.
export function tableCode(then = changed) {
  changed = then;
  if (!codeTimer && hosts()) newCode();
  return code;
}

export async function newCode() {
  clearTimeout(codeTimer);
  codeTimer = -1;
  const answer = await fetch("phone/code", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  })
    .then((response) => response.json())
    .catch(() => null);
  code = answer?.code ? answer : null;
  codeTimer = setTimeout(
    () => {
      codeTimer = 0; // whoever shows it asks for another one
      changed();
    },
    Math.max((code?.seconds ?? 0) - BEFORE_S, BEFORE_S) * 1000,
  );
  changed();
}

// Asks whether a second phone may play for a player.
async function askAbout(phone) {
  if (phone?.id === asking || (phone && $("ask").open)) return;
  if (asking) $("ask").close(); // it was answered elsewhere
  asking = phone?.id ?? 0;
  if (!phone) return;
  const allowed = await ask(
    t("A second phone for {name}?", { name: phone.player }),
    [
      [true, make("button", {}, t("Allow"))],
      [false, make("button", {}, t("Refuse"))],
    ],
    phone.device,
  );
  if (device.asks.some(({ id }) => id === phone.id)) post("phone/answer", { id: phone.id, allowed: allowed === true });
}

// Opens the sheet. Devices other than the board and the director's go to the page of phones instead.
export async function openPhones() {
  if (!hosts()) {
    location.href = "phone";
    return;
  }
  sheet ??= await import("./phones-sheet.js").catch(() => null); // without a connection the page says so
  sheet?.openSheet(device);
}

$("phones-button").addEventListener("click", () => openPhones());

// What happened: the list of the last actions, and undoing the last one, which takes two taps.

const SURE = 4000;
const sign = $("undo").firstElementChild;
let asked = null;
let state = null;
let whole = null; // `n` and all entries as last fetched

// Fetches the whole list while the sheet is open; the state contains only the last actions.
export function history(shown) {
  const older = state?.n !== shown.n ? state : null;
  state = shown;
  const entries = whole?.n === shown.n ? whole.history : shown.history;
  const may = correctable(shown);
  region("history", [entries, may], () => [
    ...entries.map((entry) => entryLine(entry, entries, may)),
    may && entries === whole?.history && entries.length ? beginning(entries) : null,
  ]);
  if ($("history-sheet").open && older) fetchAll();
}

function entryLine(entry, entries, may) {
  const more = [
    ...gains(entry.points, state),
    ...entry.events.map((event) => make("span", { class: "event" }, ...withSuits(` · ${event}`))),
  ];
  const text = withSuits(entry.text);
  if (entry.by)
    return make(
      "li",
      { class: "correction" },
      ...text,
      make("span", { class: "event" }, ` · ${entry.by === "board" ? t("on the board") : entry.by}`),
    );
  if (!may) return make("li", { class: "plain" }, ...text, ...more);
  return make("li", {}, make("button", { onclick: () => about(entry, entries) }, ...text, ...more));
}

async function fetchAll() {
  whole = await fetch("actions.json")
    .then((answer) => answer.json())
    .catch(() => whole);
  if (state) history(state);
}

function beginning(entries) {
  const undo = () =>
    undoTo(
      1,
      entries.filter((entry) => !entry.by),
    );
  return make("li", {}, make("button", { onclick: undo }, t("Undo to the beginning")));
}

export function corrections(shown) {
  if (!correctable(shown)) return [];
  return [
    make("button", { "aria-keyshortcuts": "C", onclick: () => whichCard(null) }, t("Correct a card")),
    make("button", { "aria-keyshortcuts": "A", onclick: addCard }, t("Add a card")),
    ...rights(shown, true),
  ];
}

export function undo(shown) {
  state = shown;
  const last = state.history.find((entry) => !entry.by);
  if (asked && asked.n !== state.n) calm();
  const button = $("undo");
  button.hidden = !shown.you.may.includes("undo");
  button.disabled = !last;
  button.classList.toggle("sure", Boolean(asked));
  button.setAttribute(
    "aria-label",
    asked
      ? t("Really take back: {action}?", { action: last.text })
      : last
        ? t("↶ Take back: {action}", { action: last.text })
        : t("Nothing to take back"),
  );
  if (asked) button.replaceChildren(...withSuits(t("Really take back: {action}?", { action: last.text })));
  else button.replaceChildren(sign);
}

function calm() {
  clearTimeout(asked?.timer);
  asked = null;
}

$("undo").addEventListener("click", () => {
  if (asked) {
    send({ do: "undo", n: asked.n });
    calm();
  } else {
    asked = {
      n: state.n,
      timer: setTimeout(() => {
        calm();
        undo(state);
      }, SURE),
    };
  }
  undo(state);
});
$("history-button").addEventListener("click", () => {
  $("history-sheet").showModal();
  $("history").scrollTop = 0;
  fetchAll();
});

// Leaving a game for another one or the lobby, and joining and leaving between two hands. Each takes two taps.

// The buttons for what is possible now.
export function leaving(state) {
  const buttons = [button(t("Say how it stands"), repeat, "I")];
  if (!state.you.may.includes("host")) return buttons;
  buttons.push(button(t("Another game…"), () => otherGame(state)));
  buttons.push(button(t("Break off"), () => breakOff(), "X"));
  if (state.between_hands)
    buttons.push(
      button(t("Add a player"), () => join(state)),
      button(t("A player leaves"), () => leave(state)),
    );
  return buttons;
}

const button = (text, onclick, key = null) => make("button", { "aria-keyshortcuts": key, onclick }, text);
const choice = (value, text) => [value, make("button", {}, text)];

// Begins another game with the same players at once.
async function otherGame({ others }) {
  const game = await ask(
    t("Which game now? This one stays stored."),
    others.map(({ game, title }) => choice(game, title)),
  );
  if (game != null) send({ do: "change-game", game });
}

async function breakOff() {
  const agreed = await ask(t("Break this game off? It stays stored, and the lobby offers to go on with it."), [
    choice(true, t("Break off")),
  ]);
  if (agreed) {
    send({ do: "break-off" });
  }
}

async function leave(state) {
  const name = await ask(
    t("Who leaves? A new game begins with the others."),
    state.seats.map((seat) => choice(seat.name, seat.name)),
  );
  if (name != null) {
    send({ do: "leave", name });
  }
}

async function join(state) {
  (await import("./keyboard.js")).whoJoins(t("A new game begins with all players."), state.remembered, (name) => {
    send({ do: "join", name });
  });
}

// The camera's picture: shown while a camera needs help, and on request, above everything else.

const EVERY = 1000;
let peek = false; // whether it is shown on request
let helped = ""; // the name of the camera that needs help
let seen = false; // whether there is a picture
let shown = null;
let chosen = ""; // the name of the camera chosen from several

export function camera(state) {
  shown = state;
  const needs = state.sources.find((source) => source.camera && source.trouble)?.name ?? "";
  if (needs !== helped) {
    [helped, seen] = [needs, false];
    fresh();
  }
  $("camera").hidden = !peek && !(helped && seen);
  $("camera").classList.toggle("needed", Boolean(helped && seen && !peek));
  $("camera-button").setAttribute("aria-pressed", String(peek));
  $("picture").hidden = !seen;
  spots(state, watched(), peek && seen);
  $("picture-text").textContent = !seen
    ? t("There is no picture from the camera now.")
    : watched() === helped
      ? t("What “{name}” saw last", { name: helped })
      : ""; // its trouble is shown among the prompts
  region("camera-choice", [peek, names(), watched()], () =>
    peek && names().length > 1 ? names().map(cameraButton) : [],
  );
}

const names = () => shown?.sources.filter((source) => source.camera).map((source) => source.name) ?? [];

function watched() {
  return peek && names().includes(chosen) ? chosen : helped || (names()[0] ?? "");
}

function cameraButton(name) {
  return make(
    "button",
    {
      "aria-pressed": String(name === watched()),
      onclick: () => {
        [chosen, seen] = [name, false];
        look(true);
      },
    },
    name,
  );
}

function fresh() {
  if ((helped || peek) && !document.hidden)
    $("picture").src = `camera.jpg?of=${encodeURIComponent(watched())}&${Date.now()}`;
}

function look(yes) {
  peek = yes;
  if (shown) camera(shown);
  fresh();
}

setInterval(fresh, EVERY);
for (const event of ["load", "error"]) {
  $("picture").addEventListener(event, () => {
    seen = event === "load";
    if (shown) camera(shown);
  });
}
$("camera-button").addEventListener("click", () => look(!peek));
$("camera-close").addEventListener("click", () => look(false));

// The cards in the camera's picture: each can be tapped, as can the picture close to one.

const NEAR = 0.1; // the largest distance from a card at which a tap means it, as a share of the picture's width

let cards = [];

function range(card, axis) {
  const along = card.corners.map((corner) => corner[axis]);
  return [Math.min(...along), Math.max(...along)];
}
const middle = (card, axis) => (range(card, axis)[0] + range(card, axis)[1]) / 2;

// Draws a frame around each card that the camera `source` (empty: any camera) sees, if the picture is `visible` and
// this page may correct them.
function spots(state, source, visible) {
  const shown = state.seen.filter((card) => !source || card.source === source);
  cards = visible && correctable(state) ? shown : [];
  place();
}

function place() {
  if (!cards.length) return region("spots", [], () => []);
  const box = $("picture").getBoundingClientRect(),
    outside = $("camera").getBoundingClientRect();
  const [x, y] = [box.left - outside.left, box.top - outside.top];
  region("spots", [cards, x, y, box.width, box.height], () =>
    cards.map((card) => {
      const [[left, right], [top, bottom]] = [range(card, 0), range(card, 1)];
      const style = {
        "--left": `${x + left * box.width}px`,
        "--top": `${y + top * box.height}px`,
        "--width": `${(right - left) * box.width}px`,
        "--height": `${(bottom - top) * box.height}px`,
      };
      const label = card.card ? split(card.card).spoken : t("a card that cannot be read");
      return make("button", {
        class: `spot${card.card ? "" : " unread"}`,
        style,
        "aria-label": label,
        onclick: () => whatIsIt(card),
      });
    }),
  );
}

$("picture").addEventListener("click", (event) => {
  const box = $("picture").getBoundingClientRect();
  const away = (card) =>
    Math.hypot(
      middle(card, 0) - (event.clientX - box.left) / box.width,
      ((middle(card, 1) - (event.clientY - box.top) / box.height) * box.height) / box.width,
    );
  const nearest = cards.toSorted((a, b) => away(a) - away(b))[0];
  if (nearest && away(nearest) < NEAR) whatIsIt(nearest);
});
$("picture").addEventListener("load", place);
addEventListener("resize", place);

// The buttons that open the history, whose module is loaded when it is first opened.

const past = () => import("./past.js");

export const openPast = async () => (await past()).openPast();

const failed = (error) => {
  $("past-buttons").lastChild.textContent = error.message;
};
const lastTrick = async () => (await past()).lastTrick();
$("past-buttons").append(
  make("button", { "aria-keyshortcuts": "L", onclick: () => lastTrick().catch(failed) }, t("Show the last trick")),
  make("button", { "aria-keyshortcuts": "H", onclick: openPast }, t("History")),
  make("p", { role: "status" }),
);

// The page of a phone leads here.
if (location.hash.startsWith("#history")) openPast();

// Keyboard shortcuts for buttons: each button names its key in aria-keyshortcuts, and “?” lists the keys of the screen.
// The settings turn them off.

const HOME_END = ["Home", "End"].join(" "),
  OTHERS = ["Tab", "Enter", "Esc"];
const REPLAY = [
  ["← →", t("Back one step"), t("Forward one step")],
  ["PgUp PgDn", t("Previous trick"), t("Next trick")],
  [HOME_END, t("Previous hand"), t("Next hand")],
  [t("space"), t("Play")],
  ["Esc", t("Back to the table")],
];

document.body.append(
  make(
    "dialog",
    { id: "keys-sheet", class: "sheet", "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title" }, t("Keys")),
    make("div", { id: "keys", tabindex: "0", role: "region", "aria-labelledby": "keys-title" }),
  ),
);
for (const sheet of document.querySelectorAll(".sheet")) {
  sheet.addEventListener("toggle", () => {
    if (enlarged()) sheet.scrollTop = 0; // it scrolls as a whole, from its title on
  });
  sheet.append(
    make(
      "form",
      { method: "dialog" },
      sheet.id === "settings-sheet" ? make("button", { class: "quiet", onclick: help }, t("Keys")) : null,
      make("button", { type: "submit", class: "quiet" }, t("Close")),
    ),
  );
}

// The buttons that can be reached now: visible ones, and during a game those in the sheet of what happened.
function buttons() {
  const all = [...document.querySelectorAll("main:not([hidden]) [aria-keyshortcuts]:enabled")].filter(
    (item) => item.checkVisibility() && !item.closest("[inert]"),
  );
  return $("table").hidden ? all : [...all, ...$("menu-sheet").querySelectorAll("[aria-keyshortcuts]:enabled")];
}

const key = (button) => button.getAttribute("aria-keyshortcuts");
const keyLine = (sign, ...names) => make("li", {}, make("kbd", {}, sign), ` ${names.join(" · ")}`);

function help() {
  const replaying = document.body.classList.contains("replaying");
  const lines = replaying
    ? REPLAY.map((keys) => keyLine(...keys))
    : buttons().map((button) => keyLine(key(button), button.getAttribute("aria-label") ?? button.textContent));
  $("keys").replaceChildren(make("ul", {}, ...lines, keyLine(OTHERS.join(" · "), t("everything else"))));
  $("settings-sheet").close();
  $("keys-sheet").showModal();
}

// The focus goes back to where a sheet was opened; if that is gone, to the screen.
document.addEventListener(
  "close",
  () => {
    if (!document.activeElement?.checkVisibility() || document.activeElement === document.body)
      (document.querySelector("dialog[open]") ? null : document.querySelector("main:not([hidden])"))?.focus();
  },
  true,
);

document.addEventListener("keydown", (event) => {
  if (settings.keys === "off" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (document.querySelector("dialog[open]:not(#menu-sheet)") || event.target.closest("input, select, textarea"))
    return;
  if (event.key === "?") return help();
  if (document.body.classList.contains("replaying")) return; // which has its own keys
  const button = buttons().find((shown) => key(shown) === event.key.toUpperCase());
  if (!button) return;
  event.preventDefault();
  button.click();
});
