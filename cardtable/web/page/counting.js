// The show: the scoring cards of each hand light up in turn while the sum grows. A tap moves on; a tap on a card
// corrects it, and one on a hand in the last line shows that hand.

import { correctable, whatIsIt } from "./correct.js";
import { picture } from "./cards.js";
import { $, make, region } from "./dom.js";
import { settings } from "./settings.js";
import { minus, t, word } from "./texts.js";

const SET_MS = 1300,
  HAND_MS = 3500;
let counts = [];
let names = [];
let running = false; // whether each score is shown with the sum so far, as in cribbage
let asks = false; // whether a tap on a card asks what it is
let at = { hand: 0, sets: 0 }; // the hand on the screen, and how many of its sets have been lit
let timer = null;

// Shows the counts of `state`, from the first hand that is new or corrected.
export function counting(state) {
  const before = counts;
  counts = state.counts;
  names = state.seats.map((seat) => seat.name);
  running = Boolean(state.pegs);
  asks = correctable(state);
  $("counting").hidden = !counts.length;
  $("felt").classList.toggle("shows", Boolean(counts.length));
  const first = counts.findIndex((hand, number) => !sameCards(hand, before[number]));
  const shorter = counts.length < before.length;
  if (first >= 0 && (first < before.length || timer === null)) show(first, 0);
  else if (shorter && first < 0 && counts.length) show(counts.length - 1, Infinity);
  else if (!counts.length) stop();
  else draw();
}

// Whether two hands are the same, regardless of the lines of the record that laid them.
const sameCards = (a, b) => JSON.stringify({ ...a, lines: null }) === JSON.stringify({ ...b, lines: null });

const still = () => settings.motion === "none" || matchMedia("(prefers-reduced-motion: reduce)").matches;

function stop() {
  clearTimeout(timer);
  timer = null;
}

function show(hand, sets) {
  stop();
  at = { hand, sets: Math.min(sets, counts[hand].sets.length) };
  step();
}

function step() {
  const hand = counts[at.hand];
  if (still()) at.sets = hand.sets.length;
  draw();
  const done = at.sets >= hand.sets.length;
  const last = done && at.hand + 1 >= counts.length;
  timer = last ? null : setTimeout(next, done ? HAND_MS : SET_MS);
}

function next() {
  stop();
  if (at.sets < counts[at.hand].sets.length) at.sets += 1;
  else if (at.hand + 1 < counts.length) at = { hand: at.hand + 1, sets: 0 };
  else return;
  step();
}

function draw() {
  region("counting", [counts, names, running, asks, at, still()], () => content(counts[at.hand]));
}

function content(hand) {
  const lit = hand.sets.slice(0, at.sets);
  const now = new Set(at.sets ? hand.sets[at.sets - 1].cards : []);
  const finished = at.sets >= hand.sets.length;
  const sum = finished ? hand.value : lit.reduce((total, set) => total + set.points, 0);
  const card = (name, number) => {
    const n = hand.lines[number],
      button = asks && n != null;
    const look = now.has(name) && !(finished && still()) ? "lit" : "";
    const seat = hand.name || number >= hand.cards.length ? null : hand.seat;
    return picture(name, button ? "button" : "div", {
      class: look,
      onclick: (event) => {
        if (button) {
          event.stopPropagation();
          stop();
          whatIsIt({ card: name, n, seat, others: [] });
        }
      },
    });
  };
  let total = 0;
  $("counting").style.setProperty("--across", Math.max(hand.cards.length + (hand.starter ? 1.3 : 0), 4));
  return [
    make(
      "h2",
      {},
      hand.name ||
        (running ? t("{name}’s hand", { name: names[hand.seat] }) : t("{name}’s cards", { name: names[hand.seat] })),
    ),
    make(
      "div",
      { class: "cards" },
      ...hand.cards.map(card),
      hand.starter ? make("div", { class: "starter" }, card(hand.starter, hand.cards.length)) : null,
    ),
    make(
      "ol",
      { class: "sets" },
      ...lit.map((set, number) => {
        total += set.points;
        return make(
          "li",
          { class: number === lit.length - 1 && !finished ? "now" : "" },
          `${word(set.for)} `,
          make("b", {}, minus(running ? total : set.points)),
        );
      }),
    ),
    make("p", { class: "sum" }, minus(sum)),
    counts.length > 1 &&
      make(
        "p",
        { class: "others" },
        ...counts.map((other, number) => {
          const counted = number < at.hand || (number === at.hand && finished);
          const shown = {
            class: number === at.hand ? "now" : "",
            "aria-current": number === at.hand ? "true" : null,
            onclick: (event) => {
              event.stopPropagation();
              show(number, Infinity);
              stop();
            },
          };
          return make(
            "button",
            shown,
            make("span", {}, `${other.name || names[other.seat]} `),
            make("b", {}, counted ? minus(other.value) : "…"),
          );
        }),
      ),
  ].filter(Boolean);
}

$("counting").addEventListener("click", () => {
  if (counts.length) next();
});
