// Typing in the first start: with keys on the screen, or those of a phone or a keyboard.

import { make } from "./dom.js";
import { keyboard } from "./keyboard.js";
import { t } from "./texts.js";

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
