// The settings of this screen, stored in the browser and set as attributes of the document.

import { $, make } from "./dom.js";
import { t } from "./texts.js";

// The title and the choices of each setting; the first choice is the default.
const CHOICES = {
  theme: [t("Light or dark"), { device: t("as the device"), light: t("light"), dark: t("dark") }],
  suits: [t("Colours of the suits"), { two: t("two"), four: t("four") }],
  type: [t("Size of the letters"), { normal: t("normal"), large: t("larger") }],
  contrast: [t("Contrast"), { normal: t("normal"), high: t("high") }],
  voids: [t("Who has no card of a suit"), { off: t("not shown"), on: t("shown") }],
  awake: [t("The screen"), { on: t("stays on"), off: t("may go off") }],
  motion: [t("Movement"), { normal: t("normal"), none: t("none") }],
  sounds: [t("Sounds"), { off: t("off"), on: t("on") }],
  keys: [t("Keys for the buttons"), { on: t("on"), off: t("off") }],
  speech: [
    t("Speech"),
    { off: t("off"), brief: t("whose turn it is"), points: t("points too"), full: t("everything") },
  ],
};

const OF_THE_BOARD = ["sounds", "keys", "speech"]; // settings that a phone does not have

export const settings = {};

const dark = matchMedia("(prefers-color-scheme: dark)");
const themed = () => {
  document.documentElement.dataset.theme =
    settings.theme === "device" ? (dark.matches ? "dark" : "light") : settings.theme;
};
dark.addEventListener("change", themed);

function choose(name, choice) {
  settings[name] = choice;
  document.documentElement.dataset[name] = choice;
  themed();
}

function group([name, [title, choices]]) {
  return make(
    "fieldset",
    {},
    make("legend", {}, title),
    ...Object.entries(choices).map(([choice, text]) =>
      make(
        "label",
        {},
        make("input", {
          type: "radio",
          name,
          value: choice,
          checked: settings[name] === choice,
          onchange: () => {
            localStorage.setItem(name, choice);
            choose(name, choice);
            dispatchEvent(new Event("resize"));
          },
        }),
        make("span", {}, text),
      ),
    ),
  );
}

for (const [name, [, choices]] of Object.entries(CHOICES)) {
  const stored = localStorage.getItem(name);
  choose(name, stored in choices ? stored : Object.keys(choices)[0]);
}

export function openSettings() {
  const full = document.fullscreenEnabled
    ? make(
        "button",
        {
          onclick: () =>
            document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
        },
        t("Full screen"),
      )
    : "";
  $("settings").replaceChildren(
    ...Object.entries(CHOICES)
      .filter(([name]) => !OF_THE_BOARD.includes(name) || $("keys-sheet"))
      .map(group),
    full,
  );
  $("settings-sheet").showModal();
}
$("settings-button").addEventListener("click", openSettings);
