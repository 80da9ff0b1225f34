// The felt: the cards where they were laid, the auction, the combinations that are counted, the pegboard.

import {
  $,
  enlarged,
  lower,
  make,
  measured,
  minus,
  narrow,
  picture,
  region,
  settings,
  suit,
  svg,
  t,
  withSuits,
  word,
} from "./base.js";
import { correctable, whatIsIt } from "./requests.js";
import { around, awaits, gained } from "./seats.js";

// What lies on the felt: the trick before its players, a hand laid open, the auction, and single cards and rows.

const FEW = 6; // a hand laid open that has more cards than this shows the suits that have gone
const ORDER = "SHCD",
  HIGH = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];
const MOST_IN_COLUMN = 5;
const MOST_ACROSS = 8; // single cards in a row
const LEAST_IN_RUN = 4; // cards across; fewer are not larger
const ROUNDS = 3; // the last rounds of an auction that are shown
const SHORT = { pass: t("pass"), double: "×2", redouble: "×4" };
const TILT = [-3, 2.5, -1.5, 2, -2.5, 1.5, 3, -2]; // degrees by which the card of each seat is turned
let known = new Set();

// A card: a button that asks what it is, or a picture if it cannot be corrected here.
function laid(state, card, attributes = {}, copies = 1) {
  const asks = correctable(state) && card.n != null;
  return picture(
    card.card,
    asks ? "button" : "div",
    { ...attributes, onclick: asks ? () => whatIsIt(card) : () => {} },
    copies,
  );
}

// What `lying` draws: it is drawn again when one of these changes.
export const laidOut = (state) => [
  state.lying,
  state.turn,
  state.phase,
  state.auction,
  state.seats.map(({ name, note }) => [name, note]),
  state.led,
];

// `bottom`: the seat that is shown at the lower edge.
export function lying(state, bottom = 0) {
  const before = known;
  known = new Set(state.lying.map(id));
  const look = (card) => (before.has(id(card)) ? "" : "new");
  gather(state);
  const played = state.lying.filter((card) => card.zone === "play");
  const zones = Map.groupBy(
    state.lying.filter((card) => card.zone !== "play"),
    (card) => `${card.zone} ${card.seat ?? ""}`,
  );
  const open = [...zones.values()].filter((cards) => laidOpen(state, cards));
  const staked = [...zones.values()].filter((cards) => cards[0].seat != null && cards[0].zone !== "show");
  const rows = [...zones.values()].filter((cards) => !open.includes(cards) && !staked.includes(cards));
  const parts = open.map((cards) => dummy(state, cards));
  if (state.pegs && state.poster)
    parts.push(
      make(
        "div",
        { class: "count" },
        make("b", {}, state.poster.figure),
        ...state.poster.lines.map((line) => make("span", {}, line)),
      ),
    );
  if (rows.length)
    parts.push(
      make(
        "div",
        {
          class: "rows",
          style: {
            "--across": Math.min(
              rows.reduce((sum, cards) => sum + new Set(cards.map((card) => card.card)).size, 0),
              MOST_ACROSS,
            ),
          },
        },
        ...rows.map((cards) => row(state, cards, look)),
      ),
    );
  if (staked.length)
    parts.push(
      make(
        "div",
        { class: "bids", "data-seats": state.seats.length },
        ...staked.map((cards) => bid(state, cards, bottom)),
      ),
    );
  const table = auction(state);
  if (table) parts.push(table);
  else if (played.length || awaits(state) || going(state))
    parts.push(state.pegs ? run(state, played, look) : trick(state, played, look, bottom));
  if (parts.length) return parts;
  return [make("p", { class: "waiting" }, state.over ? t("Thank you for the game.") : "")];
}

const id = (card) => `${card.zone} ${card.seat} ${card.card}`;

// A trick that has been taken up: its cards are drawn once more, on their way to the seat that has won it.

const GATHER_MS = 420; // until the last card has gone
let complete = null; // the complete trick that lies: its cards, its taker, and the `n` of its state
let taken = null; // the one that was taken up last

