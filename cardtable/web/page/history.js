// What happened: the list of the last actions, and undoing the last one, which takes two taps.

import { send } from "./connection.js";
import { about, addCard, correctable, rights, undoTo, whichCard } from "./correct.js";
import { $, make, region } from "./dom.js";
import { gains } from "./seats.js";
import { t } from "./texts.js";

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
    ...entries.map((entry) => line(entry, entries, may)),
    may && entries === whole?.history && entries.length ? beginning(entries) : null,
  ]);
  if ($("history-sheet").open && older) fetchAll();
}

function line(entry, entries, may) {
  const more = [
    ...gains(entry.points, state),
    ...entry.events.map((event) => make("span", { class: "event" }, ` · ${event}`)),
  ];
  if (entry.by)
    return make(
      "li",
      { class: "correction" },
      entry.text,
      make("span", { class: "event" }, ` · ${entry.by === "board" ? t("on the board") : entry.by}`),
    );
  if (!may) return make("li", { class: "plain" }, entry.text, ...more);
  return make("li", {}, make("button", { onclick: () => about(entry, entries) }, entry.text, ...more));
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
  if (asked) button.textContent = t("Really take back: {action}?", { action: last.text });
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
