// Keyboard shortcuts for buttons: each button names its key in aria-keyshortcuts, and “?” lists the keys of the screen.
// The settings turn them off.

import { $, make } from "./dom.js";
import { settings } from "./settings.js";
import { t } from "./texts.js";

const HOME_END = ["Home", "End"].join(" "),
  OTHERS = ["Tab", "Enter", "Esc"];
const REPLAY = [
  ["← →", t("Back one step"), t("Forward one step")],
  ["PgUp PgDn", t("Previous trick"), t("Next trick")],
  [HOME_END, t("Previous hand"), t("Next hand")],
  [t("space"), t("Play")],
  ["Esc", t("Back to the table")],
];

document.body.append(
  make(
    "dialog",
    { id: "keys-sheet", class: "sheet", "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title" }, t("Keys")),
    make("div", { id: "keys", tabindex: "0", role: "region", "aria-labelledby": "keys-title" }),
  ),
);
for (const sheet of document.querySelectorAll(".sheet")) {
  sheet.append(
    make(
      "form",
      { method: "dialog" },
      sheet.id === "settings-sheet" ? make("button", { class: "quiet", onclick: help }, t("Keys")) : null,
      make("button", { type: "submit", class: "quiet" }, t("Close")),
    ),
  );
}

// The buttons that can be reached now: visible ones, and during a game those in the sheet of what happened.
function buttons() {
  const all = [...document.querySelectorAll("main:not([hidden]) [aria-keyshortcuts]:enabled")].filter((item) =>
    item.checkVisibility(),
  );
  return $("table").hidden ? all : [...all, ...$("menu-sheet").querySelectorAll("[aria-keyshortcuts]:enabled")];
}

const key = (button) => button.getAttribute("aria-keyshortcuts");
const line = (sign, ...names) => make("li", {}, make("kbd", {}, sign), ` ${names.join(" · ")}`);

function help() {
  const replaying = document.body.classList.contains("replaying");
  const lines = replaying
    ? REPLAY.map((keys) => line(...keys))
    : buttons().map((button) => line(key(button), button.getAttribute("aria-label") ?? button.textContent));
  $("keys").replaceChildren(make("ul", {}, ...lines, line(OTHERS.join(" · "), t("everything else"))));
  $("settings-sheet").close();
  $("keys-sheet").showModal();
}

document.addEventListener("keydown", (event) => {
  if (settings.keys === "off" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (document.querySelector("dialog[open]") || event.target.closest("input, select, textarea")) return;
  if (event.key === "?") return help();
  if (document.body.classList.contains("replaying")) return; // replay.js has its own keys
  const button = buttons().find((shown) => key(shown) === event.key.toUpperCase());
  if (!button) return;
  event.preventDefault();
  button.click();
});
