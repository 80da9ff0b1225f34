// Corrections: naming a card, adding one, removing an action, undoing to a point, and saying who is right.

import { ask } from "./ask.js";
import { picture, split, suit } from "./cards.js";
import { send } from "./connection.js";
import { $, make } from "./dom.js";
import { t } from "./texts.js";

const LIKELY = 4,
  LISTED = 6,
  MOST_CARDS = 24;
const DIFFERENCES = ["take-back", "put-back", "misread", "unclear", "two-cards"]; // prompts: record and table differ
let sent = null; // the last correction, which is sent again if the players drop later actions that do not fit
let state = null;

export function correcting(shown) {
  state = shown;
}

// Whether this page may correct `shown`: the game in progress, not one that is replayed.
export const correctable = (shown) => shown === state && allowed(shown);
const allowed = (shown) => shown.you.may.includes("correct");

const button = (text, attributes = {}) => make("button", attributes, text);

// Sends a correction, and closes the sheet so that the players see what to do now.
export function correct(message) {
  $("history-sheet")?.close();
  $("menu-sheet")?.close();
  sent = { ...message, n: state.n };
  send(sent);
}

// Asks what a card is. `shown`: an entry of `lying` or `seen` in the state, or the card of an action.
export async function whatIsIt(shown) {
  const lying = state.lying.find((card) => card.n === shown.n && card.card === shown.card);
  const turned = shown.seat === null ? "turn-up" : null; // an action without a seat
  const card = {
    ...shown,
    others: lying?.others ?? shown.others,
    seat: (lying ?? shown).seat ?? null,
    zone: lying?.zone ?? turned,
  };
  const chosen = await choose(card);
  if (chosen == null) return;
  const target =
    card.id != null
      ? { do: "name-card", source: card.source, id: card.id }
      : { do: "correct-card", line: card.n, card: card.card };
  if (chosen.seat) {
    const seat = await whose(t("Whose card is it?"), card.seat);
    if (seat != null) correct({ do: "correct-card", line: card.n, card: card.card, seat });
  } else if (chosen.gone) correct(target);
  else correct(card.id != null ? { ...target, card: chosen.card } : { ...target, to: chosen.card });
}

function choose(card) {
  const title = card.card
    ? t("That was not {card}. What was it?", { card: split(card.card).spoken })
    : t("Which card is this?");
  const likely = card.others.slice(0, LIKELY).map((other) => [{ card: other }, picture(other, "button")]);
  const more = [[{ gone: true }, button(t("It is not there"))]];
  if (card.n != null && card.card && card.zone !== "turn-up" && state.seats.length > 1)
    more.push([{ seat: true }, button(t("Another seat"))]);
  return cardOf(title, likely, more, card.card);
}

// Asks for a card of the deck in two steps: likely cards and suits, then the cards of a suit.
async function cardOf(title, likely, more, without) {
  const suits = state.deck.map(([name]) => name);
  const chosen = await ask(title, [...likely, ...suits.map((name) => [{ suit: name }, suitButton(name)]), ...more]);
  if (!chosen?.suit) return chosen;
  const cards = cardsOf(chosen.suit).filter((card) => card !== without);
  const card = await ask(
    title,
    cards.map((each) => [each, picture(each, "button")]),
  );
  return card == null ? null : { card };
}

function cardsOf(name) {
  const [, ...ranks] = state.deck.find(([suit]) => suit === name);
  return ranks.map((rank) => (name.length === 1 ? `${rank}${name}` : `${name}-${rank}`));
}

function suitButton(name) {
  const { colour, spoken } = split(cardsOf(name)[0]);
  return colour
    ? button(`${t(colour)}…`)
    : make(
        "button",
        { class: `suited ${name}`, "aria-label": t("{suit}: choose", { suit: spoken.split(" ").at(-1) }) },
        suit(name),
        "…",
      );
}

function whose(question, without, more = []) {
  const seats = state.seats.map(({ name }, seat) => [seat, button(name)]).filter(([seat]) => seat !== without);
  return ask(question, [...seats, ...more]);
}

