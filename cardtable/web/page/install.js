// The page as an app: its files are cached for when the table is off, and the display stays on. Browsers allow both
// only on the table's own machine and over HTTPS.

import { settings } from "./settings.js";

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