// Notes the complete trick of `state`, and whether the one before has been taken up.
function gather(state) {
  if (complete && state.n > complete.n && !complete.cards.some((card) => known.has(id(card))))
    taken = { ...complete, at: performance.now() };
  if (state.taker == null) complete = null;
  else complete = { n: state.n, taker: state.taker, cards: state.lying.filter((card) => card.zone === "play") };
}

const going = (state) => taken && !state.over && !still() && performance.now() - taken.at < GATHER_MS;

// Where each seat is, if `bottom` is at the lower edge.
function seen(state, bottom) {
  const where = around(state.seats.length),
    count = state.seats.length;
  return where.map((_, seat) => where[(seat - bottom + count) % count]);
}

// Each card lies before its player; the first is marked.
function trick(state, cards, look, bottom, named = enlarged() || document.body.classList.contains("phone")) {
  const where = seen(state, bottom);
  const row = where.map((_, seat) => seat).sort((a, b) => where[a][1] - where[b][1] || where[a][2] - where[b][2]);
  const place = (seat) => ({
    "--x": where[seat]?.[1] ?? 0,
    "--y": where[seat]?.[2] ?? 0,
    "--row": row.indexOf(seat) - (row.length - 1) / 2,
  });
  const at = (seat) => `at-${where[seat]?.[0] ?? "s"}`;
  const lies = (seat) => ({ ...place(seat), "--turn": `${TILT[seat % TILT.length]}deg` });
  const children = going(state) ? gone(where, at, lies) : [];
  children.push(
    ...cards.map((card) => laid(state, card, { class: `${at(card.seat)} ${look(card)}`, style: lies(card.seat) })),
  );
  if (cards.length && state.led) {
    const first = children.at(-cards.length);
    first.append(make("span", { class: "led fit" }, t("led")));
    first.ariaDescription = t("led");
  }
  if (named)
    for (const card of cards)
      children.push(
        make(
          "span",
          { class: `of ${at(card.seat)}`, style: place(card.seat), "aria-hidden": "true" },
          state.seats[card.seat].name,
        ),
      );
  if (awaits(state) && !cards.some((card) => card.seat === state.turn))
    children.push(make("span", { class: `free ${at(state.turn)}`, "aria-hidden": "true", style: place(state.turn) }));
  return make(
    "div",
    { class: "trick", "data-seats": state.seats.length, style: { "--seats": state.seats.length } },
    ...children,
  );
}

const OUT = { n: [0, -1], e: [1, 0], s: [0, 1], w: [-1, 0] };

// The cards of the trick that has been taken up. `where`, `at`, `lies`: the places of the seats, as class and as style.
function gone(where, at, lies) {
  const [edge, x, y] = where[taken.taker],
    since = taken.at - performance.now();
  const clear = ({ target }) => target.parentElement.querySelectorAll(".gone").forEach((each) => each.remove());
  const to = { "--to-x": x + OUT[edge][0], "--to-y": y + OUT[edge][1] };
  return taken.cards.map((card, order) =>
    picture(card.card, "div", {
      class: `gone ${at(card.seat)}`,
      "aria-hidden": "true",
      style: { ...lies(card.seat), ...to, "--order": order, "--since": `${since}ms` },
      onanimationend: order === taken.cards.length - 1 ? clear : null,
    }),
  );
}

// The cards in the order in which they were laid, and the place of the next one.
function run(state, cards, look) {
  const next = awaits(state) ? [make("span", { class: "free", "aria-hidden": "true" })] : [];
  return make(
    "div",
    { class: "run", style: { "--across": Math.max(cards.length + next.length, LEAST_IN_RUN) } },
    ...cards.map((card) => laid(state, card, { class: look(card) })),
    ...next,
  );
}

// Cards that a seat has laid before itself as a bid: the last one, with their number if it has laid several.
function bid(state, cards, bottom) {
  const [, x, y] = seen(state, bottom)[cards[0].seat];
  return make(
    "div",
    {
      class: "stake",
      style: { "--x": x, "--y": y },
      role: "group",
      "aria-label": t("{name}: {what}", { name: state.seats[cards[0].seat].name, what: t(cards[0].zone) }),
    },
    cards.length > 1 ? make("b", {}, String(cards.length)) : null,
    laid(state, cards.at(-1)),
  );
}

