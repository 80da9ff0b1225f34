// What the pages of the club share: texts in the club's language, elements, and the state as it comes.

import { live } from "./socket.js";

const catalogue = await fetch("texts.json")
  .then((answer) => answer.json())
  .catch(() => ({ language: "en", texts: {} }));
export const t = (text, values = {}) =>
  (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);

// A number with a minus sign, which is as wide as a digit.
export const minus = (number) => String(number).replace("-", "−");

document.documentElement.lang = catalogue.language;
for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.textContent);
for (const element of document.querySelectorAll("[data-v]")) element.value = t(element.dataset.v);
for (const element of document.querySelectorAll("[data-label]")) element.ariaLabel = t(element.ariaLabel);

export const $ = (id) => document.getElementById(id);

export function made(name, text = "", kind = "", ...inside) {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = kind;
  element.append(...inside);
  return element;
}

export function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = !text;
}

// Calls `show` with every state of the wall; connects again and again.
export function watch(show) {
  live(
    "live",
    (state) => {
      if (!state.tables) return; // a beat, or the hub has just started
      trouble(
        state.trouble
          ? t("Nothing can be stored now. The tables keep everything and send it later.")
          : !state.broker
            ? t("The broker is away. The tables keep everything and send it later.")
            : state.twin
              ? t("Another hub of this club is running, too: stop one of the two.")
              : "",
      );
      show(state);
    },
    () => trouble(t("No connection to the hub. Trying again…")),
  );
}
