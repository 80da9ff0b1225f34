// The overlay for streams, on a transparent background: seats, scores, whose turn it is, facts such as the count, and
// the last points. Known hands are shown only if table.toml sets a delay for them.

import { $, SUITS, make, picture, region, suit, t, word } from "./base.js";
import { gained } from "./seats.js";
import { live } from "./socket.js";

const HANDS_MS = 1000;
let state = null;
let hands = [];

function draw() {
  const game = state?.screen === "game" || state?.screen === "result";
  const shown = game && [state.seats, state.turn, state.winners, state.facts, state.trump, state.points, hands];
  region("overlay", shown, () => (game ? [make("div", { class: "seats" }, ...state.seats.map(seat)), now()] : []));
}

function seat({ name, score, dealer }, number) {
  const side = number % state.sides;
  const classes = [
    "seat",
    `side-${side}`,
    state.turn === number ? "turn" : "",
    state.winners.includes(side) ? "winner" : "",
  ];
  return make(
    "section",
    { class: classes.join(" "), "aria-label": name },
    make("b", { class: "name" }, name),
    dealer ? make("span", { class: "dealer", title: state.dealer_does }, "①") : null,
    number < state.sides ? make("span", { class: "score" }, String(score)) : null,
    hands[number]?.length ? make("div", { class: "hand" }, ...hands[number].map((card) => picture(card))) : null,
  );
}

// Facts such as count, pot and bid, and the last points.
function now() {
  const facts = state.facts
    .filter(([, , , display]) => display !== "symbol")
    .map(([, label, value]) => make("span", { class: "fact" }, `${label} `, make("b", {}, value)));
  if (state.trump)
    facts.unshift(
      make(
        "span",
        { class: "fact", role: "img", "aria-label": t("{suit} are trumps", { suit: SUITS[state.trump] }) },
        suit(state.trump),
      ),
    );
  const points = state.points.list.map((entry) =>
    make("span", { class: "points" }, gained(entry, `${state.seats[entry.seat]?.name ?? ""} `), ` ${word(entry.for)}`),
  );
  return make("p", { class: "now" }, ...facts, ...points);
}

async function look() {
  const answer = await fetch(`overlay/hands.json${location.search}`)
    .then((found) => found.json())
    .catch(() => ({ after_s: 0, hands: [] }));
  hands = answer.hands;
  draw();
  if (answer.after_s !== null && !answer.refused) setTimeout(look, HANDS_MS);
}

live(
  "live",
  (message) => {
    if (message.screen) state = message;
    draw();
    document.body.dataset.version = state?.version ?? "";
  },
  () => {
    state = null; // an old score is worse than none
    draw();
  },
);
look();
