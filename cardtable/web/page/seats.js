// The players around the felt, whose turn it is, and what stands in the corners.

import { SUITS, byName, make, mini, minus, settings, t, withSuits, word } from "./base.js";

// The players around the felt: where each sits, what is shown beside it, and whose turn it is.

// For each number of seats, clockwise from seat 0 at the lower edge: the edge of the board, and where the seat's card
// lies in a trick, in widths of a card from the middle.
const AROUND = {
  1: [["s", 0, 0]],
  2: [
    ["s", 0.58, 0.12],
    ["n", -0.58, -0.12],
  ],
  3: [
    ["s", 0, 0.14],
    ["w", -1.1, -0.14],
    ["e", 1.1, -0.14],
  ],
  4: [
    ["s", 0, 0.74],
    ["w", -1.45, 0],
    ["n", 0, -0.74],
    ["e", 1.45, 0],
  ],
  5: [
    ["s", 0, 0.74],
    ["w", -1.7, 0.1],
    ["n", -0.62, -0.74],
    ["n", 0.62, -0.74],
    ["e", 1.7, 0.1],
  ],
  6: [
    ["s", -0.62, 0.74],
    ["w", -1.8, 0],
    ["n", -0.62, -0.74],
    ["n", 0.62, -0.74],
    ["e", 1.8, 0],
    ["s", 0.62, 0.74],
  ],
  7: [
    ["s", -0.62, 0.74],
    ["w", -2.3, 0],
    ["n", -1.2, -0.74],
    ["n", 0, -0.74],
    ["n", 1.2, -0.74],
    ["e", 2.3, 0],
    ["s", 0.62, 0.74],
  ],
  8: [
    ["s", -1.2, 0.74],
    ["w", -2.3, 0],
    ["n", -1.2, -0.74],
    ["n", 0, -0.74],
    ["n", 1.2, -0.74],
    ["e", 2.3, 0],
    ["s", 1.2, 0.74],
    ["s", 0, 0.74],
  ],
};
const DEALING = ["deal", "turn"]; // phases in which the dealer acts
const DOES = {
  cut: t("to cut"),
  deal: t("to deal"),
  discard: t("to discard"),
  turn: t("to turn up"),
  say: t("to answer"),
  play: t("to play"),
  bid: t("to bid"),
  show: t("to count"),
};

export const around = (seats) => AROUND[Math.min(seats, 8)] ?? [];

// Where the players sit in the lobby and on a phone, by the points of the compass.
const PLACES = {
  1: ["s"],
  2: ["s", "n"],
  3: ["s", "w", "e"],
  4: ["s", "w", "n", "e"],
  5: ["s", "sw", "nw", "ne", "se"],
  6: ["s", "sw", "nw", "n", "ne", "se"],
  7: ["s", "sw", "w", "nw", "ne", "e", "se"],
  8: ["s", "sw", "w", "nw", "n", "ne", "e", "se"],
};
export const places = (seats) => PLACES[Math.min(seats, 8)] ?? [];

const signed = (points) => (points < 0 ? `−${-points}` : `+${points}`);
export const gained = (entry, ...before) =>
  make("span", { class: entry.points < 0 ? "loss" : "" }, ...before, make("b", {}, signed(entry.points)));
// The points after an action: who, how many, for what.
export const gains = (points, state) =>
  points.flatMap((point) => [
    gained(point, `\u00a0· ${state.seats[point.seat]?.name ?? ""}\u00a0`),
    ` ${word(point.for)}`,
  ]);

// The seats that must act: the seat on turn, the dealer, or the seats that the prompt names, as in a showdown.
export function acting(state) {
  if (state.over) return [];
  if (state.actor != null) return [state.actor];
  const names = state.seats.map((seat) => seat.name),
    dealer = state.seats.findIndex((seat) => seat.dealer);
  if (DEALING.includes(state.phase) && dealer >= 0) return [dealer];
  return state.prompts
    .filter((prompt) => prompt.kind === "turn")
    .flatMap((prompt) =>
      byName(prompt.text, names)
        .map((part) => names.indexOf(part))
        .filter((seat) => seat >= 0),
    );
}

// Whether the seat on turn must play a card; not while a complete trick is still on the table.
export function awaits(state) {
  return state.phase === "play" && state.turn != null && (state.counts.length > 0 || state.taker == null);
}

// Whether the player on turn bids: what else is said then, such as a game, has neither numbers nor a pass.
function bids(state) {
  const words = state.seats[state.turn]?.words ?? [];
  return !words.length || words.some(({ word }) => word === "pass" || /^\d+$/.test(word));
}

// What the player on turn does, such as “to play”.
export function does(state) {
  if (state.phase === "bid" && !bids(state)) return t("to choose");
  if (state.phase === "bid" && state.auction.length) return t("to call");
  const played = state.lying.some((card) => card.zone === "play");
  if (state.phase === "play" && state.led !== undefined && (!played || state.taker != null)) return t("to lead");
  return DOES[state.phase] ?? "";
}

