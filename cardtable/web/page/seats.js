// The seats at the edges of the screen: name, score, whose turn it is.

import { make } from "./dom.js";
import { byName, minus, t, word } from "./texts.js";

// The side of each seat, clockwise: seat 0 at the bottom edge, as on the mat.
const PLACES = {
  1: ["s"], 2: ["s", "n"], 3: ["s", "w", "e"], 4: ["s", "w", "n", "e"], 5: ["s", "sw", "nw", "ne", "se"],
  6: ["s", "sw", "nw", "n", "ne", "se"], 7: ["s", "sw", "w", "nw", "ne", "e", "se"], 8: ["s", "sw", "w", "nw", "n", "ne", "e", "se"],
};
const DEALING = ["deal", "turn"]; // phases in which the dealer acts
export const places = (seats) => PLACES[Math.min(seats, 8)] ?? [];

const signed = (points) => (points > 0 ? `+${points}` : `−${-points}`);
export const gained = (entry, ...before) => make("span", { class: entry.points < 0 ? "loss" : "" }, ...before, make("b", {}, signed(entry.points)));
// The points after an action: who, how many, for what.
export const gains = (points, state) => points.flatMap((point) => [gained(point, `\u00a0· ${state.seats[point.seat]?.name ?? ""}\u00a0`), ` ${word(point.for)}`]);

// The seats that must act: the seat on turn, the dealer, or the seats that the prompt names, as in a showdown.
export function acting(state) {
  if (state.over) return [];
  if (state.actor != null) return [state.actor];
  const names = state.seats.map((seat) => seat.name), dealer = state.seats.findIndex((seat) => seat.dealer);
  if (DEALING.includes(state.phase) && dealer >= 0) return [dealer];
  return state.prompts.filter((prompt) => prompt.kind === "turn").flatMap((prompt) => byName(prompt.text, names).map((part) => names.indexOf(part)).filter((seat) => seat >= 0));
}

// The edges with their seats: `n` and `s` have one seat at most, `w` and `e` a column of them, from the top. Partners
// share a colour; the first of them shows their score and their tricks.
export function edges(state) {
  const where = places(state.seats.length);
  const at = (names) => names.flatMap((name) => (where.includes(name) ? [seat(state, where.indexOf(name))] : []));
  // Two seats share a column, so that the cards between them have the whole height.
  const columns = where.length === 2 ? [["w", ["n", "s"]]] : [["n", ["n"]], ["w", ["nw", "w", "sw"]], ["e", ["ne", "e", "se"]], ["s", ["s"]]];
  return columns
    .map(([edge, names]) => make("div", { class: `edge ${edge}` }, ...at(names)));
}

function seat(state, number) {
  const { name, score, won, bid, cards, dealer } = state.seats[number];
  const side = number % state.sides;
  const fresh = state.points.fresh ? state.points.list : [];
  const gain = fresh.filter((entry) => entry.seat === number).reduce((sum, entry) => sum + entry.points, 0);
  const winner = state.winners.includes(side);
  const narrow = state.seats.length > 6 || !["n", "s"].includes(places(state.seats.length)[number]); // there the tricks are beside the score
  const long = number < state.sides && String(score).length > (narrow && won != null ? 2 : 3);
  const more = [winner ? make("b", { role: "img", "aria-label": t("wins!") }, "★") : null, !winner && (bid != null || (won && number < state.sides)) ? make("span", { class: "won" }, bid == null ? (long ? String(won) : t("{number} won", { number: won })) : long ? `${won ?? 0}/${bid}` : t("{won} of {bid}", { won: won ?? 0, bid })) : null,
    cards && !state.over ? make("span", { class: "in-hand", "aria-label": t("{number} in hand", { number: cards }) }, String(cards)) : null].filter(Boolean);
  const scored = number < state.sides ? make("span", { class: `score${long ? " long" : ""}${String(score).length > 4 ? " longest" : ""}` }, minus(score), state.target ? make("small", {}, ` / ${state.target}`) : null) : null;
  return make("article", { style: { "--order": number }, class: `seat side-${side}${acting(state).includes(number) ? " turn" : ""}${winner ? " winner" : ""}`, "aria-label": name },
    make("div", { class: "row" }, make("b", { class: "name", style: { "--n": name.length } }, name), dealer ? make("span", { class: "dealer", title: state.dealer_does, "aria-label": state.dealer_does }, letter(state.dealer_does)) : null),
    more.length ? make("div", { class: "more" }, ...more) : null,
    state.target && !state.pegs && scored ? make("progress", { class: "bar", max: state.target, value: Math.max(score, 0), "aria-label": t("{name}: {score} of {target}", { name, score, target: state.target }) }) : null,
    gain ? make("span", { class: `gain${gain < 0 ? " loss" : ""}`, "aria-hidden": "true" }, signed(gain)) : null,
    scored);
}

const letter = (text) => text.slice(0, 1).toUpperCase();