// Asks which card was misread, and what it is: cards of `seat` first, then cards on the table that do not count.
// `more`: further choices; returns the value of the chosen one.
export async function whichCard(seat, more = []) {
  const laid = state.lying.filter((card) => card.n != null).toSorted((a, b) => b.n - a.n);
  const strange = state.seen.filter((card) => card.n == null && !state.lying.some((other) => other.card === card.card));
  const cards = [
    ...laid.filter((card) => card.seat === seat),
    ...strange.filter((card) => !card.card),
    ...laid.filter((card) => card.seat !== seat),
    ...strange.filter((card) => card.card),
  ];
  const options = cards
    .slice(0, MOST_CARDS)
    .map((card) => [card, card.card ? picture(card.card, "button") : button(t("a card that cannot be read"))]);
  const chosen = await ask(t("Which card was misread?"), [...options, ["add", button(t("Add a card"))], ...more]);
  if (chosen === "add") await addCard();
  else if (chosen?.others) await whatIsIt(chosen);
  else return chosen;
  return null;
}

export async function addCard() {
  const seat = await whose(t("Who laid the card?"), null, [[-1, button(t("It was turned up"))]]);
  if (seat == null) return;
  const chosen = await cardOf(t("Which card was it?"), [], [], null);
  if (chosen != null) correct({ do: "add-card", card: chosen.card, seat: seat < 0 ? null : seat });
}

// Offers what can be done about one action. `entries`: the history, newest first.
export async function about(entry, entries) {
  const later = entries.slice(0, entries.indexOf(entry)).filter((each) => !each.by);
  const options = later.length ? [["undo", button(t("Undo to here"))]] : [];
  if (entry.cards) options.push(["other", button(t("It was another card"))]);
  options.push(["never", button(t("This did not happen"))]);
  const chosen = await ask(entry.text, options);
  if (chosen === "never") correct({ do: "correct-card", line: entry.n });
  if (chosen === "undo") await undoTo(entry.n, later);
  if (chosen === "other") await otherCard(entry);
}

// Asks what a card of an action was, even if it is no longer on the table.
async function otherCard({ cards, n, seat }) {
  const card =
    cards.length === 1
      ? cards[0]
      : await ask(
          t("Which card was misread?"),
          cards.map((each) => [each, picture(each, "button")]),
        );
  if (card != null) await whatIsIt({ card, n, seat, others: [] });
}

export async function undoTo(line, later) {
  const yes = button(t("Take back {count}", { count: later.length }), { class: "sure" });
  if (await ask(t("Take all of this back?"), [[true, yes]], listed(later.map((entry) => entry.text))))
    correct({ do: "undo-to", line });
}

function listed(texts) {
  const rest = texts.length - LISTED;
  return texts.slice(0, LISTED).join(" · ") + (rest > 0 ? ` · ${t("and {number} more", { number: rest })}` : "");
}

addEventListener("misfit", async ({ detail: { action, reason, lost } }) => {
  const message = sent;
  const stop = button(t("Take back {count}", { count: lost.length }), { class: "sure" });
  const explained = `${reason} ${lost.length > 1 ? t("This also takes back: {actions}", { actions: listed(lost.slice(1)) }) : ""}`;
  const question = t("Then “{action}” no longer fits.", { action });
  if (message && (await ask(question, [[true, stop]], explained.trim()))) correct({ ...message, stop: true });
});

// A button for each seat whose phone reports a misread card.
export const claims = (shown) =>
  shown.prompts
    .filter(({ kind }) => kind === "misread-claim" && allowed(shown))
    .map(({ seat }) =>
      button(t("Correct {name}’s card", { name: shown.seats[seat].name }), {
        class: "word",
        onclick: () => whichCard(seat),
      }),
    );

// The buttons that say who is right, while the table and the record differ.
export function rights(shown, always = false) {
  if (!allowed(shown)) return [];
  if (shown.restoring != null)
    return [
      button(t("Do not put cards back"), { class: "word", onclick: () => send({ do: "record-is-right", on: false }) }),
    ];
  if (!always && !shown.prompts.some((prompt) => prompt.urgent && DIFFERENCES.includes(prompt.kind))) return [];
  return [
    button(t("The table is right"), { class: "word", onclick: () => correct({ do: "table-is-right" }) }),
    button(t("The record is right"), {
      class: "word",
      onclick: () => {
        $("menu-sheet")?.close();
        send({ do: "record-is-right" });
      },
    }),
  ];
}
