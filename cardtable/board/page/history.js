// What happened: the list of the last actions, and taking the last one back, which takes two taps.

import { send } from "./connection.js";
import { $, make } from "./dom.js";
import { gained } from "./seats.js";
import { t, word } from "./texts.js";

const SURE = 4000;
let sure = null;
let state = null;

export function history(shown) {
  state = shown;
  return shown.history.map((entry) => make("li", {}, entry.text,
    ...entry.points.flatMap((point) => [gained(point, ` · ${shown.seats[point.seat]?.name ?? ""} `), ` ${word(point.for)}`]),
    ...entry.events.map((event) => make("span", { class: "event" }, ` · ${event}`))));
}

export function undo(shown) {
  state = shown;
  const last = state.history[0];
  if (sure && sure.n !== state.n) calm();
  const button = $("undo");
  button.disabled = !last;
  button.classList.toggle("sure", Boolean(sure));
  button.setAttribute("aria-label", sure ? t("Really take back: {action}?", { action: last.text })
    : last ? t("↶ Take back: {action}", { action: last.text }) : t("Nothing to take back"));
  button.textContent = sure ? t("Really take back: {action}?", { action: last.text }) : "↶";
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
    sure = { n: state.n, timer: setTimeout(() => { calm(); undo(state); }, SURE) };
  }
  undo(state);
});
$("history-button").addEventListener("click", () => $("history-sheet").showModal());
