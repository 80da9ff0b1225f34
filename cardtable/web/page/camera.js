// The camera's picture: shown while a camera needs help, and on request, above everything else.

import { $, make, region } from "./dom.js";
import { spots } from "./picture.js";
import { t } from "./texts.js";

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
  region("camera-choice", [peek, names(), watched()], () => (peek && names().length > 1 ? names().map(choice) : []));
}

const names = () => shown?.sources.filter((source) => source.camera).map((source) => source.name) ?? [];

function watched() {
  return peek && names().includes(chosen) ? chosen : helped || (names()[0] ?? "");
}

function choice(name) {
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
