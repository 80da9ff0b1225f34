// A line of text with keys on the screen, for displays without a keyboard. A real keyboard works as well.

import { $, make } from "./dom.js";
import { t } from "./texts.js";

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm'-", "éèêàçöüñ"];
const LONGEST = 40;

// Calls `done` with the trimmed text unless it is empty, and `typed` after each letter.
export function keyboard(label, start, done, typed = () => {}) {
  const line = make("input", {
    type: "text",
    maxlength: LONGEST,
    "aria-label": label,
    placeholder: label,
    autocomplete: "off",
    value: start,
  });
  const finish = () => line.value.trim() && done(line.value.trim());
  const upper = () => line.value === "" || /[ '-]$/.test(line.value);
  const type = (letter) => {
    line.value = (line.value + (upper() ? letter.toUpperCase() : letter)).slice(0, LONGEST);
    show();
  };
  const key = (text, act, name = text) =>
    make("button", { class: text.length > 1 ? "key long" : "key", "aria-label": name, onclick: act }, text);
  const letters = ROWS.map((row) => [...row].map((letter) => key(letter, () => type(letter))));
  const show = () => {
    letters.flat().forEach((button) => {
      button.textContent = upper()
        ? button.getAttribute("aria-label").toUpperCase()
        : button.getAttribute("aria-label");
    });
    typed(line.value.trim().toLowerCase());
  };
  line.addEventListener("input", show);
  line.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      finish();
    }
  });
  const last = make(
    "div",
    { class: "keys" },
    key(t("space"), () => type(" ")),
    key(
      "⌫",
      () => {
        line.value = line.value.slice(0, -1);
        show();
      },
      t("delete"),
    ),
    make("button", { class: "main", onclick: finish }, t("Done")),
  );
  show();
  return make(
    "div",
    { class: "keyboard" },
    line,
    ...letters.map((row) => make("div", { class: "keys" }, ...row)),
    last,
  );
}

// Asks in a sheet who joins: a remembered player or a new one. `note`: the consequence. Calls `done` with the name.
export function whoJoins(note, remembered, done) {
  const sheet = $("player-sheet");
  const join = (name) => {
    sheet.close();
    done(name);
  };
  $("player-title").textContent = t("Who joins?");
  const known = remembered.map((name) => make("button", { onclick: () => join(name) }, name));
  const begun = (letters) => {
    for (const button of known) button.hidden = !button.textContent.toLowerCase().startsWith(letters);
  };
  $("player").replaceChildren(
    make("div", { class: "known" }, ...known, note ? make("p", {}, note) : null),
    keyboard(t("New player"), "", join, begun),
  );
  sheet.showModal();
}