function row(state, cards, look) {
  const { zone, seat } = cards[0];
  const label =
    { "turn-up": t("turned up"), show: seat == null ? t("open") : state.seats[seat].name, table: t("on the table") }[
      zone
    ] ?? (seat == null ? t(zone) : t("{name}: {what}", { name: state.seats[seat].name, what: t(zone) }));
  const equal = Object.values(Object.groupBy(cards, (card) => card.card));
  return make(
    "div",
    { class: `row ${zone}`, role: "group", "aria-label": label },
    make(
      "div",
      { class: "cards" },
      ...equal.map(([card, ...more]) => laid(state, card, { class: look(card) }, more.length + 1)),
    ),
    make("span", { class: "label fit" }, label),
  );
}

// A hand laid open: a column for each suit, trumps first; a suit that has gone keeps its column.
function dummy(state, cards) {
  const suits = [...ORDER].sort((a, b) => (b === state.trump) - (a === state.trump));
  const of = (letter) =>
    cards
      .filter((card) => card.card.slice(-1) === letter)
      .sort((a, b) => HIGH.indexOf(a.card.slice(0, -1)) - HIGH.indexOf(b.card.slice(0, -1)));
  const columns = suits.flatMap((letter) => {
    const own = of(letter);
    if (!own.length && cards.length <= FEW) return [];
    if (!own.length) return [make("div", { class: "column" }, make("span", { class: "none" }, suit(letter), "–"))];
    const out = [];
    for (let first = 0; first < own.length; first += MOST_IN_COLUMN)
      out.push(
        make(
          "div",
          { class: first ? "column on" : "column" },
          ...own.slice(first, first + MOST_IN_COLUMN).map((card) => strip(state, card)),
        ),
      );
    return out;
  });
  return make(
    "div",
    {
      class: "dummy",
      role: "group",
      "aria-label": t("{name}: {what}", { name: state.seats[cards[0].seat].name, what: t("open") }),
    },
    ...columns,
  );
}

function strip(state, card) {
  const picture = laid(state, card);
  picture.className = `strip ${card.card.slice(-1)}`;
  picture.replaceChildren(card.card.slice(0, -1), suit(card.card.slice(-1)));
  return picture;
}

// The calls of an auction in progress: a column for each seat, starting with the first caller.
function auction(state) {
  if (state.phase !== "bid" || !state.auction.length) return null;
  const first = state.auction[0].seat,
    count = state.seats.length;
  const order = state.seats.map((_, number) => (first + number) % count);
  const rows = [];
  state.auction.forEach((call, number) => (number % count ? rows.at(-1) : rows[rows.push([]) - 1]).push(call));
  if (rows.at(-1).length === count) rows.push([]);
  return make(
    "table",
    { class: "auction", "aria-label": t("auction") },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ...order.map((number) =>
          make(
            "th",
            { scope: "col" },
            state.seats[number].note.compass
              ? compass(state.seats[number].note)
              : make("span", { class: "fit" }, state.seats[number].name),
          ),
        ),
      ),
    ),
    make(
      "tbody",
      {},
      ...rows
        .slice(-ROUNDS)
        .map((row, number, shown) =>
          make(
            "tr",
            {},
            ...row.map(call),
            number === shown.length - 1 && state.turn != null ? make("td", { class: "next" }) : null,
          ),
        ),
    ),
  );
}

const compass = ({ compass, vulnerable }) =>
  make("span", { class: `compass${vulnerable ? " vulnerable" : ""}` }, t(compass));

function call({ word: said }) {
  const text = SHORT[said] ?? word(said),
    bid = !(said in SHORT);
  return make(
    "td",
    { "aria-label": word(said) },
    bid ? make("span", { class: "mini fit" }, ...withSuits(text.replace(/[\s\u202f]/g, ""))) : text,
  );
}

const MOST_NEWS = 2;

// The points of the last action: with their reasons, or each seat's sum if there are many.
export function news(state) {
  if (!state.points.fresh) return [];
  const list = state.points.list;
  const line = (entry, seat) => gained(entry, `${state.seats[seat].name} `);
  if (list.length <= MOST_NEWS)
    return list.flatMap((entry, number) => [number ? " · " : "", line(entry, entry.seat), ` ${word(entry.for)}`]);
  const sums = new Map();
  for (const { seat, points } of list) sums.set(seat, (sums.get(seat) ?? 0) + points);
  return [...sums].flatMap(([seat, points], number) => [number ? " · " : "", line({ points }, seat)]);
}

