// The cards on the table: each seat's on its own side, the rest in the middle, with facts beside them.

import { picture, suit } from "./cards.js";
import { correctable, whatIsIt } from "./correct.js";
import { $, make } from "./dom.js";
import { fill, overflows, shrink } from "./fit.js";
import { gained, places } from "./seats.js";
import { byName, SUITS, t, word } from "./texts.js";

const NUMBER = /^[\d ]{1,4}$/; // a fact short enough to be read across the room
const UNBROKEN = 9; // letters of a fact that stays on one line, such as “12 of 13”
const LEAST_FACT = 0.75; // of the usual size
const UNLABELLED = ["play", "table"]; // zones that need no label
const FEW = 6; // more cards of one seat than this are a hand laid open, sorted by suit and overlapping
const ORDER = "SHCD", HIGH = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];
const SHORT = { pass: "–", double: "×2", redouble: "×4" };
const ROUNDS = 4; // the last rounds of an auction that are shown
let known = new Set();

export function facts(state) {
  const values = new Map();
  for (const [, label, value, display] of state.facts.toSorted((a, b) => (a[3] === "large") - (b[3] === "large"))) {
    if (display !== "symbol") values.set(label, [...(values.get(label) ?? []), value]); // trumps are shown below
  }
  const tiles = [...values].sort(([, a], [, b]) => NUMBER.test(b.join()) - NUMBER.test(a.join())).map(([label, list]) => {
    const text = list.join("; ");
    return make("div", { class: `fact ${NUMBER.test(text) ? "number" : text.length < UNBROKEN ? "text short" : "text"}` }, make("span", {}, `${label} `), make("b", {}, ...whole(text, state)));
  });
  if (state.trump) {
    tiles.unshift(make("div", { class: `fact number trump ${state.trump}`, id: "trump", role: "img", "aria-label": t("{suit} are trumps", { suit: SUITS[state.trump] }) }, make("span", {}, t("trumps")), make("b", {}, suit(state.trump))));
  }
  const turned = state.lying.filter((card) => card.zone === "turn-up");
  if (turned.length) tiles.splice(tiles.findLastIndex((tile) => !tile.classList.contains("text")) + 1, 0, make("div", { class: "fact", "aria-label": t("turn-up") }, ...turned.map((card) => laid(state, card))));
  return tiles;
}

// A text whose names are never broken or separated from a following sign, but shortened with an ellipsis.
const whole = (text, { seats }) => {
  const names = seats.map((seat) => seat.name), out = [];
  for (const part of byName(text, names)) {
    const [sign] = /^\s?[:;,]/.exec(out.at(-1)?.className === "kept" ? part : "") ?? [""];
    if (names.includes(part)) out.push(make("span", { class: "kept" }, make("span", { class: "who", title: part }, part)));
    else out.push(part.slice(sign.length));
    if (sign) out.at(-2).append(sign);
  }
  return out;
};

// A card: a button that asks what it is, or a picture if it cannot be corrected here.
function laid(state, card, look = "", copies = 1) {
  const asks = correctable(state) && card.n != null;
  return picture(card.card, asks ? "button" : "div", { class: look, onclick: asks ? () => whatIsIt(card) : () => {} }, copies);
}

