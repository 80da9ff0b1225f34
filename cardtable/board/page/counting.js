// The show: each hand is laid out, and what scores in it is lit in turn while the sum grows. A tap goes on.

import { picture } from "./cards.js";
import { $, make } from "./dom.js";
import { fill } from "./fit.js";
import { settings } from "./settings.js";
import { minus, t, word } from "./texts.js";

const SET_MS = 1300, HAND_MS = 3500;
let counts = []; // the hands of this show
let names = [];
let running = false; // whether each score is called with the sum so far, as in cribbage
let at = { hand: 0, sets: 0 }; // the hand on the screen, and how many of its sets have been lit
let timer = null;

// Shows the counts of `state`, from the first hand that has not been shown; nothing if there are none.
export function counting(state) {
  const before = JSON.stringify(counts.slice(0, state.counts.length));
  const goesOn = before === JSON.stringify(state.counts.slice(0, counts.length)) && counts.length > 0;
  const grown = state.counts.length > counts.length;
  names = state.seats.map((seat) => seat.name);
  running = Boolean(state.pegs);
  const first = goesOn ? counts.length : 0;
  const idle = timer === null;
  const same = goesOn && state.counts.length === counts.length;
  counts = state.counts;
  $("counting").hidden = !counts.length;
  $("felt").classList.toggle("shows", Boolean(counts.length));
  if (same) return;
  if (!counts.length || !goesOn) stop();
  if (counts.length && (!goesOn || (grown && idle))) {
    at = { hand: first, sets: 0 };
    step();
  }
}

const still = () => settings.motion === "none" || matchMedia("(prefers-reduced-motion: reduce)").matches;

function stop() {
  clearTimeout(timer);
  timer = null;
}

function step() {
  const hand = counts[at.hand];
  if (still()) at.sets = hand.sets.length;
  draw(hand);
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

function draw(hand) {
  const lit = hand.sets.slice(0, at.sets);
  const now = new Set(at.sets ? hand.sets[at.sets - 1].cards : []);
  const finished = at.sets >= hand.sets.length;
  const sum = finished ? hand.value : lit.reduce((total, set) => total + set.points, 0);
  const card = (name) => picture(name, "div", { class: now.has(name) && !(finished && still()) ? "lit" : "" });
  let total = 0;
  $("counting").style.setProperty("--across", Math.max(hand.cards.length + (hand.starter ? 1.3 : 0), 4));
  $("counting").replaceChildren(
    make("h2", {}, hand.name || (running ? t("{name}’s hand", { name: names[hand.seat] }) : t("{name}’s cards", { name: names[hand.seat] }))),
    make("div", { class: "cards" }, ...hand.cards.map(card), hand.starter ? make("div", { class: "starter" }, card(hand.starter)) : null),
    make("ol", { class: "sets" }, ...lit.map((set, number) => {
      total += set.points;
      return make("li", { class: number === lit.length - 1 && !finished ? "now" : "" }, `${word(set.for)} `, make("b", {}, minus(running ? total : set.points)));
    })),
    make("p", { class: "sum" }, minus(sum)),
    make("p", { class: "others" }, ...counts.map((other, number) => make("span", { class: number === at.hand ? "now" : "" },
      `${other.name || names[other.seat]} `, make("b", {}, number < at.hand || (number === at.hand && finished) ? minus(other.value) : "…")))),
  );
  fill($("counting"));
}

$("counting").addEventListener("click", next);
