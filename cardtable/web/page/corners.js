// The corners of the board: the game or its poster, the target, what the parties have won, and other facts.

import { bySides } from "./seats.js";
import { withSuits } from "./cards.js";
import { make } from "./dom.js";
import { settings } from "./settings.js";
import { minus, SUITS, t } from "./texts.js";

const GLYPHS = { S: "♠", H: "♥", D: "♦", C: "♣" };

const figure = (text) => make("b", { class: "fit" }, ...withSuits(String(text).replace(/[\s\u202f]/g, "")));

// The largest figure of the board, or the game and its hand.
export function upperLeft(state) {
  const { poster } = state;
  const trump =
    state.trump && poster?.figure === GLYPHS[state.trump]
      ? { role: "img", "aria-label": t("{suit} are trumps", { suit: SUITS[state.trump] }) }
      : {};
  if (poster)
    return [
      make(
        "div",
        { class: "poster", ...trump },
        figure(poster.figure),
        ...poster.lines.map((line) => make("span", {}, ...withSuits(line))),
      ),
    ];
  return [make("b", { class: "title fit" }, state.title), make("span", {}, t("hand {number}", { number: state.hand }))];
}

export function upperRight(state) {
  const target = state.target ? make("span", {}, ...numbers(t("to {target}", { target: state.target }))) : null;
  const name = state.poster ? make("span", { class: "title fit" }, state.title) : null;
  return [name, target, ...(state.tallies.length || bySides(state) ? facts(state) : [])].filter(Boolean);
}

export function lowerLeft(state) {
  return party(state, 0) ?? facts(state);
}

export function lowerRight(state) {
  return party(state, 1) ?? [];
}

// What a party of this hand has won; otherwise the score of a side, if it is in the corner.
function party(state, number) {
  const tally = state.tallies[number],
    partners = bySides(state);
  if (!tally && !partners) return null;
  if (!partners)
    return [
      make(
        "div",
        { class: "names" },
        make("span", { class: "fit" }, tally.name),
        make("span", { class: "tally fit" }, figure(tally.figure), ...numbers(tally.need)),
      ),
    ];
  const names = state.seats.filter((_, seat) => seat % state.sides === number).map((seat) => seat.name);
  const { score, won } = state.seats[number];
  if (!tally)
    return [
      figure(minus(score)),
      make(
        "span",
        { class: "names" },
        ...names.map((name) => make("span", { class: "fit" }, name)),
        won ? make("span", { class: "won fit" }, t("{number} tricks", { number: won })) : null,
      ),
    ];
  return [
    figure(tally.figure),
    make(
      "span",
      { class: "names" },
      make("span", { class: "fit" }, tally.name),
      tally.need ? make("span", {}, ...numbers(tally.need)) : null,
      partners && score ? make("span", { class: "won fit" }, t("{number} points", { number: minus(score) })) : null,
    ),
  ];
}

const numbers = (text) => text.split(/(\d+)/).map((part) => (/\d/.test(part) ? make("b", {}, part) : part));

const SUIT = { spades: "♠", hearts: "♥", diamonds: "♦", clubs: "♣" }; // facts about a suit, such as “broken”

// The facts that have no place of their own.
export function facts(state) {
  const shown = state.facts.filter(
    ([, , , display]) => display === "all" || (display === "large" && settings.voids === "on"),
  );
  return shown.map(([name, label, value]) =>
    make(
      "span",
      { class: "fact" },
      ...withSuits(`${SUIT[name] ?? label} `),
      ...withSuits(value).flatMap((part) => (typeof part === "string" ? numbers(part) : [part])),
    ),
  );
}