// Whether cards of one seat are a hand that lies open while it is played, and not a single card that was shown.
const laidOpen = (state, cards) =>
  cards.length > 1 && cards[0].zone === "show" && cards[0].seat != null && state.phase !== "show";
export const isOpen = (state) =>
  [...Map.groupBy(state.lying, (card) => `${card.zone} ${card.seat}`).values()].some((cards) => laidOpen(state, cards));

// Fits what has been drawn on the felt within `box`: what is too wide becomes narrower, and a slip that leaves no room
// for the cards lower. One layout is measured for each state, and another one after a slip has become lower.
export function settle(box) {
  const slip = box.querySelector(".felt > #prompts:not([hidden])"),
    lying = $("lying");
  slip?.style.removeProperty("--fit");
  const narrow = measured(box),
    height = slip?.offsetHeight,
    most = height - (slip ? beyond($("felt")) : 0);
  let room = lying.clientHeight;
  narrow();
  if (height > most && most > 0 && !enlarged()) {
    lower(slip, height, most);
    room = lying.clientHeight;
  }
  lying.classList.toggle("narrow", room < LEAST_PX);
}

// By how many pixels the last part of `box` stands in its padding, or beyond.
function beyond(box) {
  const last = [...box.children].findLast((part) => part.offsetHeight);
  const end = box.getBoundingClientRect().bottom - parseFloat(getComputedStyle(box).paddingBottom);
  return Math.max(0, Math.floor(last.getBoundingClientRect().bottom - end));
}

const LEAST_PX = 40; // of room, with less of which nothing can be recognized

// The show: the scoring cards of each hand light up in turn while the sum grows. A tap moves on; a tap on a card
// corrects it, and one on a hand in the last line shows that hand.

const SET_MS = 1300,
  HAND_MS = 3500;
const MOST_IN_ROW = 8; // cards of a hand
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
  if (region("counting", [counts, names, running, asks, at, still()], () => content(counts[at.hand])))
    narrow($("counting"));
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
  const rows = hand.cards.length > MOST_IN_ROW ? 2 : 1,
    across = Math.ceil(hand.cards.length / rows);
  $("counting").style.setProperty("--rows", rows);
  $("counting").style.setProperty("--across", Math.max(across + (hand.starter ? 1.3 : 0), 4));
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
            make("span", { class: "fit" }, `${other.name || names[other.seat]} `),
            make("b", {}, counted ? minus(other.value) : "…"),
          );
        }),
      ),
  ].filter(Boolean);
}

$("counting")?.addEventListener("click", () => {
  if (counts.length) next();
});

// The cribbage board: a street of 30 holes, or of more in a longer game, up and down, with a hole at the end; for each
// side a peg at its score and one at its score before.

const STREET = 30,
  GAP = 24,
  HOLE = 26,
  FIVE = 10,
  LANE = 38,
  TOP = 60; // px of the drawing

// A disc, a diamond and a triangle: the sides differ in shape, not in colour alone.
const SHAPES = ["M-12 0a12 12 0 1 1 24 0a12 12 0 1 1-24 0Z", "M0-15.5 15.5 0 0 15.5-15.5 0Z", "M0-15 14 10H-14Z"];