// The seats, by edge: in the order in which they stand there, from the left or from the top.
export function seats(state) {
  const where = around(state.seats.length),
    shown = acting(state);
  const rows = { n: [], w: [], e: [], s: [] };
  where.forEach(([edge], number) => rows[edge].push(number));
  if (where.length === 8) rows.s = [0, 7, 6];
  return Object.entries(rows)
    .filter(([, numbers]) => numbers.length)
    .map(([edge, numbers]) =>
      make(
        "div",
        { class: `edge ${edge}`, "data-seats": numbers.length },
        ...numbers.map((number) => seat(state, number, edge, shown.includes(number))),
      ),
    );
}

// Whether the scores are in the corners, by sides, because there is no room for them beside the players.
const bySides = (state) =>
  state.sides < state.seats.length && (state.pegs !== null || state.seats.some((seat) => seat.note.compass));

export function seat(state, number, edge, lit) {
  const { name, score, won, bid, dealer, note } = state.seats[number];
  const winner = state.winners.includes(number % state.sides),
    scored = !bySides(state);
  const beside = [
    !lit && (note.role || (dealer ? state.dealer_does : "")),
    bid != null && t("{won} of {bid}", { won: won ?? 0, bid }),
    bid == null &&
      won != null &&
      note.gained == null &&
      state.phase === "play" &&
      !state.tallies.length &&
      state.sides === state.seats.length &&
      t("{number} won", { number: won }),
  ].filter(Boolean);
  const notes = lit ? [make("span", { class: "does" }, does(state))] : [];
  return make(
    "article",
    {
      class: `seat ${edge}${lit ? " turn" : ""}${winner ? " winner" : ""}`,
      style: { "--seat": number },
      "aria-label": name,
    },
    scored ? make("b", { class: `score fit${String(score).length > 3 ? " long" : ""}` }, minus(score)) : null,
    note.compass
      ? make(
          "span",
          { class: `compass${note.vulnerable ? " vulnerable" : ""}`, title: note.vulnerable ? t("vulnerable") : null },
          t(note.compass),
        )
      : null,
    make(
      "div",
      { class: "line" },
      make("span", { class: `name fit${name.length > 9 ? " long" : ""}` }, name),
      ...notes,
      ...beside.map((text) => make("span", { class: "note" }, text)),
    ),
    winner ? make("b", { class: "star", role: "img", "aria-label": t("wins!") }, "★") : null,
    note.gained != null || note.cards.length
      ? make(
          "span",
          { class: "now" },
          note.gained != null ? signed(note.gained) : null,
          ...note.cards.slice(0, 3).map(mini),
        )
      : null,
  );
}

// A sentence with cards and suits as pictures, and each name kept on one line.
export function sentence(text, state) {
  const names = state.seats?.map((seat) => seat.name) ?? [];
  const parts = names.length ? byName(text, names) : [text];
  return parts.flatMap((part) => (names.includes(part) ? [make("span", { class: "kept" }, part)] : inText(part)));
}
const inText = (text) =>
  text
    .split(/((?:10|[2-9AKQJ])[♠♥♦♣])/)
    .flatMap((part) =>
      /^(10|[2-9AKQJ])[♠♥♦♣]$/.test(part) ? [make("span", { class: "kept" }, ...withSuits(part))] : withSuits(part),
    );

// The corners of the board: the game or its poster, the target, what the parties have won, and other facts.

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
        ...poster.lines.map((line) => make("span", { class: "fit" }, ...sentence(line, state))),
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
  const { score, won } = state.seats[number];
  const names = state.seats.filter((_, seat) => seat % state.sides === number).map((seat) => seat.name);
  const more = tally
    ? partners && score && t("{number} points", { number: minus(score) })
    : won && t("{number} tricks", { number: won });
  return [
    make(
      "div",
      { class: "names" },
      make("span", { class: "fit" }, ...sentence(tally?.name ?? names.join(", "), state)),
      make("span", { class: "tally fit" }, figure(tally?.figure ?? minus(score)), ...numbers(tally?.need ?? "")),
      more ? make("span", { class: "won fit" }, more) : null,
    ),
  ];
}

const numbers = (text) => text.split(/(\d+)/).map((part) => (/\d/.test(part) ? make("b", {}, part) : part));

const SUIT = { spades: "♠", hearts: "♥", diamonds: "♦", clubs: "♣" }; // facts about a suit, such as “broken”

// The facts that have no place of their own.
function facts(state) {
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

// The rules of the game, whose module is loaded when they are first opened.

let rules = null;

export async function openRules(state) {
  rules ??= await import("./rules.js").catch(() => null); // without a connection the page says so
  rules?.openRules(state);
}

// The button that opens the rules of the game that `state` shows or, in the lobby, that is chosen.
export function rulesOf(button, state) {
  const chosen = state.games?.find((game) => game.game === state.game) ?? state;
  button.hidden = button.disabled = !chosen.rules;
  button.onclick = () => openRules(state);
  rules?.turnLine(state);
}
