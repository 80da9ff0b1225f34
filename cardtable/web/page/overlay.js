// The overlay for streams, on a transparent page: who plays, the scores, whose turn it is, what has been laid, and
// moments. `?style=` chooses how. Known hands are shown only if table.toml sets a delay for them.

import { $, make, mini, narrow, picture, split, suit, t, word } from "./base.js";
import { acting, awaits, gained, lowerLeft, lowerRight, seat, sentence, upperLeft, upperRight } from "./seats.js";
import { live } from "./socket.js";

export const STYLES = ["planks", "column", "strip"];
const HANDS_MS = 1000,
  MOMENT_MS = 6000,
  GONE_MS = 20_000; // after which an old score is worse than none
const MOST_NEWS = 3, // points of one action
  MOST_BESIDE = 3, // players, and letters of their names, that have room beside the scores
  MOST_LETTERS = 26;
const CORNERS = [upperLeft, upperRight, lowerLeft, lowerRight];
const ORDER = "SHCD",
  HIGH = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];

// Draws a game in `box`. `hands`: for each seat the known cards of its hand. `moment`: what has just happened.
export function draw(box, state, hands = [], moment = null) {
  const lit = acting(state),
    longest = Math.max(...state.seats.map(({ name }) => name.length));
  const many = state.seats.length > MOST_BESIDE || longest * state.seats.length > MOST_LETTERS;
  box.replaceChildren(
    ...(moment ? [banner(moment, state)] : []),
    make(
      "div",
      { class: many ? "set many" : "set" },
      ...state.seats.map((_, number) => chair(state, number, lit.includes(number), hands[number] ?? [])),
      about(state),
    ),
  );
  narrow(box);
}

// A player, and what stands behind the plank: the card just laid, and the hand if it lies open or is known.
function chair(state, number, lit, hand) {
  const played = state.lying.filter((card) => card.zone === "play"),
    laid = played.findLast((card) => card.seat === number);
  const open = state.lying.filter((card) => card.zone === "show" && card.seat === number).map((card) => card.card);
  const waits = !laid && awaits(state) && state.turn === number;
  return make(
    "div",
    { class: lit ? "chair lit" : "chair" },
    make(
      "div",
      { class: "standing" },
      laid ? picture(laid.card) : waits ? make("div", { class: "card free", "aria-hidden": "true" }) : null,
      laid && state.led && played[0].seat === number ? make("span", { class: "led" }, t("led")) : null,
      hand.length || open.length ? slip(hand.length ? hand : open) : null,
    ),
    seat(state, number, "s", lit),
  );
}

// A hand, a line for each suit or colour.
function slip(cards) {
  const group = (card) => split(card).suit ?? split(card).colour;
  const rank = (card) => HIGH.indexOf(split(card).rank);
  const lines = [...Map.groupBy(cards, group)].sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
  return make(
    "div",
    { class: "hand" },
    ...lines.map(([name, own]) =>
      make(
        "p",
        {},
        ORDER.includes(name) ? suit(name) : `${t(name)} `,
        own
          .toSorted((a, b) => rank(a) - rank(b))
          .map((card) => split(card).rank)
          .join(" "),
      ),
    ),
  );
}

// The game: its figure, what the parties have won, what is turned up, and the points of the last action.
function about(state) {
  const turned = state.lying.filter((card) => card.zone === "turn-up").map((card) => mini(card.card));
  const parts = [...CORNERS.map((corner) => corner(state)), turned].filter((part) => part.length);
  return make(
    "section",
    { class: "about" },
    state.points.fresh
      ? make(
          "div",
          { class: "news" },
          ...state.points.list
            .slice(0, MOST_NEWS)
            .map((entry) => make("p", {}, gained(entry, `${state.seats[entry.seat].name} `), ` ${word(entry.for)}`)),
        )
      : null,
    ...parts.map((part) => make("div", { class: "part" }, ...part)),
  );
}

function banner(moment, state) {
  return make(
    "section",
    { class: `banner ${moment.kind}` },
    moment.cards.length
      ? make("div", { class: "cards" }, ...moment.cards.slice(0, 4).map((card) => picture(card)))
      : null,
    moment.kind === "revoke" ? make("p", { class: "kind" }, t("Revoke")) : null,
    make("h2", {}, ...sentence(moment.headline, state)),
    moment.follows ? make("p", {}, ...sentence(moment.follows, state)) : null,
  );
}

// The overlay itself: the newest state, the known hands, and one moment after the other.
let state = null,
  hands = [],
  drawn = "",
  game = null, // the title and the players
  known = new Set(), // moments of this game that were shown: those that are repeated after an undo are not new
  seen = 0, // the newest line of the record whose moments have been shown
  moments = [],
  gone = 0;

function show() {
  const shown = state?.screen === "game" || state?.screen === "result" ? state : null;
  const now = JSON.stringify(shown && [{ ...shown, version: 0 }, hands, moments[0]]);
  if (now !== drawn) {
    drawn = now;
    if (shown) draw($("overlay"), shown, hands, moments[0]);
    else $("overlay").replaceChildren();
  }
  document.body.dataset.version = state?.version ?? "";
}

// Takes the moments that are new in `next`; those of a game that was not watched before are old.
function note(next) {
  const about = JSON.stringify([next.game, next.seats.map((seat) => seat.name)]),
    line = next.n + 1,
    key = ({ kind, headline, cards }) => JSON.stringify([next.hand, kind, headline, cards]);
  const old = about !== game || line < seen;
  if (old) [game, known, moments] = [about, new Set(), []];
  const fresh = next.moments.filter((moment) => (old || moment.n > seen) && !known.has(key(moment)));
  for (const moment of fresh) known.add(key(moment));
  seen = line;
  if (old || !fresh.length) return;
  moments.push(...fresh);
  if (moments.length === fresh.length) setTimeout(over, MOMENT_MS);
}

function over() {
  moments.shift();
  if (moments.length) setTimeout(over, MOMENT_MS);
  show();
}

async function look() {
  const answer = await fetch(`overlay/hands.json${location.search}`)
    .then((found) => found.json())
    .catch(() => ({ after_s: 0, hands }));
  hands = answer.hands;
  show();
  if (answer.after_s !== null && !answer.refused) setTimeout(look, HANDS_MS);
}

if ($("overlay")) {
  const style = new URLSearchParams(location.search).get("style");
  $("overlay").classList.add(STYLES.includes(style) ? style : STYLES[0]);
  live(
    "live?as=spectator",
    (message) => {
      clearTimeout(gone);
      gone = 0;
      if (message.screen) state = message;
      if (state?.seats) note(state);
      show();
    },
    () => {
      // Viewers learn nothing of it, unless it lasts.
      gone ||= setTimeout(() => {
        state = null;
        show();
      }, GONE_MS);
    },
  );
  document.fonts.addEventListener("loadingdone", () => narrow($("overlay")));
  look();
}