export function lying(state) {
  const before = known;
  const id = (card) => `${card.zone} ${card.seat} ${card.card}`;
  known = new Set(state.lying.map(id));
  const draw = ([card, ...equal]) => laid(state, card, before.has(id(card)) ? "" : "new", equal.length + 1);
  const where = places(state.seats.length);
  const out = new Map();
  const place = (name) => out.get(name) ?? out.set(name, []).get(name);
  const groups = new Map();
  for (const card of state.lying) {
    if (card.zone === "turn-up") continue;
    const key = `${card.zone} ${card.seat ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), card]);
  }
  for (const cards of groups.values()) {
    const { zone, seat } = cards[0];
    const label = UNLABELLED.includes(zone) ? null : zone === "show" ? t("open") : t(zone);
    const name = seat == null ? t(zone) : t("{name}: {what}", { name: state.seats[seat].name, what: label ?? t("played") });
    const hand = zone === "show" && cards.length > FEW;
    if (hand) cards.sort(bySuit);
    const equal = Object.values(Object.groupBy(cards, (card) => card.card));
    place(seat == null ? "c" : where[seat]).push(make("div", { class: hand ? "group hand" : "group", role: "group", "aria-label": name },
      make("div", { class: "cards" }, ...equal.map(draw)), label ? make("h2", {}, label) : null));
  }
  const table = auction(state);
  if (table) place("c").push(table);
  else if (awaits(state)) place(where[state.turn]).push(make("div", { class: "card free", "aria-hidden": "true" }));
  const children = [...out].map(([name, list]) => make("div", { class: `place ${name}` }, ...list));
  return children.length ? children : [make("p", { class: "waiting" }, state.over ? t("Thank you for the game.") : t("No cards on the table yet."))];
}

// The calls of an auction in progress: a column for each seat, starting with the first caller.
function auction(state) {
  if (state.phase !== "bid" || !state.auction.length) return null;
  const first = state.auction[0].seat, seats = state.seats.map((_, number) => (first + number) % state.seats.length);
  const rows = [];
  state.auction.forEach((call, number) => (number % seats.length ? rows.at(-1) : rows[rows.push([]) - 1]).push(call));
  return make("table", { class: "auction", "aria-label": t("auction") },
    make("thead", {}, make("tr", {}, ...seats.map((number) => make("th", { scope: "col" }, state.seats[number].name)))),
    make("tbody", {}, ...rows.slice(-ROUNDS).map((row) => make("tr", {}, ...row.map((call) => make("td", { class: /^\d(h|d)$|-(heart|diamond)$/.test(call.word) ? "red" : "", "aria-label": word(call.word) }, SHORT[call.word] ?? word(call.word)))))));
}

const bySuit = (a, b) => ORDER.indexOf(a.card.slice(-1)) - ORDER.indexOf(b.card.slice(-1)) || HIGH.indexOf(a.card.slice(0, -1)) - HIGH.indexOf(b.card.slice(0, -1));

// Whether the seat on turn must play a card; not while a complete trick is still on the table.
function awaits(state) {
  const played = state.lying.filter((card) => card.zone === "play");
  const complete = state.seats.every((_, seat) => played.filter((card) => card.seat === seat).length === 1);
  return state.phase === "play" && state.turn != null && !complete;
}

const MOST_NEWS = 2;

// The points of the last action: with their reasons, or each seat's sum if there are many.
export function news(state) {
  if (!state.points.fresh) return [];
  const list = state.points.list;
  const line = (entry, seat) => gained(entry, make("i", { class: "who" }, state.seats[seat].name), " ");
  if (list.length <= MOST_NEWS) return list.flatMap((entry, number) => [number ? " · " : "", line(entry, entry.seat), ` ${word(entry.for)}`]);
  const sums = new Map();
  for (const { seat, points } of list) sums.set(seat, (sums.get(seat) ?? 0) + points);
  return [...sums].flatMap(([seat, points], number) => [number ? " · " : "", line({ points }, seat)]);
}

// Shortens a name to the available width, so that no gap is left before the following sign.
function shorten(who) {
  who.textContent = who.title;
  for (let letters = who.title.length - 1; letters && who.scrollWidth > who.clientWidth; letters -= 1) who.textContent = `${who.title.slice(0, letters).trimEnd()}…`;
}

export function fitFelt() {
  $("felt").style.setProperty("--told", `${$("news").offsetHeight}px`); // the cards have the room below the news
  const tiles = [...$("facts").children];
  for (const tile of tiles) tile.hidden = false;
  shrink($("facts"), LEAST_FACT);
  // Facts without room are left out before the others become small.
  while (overflows($("facts")) && tiles.length > 1) {
    tiles.pop().hidden = true;
    shrink($("facts"), LEAST_FACT);
  }
  if (overflows($("facts"))) shrink($("facts"));
  $("facts").querySelectorAll(".who").forEach(shorten);
  fill($("lying"));
  fill($("counting"));
}
