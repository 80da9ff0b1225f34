// The camera's picture: shown while a camera needs help, and on request, above everything else.

import { $ } from "./dom.js";
import { spots } from "./picture.js";
import { t } from "./texts.js";

const EVERY = 1000;
let peek = false; // whether it is shown on request, although nothing is wrong
let helped = ""; // the name of the camera that needs help
let seen = false; // whether there is a picture of that camera, or of any
let shown = null;

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
  $("picture-text").textContent = !seen ? t("There is no picture from the camera now.")
    : helped ? t("What “{name}” saw last", { name: helped }) : ""; // its trouble is shown among the prompts
}

// The camera whose picture is shown.
function watched() {
  return helped || (shown?.sources.find((source) => source.camera)?.name ?? "");
}

function fresh() {
  if ((helped || peek) && !document.hidden) $("picture").src = `camera.jpg?of=${encodeURIComponent(watched())}&${Date.now()}`;
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