export function pegs(state) {
  if (!state.pegs) return [];
  const lanes = state.pegs.length,
    width = LANE * lanes,
    streets = Math.ceil((state.target - 1) / STREET);
  const at = (score, side) => {
    const street = Math.min(Math.floor(Math.max(score - 1, 0) / STREET), streets - 1),
      along = score - 1 - street * STREET;
    const up = street % 2 === 0,
      y = HOLE * along + FIVE * Math.floor(Math.max(along, 0) / 5);
    const height = HOLE * (STREET - 1) + FIVE * 5;
    return [40 + street * (width + GAP) + side * LANE, TOP + (up ? height - y : y)];
  };
  const right = at((streets - 1) * STREET + 1, lanes - 1)[0] + 40,
    bottom = TOP + HOLE * 31 + FIVE * 5 + 50;
  const board = svg("svg", { viewBox: `0 0 ${right} ${bottom}`, role: "img", "aria-label": label(state) });
  const holes = svg("g", { class: "holes" });
  for (let side = 0; side < lanes; side += 1)
    for (let score = 1; score <= state.target; score += 1) {
      const [x, y] = at(score, side);
      holes.append(svg("circle", { cx: x, cy: y, r: 5 }));
    }
  for (let street = 0; street < streets; street += 1) {
    const [x] = at(street * STREET + 1, 0);
    board.append(
      svg("path", {
        class: "street",
        "stroke-linecap": "round",
        "stroke-width": width + 6,
        d: `M${x + (width - LANE) / 2} ${TOP - 6}V${TOP + HOLE * 29 + FIVE * 5 + 6}`,
      }),
    );
  }
  board.append(holes);
  for (const line of state.peg_lines.filter((score) => score < state.target - 1)) {
    const [x, y] = at(line, 0),
      [, next] = at(line + 1, 0);
    board.append(
      svg("line", { class: "skunk", x1: x - 22, x2: x + width - LANE + 22, y1: (y + next) / 2, y2: (y + next) / 2 }),
    );
  }
  for (let street = 0; street < streets; street += 1) {
    const last = Math.min((street + 1) * STREET, state.target - 1),
      [x, y] = at(last, 0);
    board.append(svg("text", { x: x + (width - LANE) / 2, y: street % 2 ? y + 46 : y - 28, "text-anchor": "middle" }));
    board.lastChild.textContent = String(last === state.target - 1 ? state.target : last);
  }
  state.pegs.forEach(([before, score], side) => {
    for (const [value, kind] of [
      [before, "rear"],
      [score, "front"],
    ]) {
      const [x, y] = value ? at(value, side) : [at(1, side)[0], at(1, side)[1] + (kind === "front" ? 34 : 60)];
      board.append(
        svg(
          "g",
          { transform: `translate(${x} ${y})` },
          svg("path", { class: `peg ${kind} side-${side}`, d: SHAPES[side % SHAPES.length] }),
        ),
      );
    }
  });
  return [make("b", { class: "title fit" }, state.title), board];
}

function label(state) {
  return state.pegs
    .map(([, score], side) =>
      t("{name}: {score} of {target}", { name: state.seats[side].name, score, target: state.target }),
    )
    .join("; ");
}

// The score sheet: what each side has scored in each hand, and its sum; on large screens. The first hands of a long game
// are one line.

const MOST_HANDS = 8;

export function sheet({ sheet, seats, sides }) {
  if (!sheet.length) return [];
  const each = [...Array(sides).keys()];
  const sums = (hands) => each.map((side) => hands.reduce((sum, points) => sum + points[side], 0));
  const scores = each.map((side) => seats[side].score),
    before = sums(sheet),
    now = each.map((side) => scores[side] - before[side]); // in the hand that is played
  const first = sheet.length > MOST_HANDS ? sheet.length - MOST_HANDS + 1 : 0;
  const hands = sheet.slice(first).map((points, number) => [first + number + 1, points]);
  if (first) hands.unshift([`1–${first}`, sums(sheet.slice(0, first))]);
  if (now.some(Boolean)) hands.push([sheet.length + 1, now]);
  const line = (title, points) =>
    make("tr", {}, make("th", { scope: "row" }, title), ...points.map((each) => make("td", {}, minus(each || "–"))));
  const names = (side) => seats.filter((_, seat) => seat % sides === side).map((seat) => make("span", {}, seat.name));
  const long = Math.max(...[scores, ...hands.map(([, points]) => points)].flat().map((each) => String(each).length));
  return [
    make(
      "table",
      { "aria-label": t("Scores"), style: { "--sides": sides, "--long": long } },
      make(
        "thead",
        {},
        make("tr", {}, make("td"), ...each.map((side) => make("th", { scope: "col" }, ...names(side)))),
      ),
      make("tbody", {}, ...hands.map(([title, points]) => line(title, points))),
      make("tfoot", {}, line("", scores)),
    ),
  ];
}
