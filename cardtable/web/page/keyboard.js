// The keyboard on the screen, and what is typed at the first start.

import { $, make, t } from "./base.js";

// A line of text with keys on the screen, for displays without a keyboard. A real keyboard works as well.

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
  const guest = make("button", { class: "guest", onclick: () => join(null) }, t("A guest"));
  const begun = (letters) => {
    for (const button of known) button.hidden = !button.textContent.toLowerCase().startsWith(letters);
  };
  $("player").replaceChildren(
    make("div", { class: "known" }, ...known, guest, note ? make("p", {}, note) : null),
    keyboard(t("New player"), "", join, begun),
  );
  sheet.showModal();
}

// Typing in the first start: with keys on the screen, or those of a phone or a keyboard.

const DIGITS = ["12345", "67890"];
const SECRET = [
  ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm.-_"],
  ["1234567890", "QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM.-_"],
  ["!\"#$%&'()*", "+,/:;<=>?@", "[\\]^`{|}~", "éèêàçöüñß§"],
];
const MOST = { digits: 12, secret: 63, address: 100 };

// Calls `done` with the typed text. `entry`: the label, the kind and an example.
export function typing(entry, done) {
  if (entry.kind === "text") return keyboard(entry.label, "", done);
  const digits = entry.kind === "digits";
  const line = make("input", {
    type: "text",
    inputmode: digits ? "numeric" : "text",
    maxlength: MOST[entry.kind],
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    "aria-label": entry.label,
    placeholder: entry.example || entry.label,
  });
  const finish = () => line.value && done(line.value);
  line.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      finish();
    }
  });
  const type = (letter) => {
    line.value = (line.value + letter).slice(0, MOST[entry.kind]);
  };
  const key = (text, act, name = text) =>
    make("button", { class: text.length > 1 ? "key long" : "key", "aria-label": name, onclick: act }, text);
  const row = (...keys) => make("div", { class: "keys" }, ...keys);
  const erase = key(
    "⌫",
    () => {
      line.value = line.value.slice(0, -1);
    },
    t("delete"),
  );
  const ready = make("button", { class: "main", onclick: finish }, t("Done"));
  const box = make("div", { class: "keyboard" }, line);
  const rows = (page) => page.map((letters) => row(...[...letters].map((letter) => key(letter, () => type(letter)))));
  const show = (page) => {
    const pages = digits
      ? []
      : [
          key("abc", () => show(0), t("small letters")),
          key("ABC", () => show(1), t("capital letters")),
          key("#+=", () => show(2), t("signs")),
          key(t("space"), () => type(" ")),
        ];
    box.replaceChildren(line, ...rows(digits ? DIGITS : SECRET[page]), row(...pages, erase, ready));
  };
  show(0);
  return box;
}
