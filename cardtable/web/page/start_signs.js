// Shared by the first start, care, the doctor and safe mode: what was found, and what happens if the table does not answer.

import { $, make, t, withSuits } from "./base.js";
import { live } from "./socket.js";

const SIGNS = { good: t("good"), warning: t("could be better"), trouble: t("does not work") };

// A line of a list of findings.
export const finding = ({ state, text, advice }) =>
  make(
    "li",
    { class: state },
    make("span", { class: "unseen" }, `${SIGNS[state]}: `),
    ...withSuits(text),
    advice ? make("small", {}, ...withSuits(advice)) : null,
  );

const TOO_MANY_PAGES = 1013; // the close code; requests are answered nevertheless
let away = false;
let requests = new AbortController(); // those that may be repeated
const returned = new EventTarget();

// Says within five seconds that the table does not answer, unless that is `expected`, and ends what `get` has requested.
export function watch(expected = () => false) {
  const heard = () => {
    $("offline").hidden = true;
    if (away) returned.dispatchEvent(new Event("back"));
    away = false;
  };
  live("live", heard, (code) => {
    if (code === TOO_MANY_PAGES) {
      heard();
      return;
    }
    away = true;
    requests.abort();
    requests = new AbortController();
    $("offline").textContent = t("No connection to the table. Trying again…");
    $("offline").hidden = expected();
  });
}

// Requests what a page may request again at any time.
export const get = (path) => fetch(path, { cache: "no-store", signal: requests.signal });

// Waits for the answer to a press. If the connection is lost and comes back meanwhile, the press may never be answered:
// then the answer says so.
export function pressed(answer) {
  const lost = new Promise((resolve) => {
    returned.addEventListener("back", resolve, { once: true });
  }).then(() => ({
    refused: t("The connection was lost: look whether your last press has counted; if not, press again."),
  }));
  return waited(Promise.race([answer, lost]));
}

// Waits for an answer, however long it takes, and shows beside the title how many seconds that is.
export async function waited(answer) {
  const began = performance.now();
  const timer = setInterval(() => {
    $("place").dataset.waited = Math.round((performance.now() - began) / 1000);
  }, 1000);
  try {
    return await answer;
  } finally {
    clearInterval(timer);
    delete $("place").dataset.waited;
  }
}
