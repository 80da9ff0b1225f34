// The options of the chosen game, each with a sentence.

import { send } from "./connection.js";
import { make, region } from "./dom.js";
import { t } from "./texts.js";

// `mine`: whether this page may set them.
export function options(game, mine) {
  region("options", [game?.options ?? [], mine], ([list]) => list.map((option) => row(option, mine)));
}

function row(option, mine) {
  const set = mine ? make("div", { class: "values" }, ...values(option)) : make("p", {}, valued(option));
  return make("div", { class: "option" }, make("b", {}, option.label), make("p", {}, option.about), set);
}

// An option with its value.
export const valued = ({ kind, label, value, choices }) =>
  kind === "switch"
    ? `${label}: ${value ? t("yes") : t("no")}`
    : `${label} ${choices.find((choice) => choice.value === value)?.label ?? value}`;

function values(option) {
  const set = (value) => () => send({ do: "set-option", name: option.name, value });
  const button = (value, label) =>
    make("button", { "aria-pressed": String(option.value === value), onclick: set(value) }, label);
  if (option.kind === "switch") return [button(true, t("yes")), button(false, t("no"))];
  if (option.kind === "choice") return option.choices.map((choice) => button(choice.value, choice.label));
  const least = option.least ?? -Infinity;
  const step = (by) =>
    make(
      "button",
      {
        "aria-label": `${option.label} ${by > 0 ? "+" : "−"}${Math.abs(by)}`,
        disabled: option.value + by < least,
        onclick: set(option.value + by),
      },
      `${by > 0 ? "+" : "−"}${Math.abs(by)}`,
    );
  const line = make("input", {
    type: "number",
    value: option.value,
    min: option.least,
    "aria-label": option.label,
    onchange: (event) => Number.isInteger(event.target.valueAsNumber) && set(event.target.valueAsNumber)(),
  });
  return [
    step(-10),
    step(-1),
    line,
    step(1),
    step(10),
    button(option.default, t("usual: {value}", { value: option.default })),
  ];
}
