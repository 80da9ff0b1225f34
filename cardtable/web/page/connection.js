// The connection to the table: states come in, words and corrections go out. During a replay the live game waits; while
// the table is off, the page is there as an app.

import { $, atOnce, politely, settings, t } from "./base.js";
import { live } from "./socket.js";

// The connection to the table: states come in, words and corrections go out.

const REFUSED = 6000,
  SILENT_MS = 4500;
let link = null;

export function send(message) {
  $("refused").hidden = true; // it was about the previous attempt
  if (!link?.send(message)) refused(t("There is no connection to the table; nothing was entered."));
}

let hiding = null;

// A dialog covers everything outside it, so the sentence moves into the uppermost dialog.
function refused(text) {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1),
    line = $("refused");
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    line.hidden = true;
  }, REFUSED);
  if (dialog) line.setAttribute("role", "alert");
  else line.removeAttribute("role");
  (dialog ?? document.body).append(line);
  line.textContent = text;
  line.hidden = !text;
  if (text && !dialog) atOnce([text]);
}

const TRY_AGAIN_LATER = 1013; // the close code if too many pages are open

function connected(yes, code = 0, pressed = false) {
  const was = $("offline").hidden;
  $("offline").textContent =
    code === TRY_AGAIN_LATER
      ? t("Too many pages of this table are open: close one that is not needed. Trying again…")
      : pressed
        ? t("No connection to the table. It has not answered yet. Trying again…")
        : t("No connection to the table. Trying again…");
  $("offline").hidden = yes;
  if (code === TRY_AGAIN_LATER) dispatchEvent(new Event("no-place"));
  if (was && !yes) atOnce([$("offline").textContent]);
  if (!was && yes) politely([t("Connected again.")]);
  document.body.classList.toggle("offline", !yes);
}

let unanswered = null; // what was requested last over HTTP, its key, and what ends it; null if it is answered

// Sends a request over HTTP. Returns the answer, or null if it was refused or there is none; the page then says why.
// Sent again before it is answered, it has the same key, and counts once.
export async function post(path, body = {}, say = refused) {
  $("refused").hidden = true;
  const content = JSON.stringify(body),
    asked = path + content;
  if (unanswered?.asked !== asked) unanswered = { asked, key: crypto.getRandomValues(new BigUint64Array(2)).join("-") };
  unanswered.end?.abort(); // its connection may be dead
  const end = new AbortController(),
    mine = Object.assign(unanswered, { end }),
    silent = () => say(t("The table has not answered: press again. It counts only once."));
  const timer = setTimeout(silent, SILENT_MS);
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": mine.key },
    body: content,
    signal: end.signal,
  })
    .then((response) => response.json())
    .catch(() => null);
  clearTimeout(timer);
  if (end.signal.aborted) return null;
  if (!answer) {
    silent();
    return null;
  }
  if (unanswered === mine) unanswered = null;
  say(answer.refused ?? "");
  return answer.refused ? null : answer;
}

// Connects again at once, because the cookie has changed.
export const reconnect = () => link.again();

// Connects, and reconnects whenever the connection is lost; calls `show` with every state. `query`: of the address.
export function connect(show, query = "") {
  link = live(
    `live${query}`,
    (message) => {
      if (message.safe) return location.replace("./"); // the table could not start, and its board says why
      if (message.misfit) dispatchEvent(new CustomEvent("misfit", { detail: message.misfit }));
      else if (message.refused) refused(message.refused);
      if (!message.screen) return; // an answer, a beat, or the table is still being set up
      connected(true);
      show(message);
    },
    (code, pressed) => connected(false, code, pressed),
    (sure) =>
      refused(
        sure
          ? t("Your last press has not reached the table: press again.")
          : t("The table has started again: look whether your last press has counted."),
      ),
  );
}

// The newest game during a replay: it waits in the background, and the replay ends as soon as something happens.

let show = { felt: () => {}, live: () => {} }; // how a state is drawn: on the felt alone, or as a whole
let newest = null; // the newest state of the table
let stop = null; // what ends the replay; null for none

// Sets how states are drawn. Called once.
export const drawWith = (felt, whole) => {
  show = { felt, live: whole };
};

// Holds the newest game back until `drawLive`. `end`: ends the replay, and calls `drawLive`.
export const holdBack = (end) => {
  stop = end;
};

// Draws a state of the replay.
export const drawReplayed = (state) => show.felt({ ...state, you: newest?.you });

// Draws the newest game after a replay.
export function drawLive() {
  stop = null;
  if (newest) show.live(newest);
}

// Accepts a new state of the table. Returns whether it must wait because a replay is shown.
export function held(state) {
  const before = newest;
  newest = state;
  if (stop && before && happened(before, state)) stop();
  return Boolean(stop);
}

// Whether the players must see the table again: the game went on, or there is another screen, a menu or a fault.
function happened(before, now) {
  const alarms = (state) =>
    JSON.stringify([state.notice, state.trouble, (state.prompts ?? []).filter((prompt) => prompt.urgent)]);
  return before.screen !== now.screen || before.n !== now.n || Boolean(now.menu) || alarms(before) !== alarms(now);
}

// The page as an app: its files are cached for when the table is off, and the display stays on. Browsers allow both
// only on the table's own machine and over HTTPS.

const QUIET_MS = 8000; // the files are cached once the page has been drawn
let lock = null,
  asking = false;
let wanted = false;
let shown = false;

export const keep = () => navigator.serviceWorker?.register("sw.js").catch(() => null);

// Keeps the display on while `yes`, unless the settings say otherwise.
export function awake(yes) {
  shown = yes;
  wanted = yes && settings.awake !== "off";
  if (wanted) hold();
  else release();
}

async function hold() {
  if (asking || lock?.released === false || !navigator.wakeLock || document.hidden) return;
  asking = true;
  lock = await navigator.wakeLock.request("screen").catch(() => null); // refused when the battery is low
  asking = false;
  if (!wanted) release();
}

function release() {
  lock?.release();
  lock = null; // it is released a little later
}

document.addEventListener("visibilitychange", () => {
  if (wanted) hold();
});
addEventListener("resize", () => awake(shown)); // also a change of the settings
setTimeout(keep, QUIET_MS);
