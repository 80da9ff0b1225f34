// Requests over HTTP through a network that may forward nothing any more, without a word.

import { $ } from "./dom.js";
import { t } from "./texts.js";

const SILENT_MS = 4500;

// What is asked again and again: given up if the table does not answer in time.
export function fetched(path) {
  const patience = new AbortController();
  setTimeout(() => patience.abort(), SILENT_MS); // in vain if it has arrived
  return fetch(path, { cache: "no-store", signal: patience.signal });
}

export const unanswered = () => t("The table has not answered yet. Please wait…");

// A press goes on however long its answer takes, and after a while the page says so.
export async function pressed(answer) {
  const timer = setTimeout(() => {
    $("offline").textContent = unanswered();
    $("offline").hidden = false;
  }, SILENT_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    $("offline").hidden = true;
  }
}
