// Chooses the screen, and shows what may cover it: a notice, or the menu of a button or an encoder.

import { send } from "./connection.js";
import { $, make, region } from "./dom.js";
import { awake } from "./install.js";
import { keepsake, tallied } from "./keepsake.js";
import { lobby } from "./lobby.js";
import { noMoments } from "./moments.js";
import { phones } from "./phones.js";
import { result } from "./result.js";
import { t } from "./texts.js";

// Shows the screen of `state`; `table` draws a game.
export function screen(state, table) {
  const kind = state.screen === "result" ? "game" : state.screen;
  $("lobby").hidden = kind !== "lobby";
  $("table").hidden = kind !== "game";
  $("asleep").hidden = kind !== "asleep";
  notice(state.notice);
  $("notice").classList.toggle("calm", state.calm);
  menu(state.menu);
  if (before !== kind) moved(kind);
  phones(state);
  awake(kind !== "asleep");
  if (kind === "lobby") lobby(state);
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
  if (before) $({ game: "table" }[kind] ?? kind).focus();
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
