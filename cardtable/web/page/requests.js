// What the table asks for, and what the players tell it: words, accusations, and corrections of cards.

import { $, PHASES, ask, label, make, numbered, picture, split, t, withSuits, word } from "./base.js";
import { send } from "./connection.js";
import { sentence } from "./seats.js";

// The dialog that asks one question, or completes a word: which player, which card, and what an accusation costs.

const COLUMNS = 5; // of the words of a group: the suits and no trumps of bids
const NOT_BEFORE = 500; // ms for which an accusation cannot be confirmed: a double tap on a card is not a confirmation

let pending = null; // the seat and the word that the dialog completes

// Returns the message for the word `item` of `seat`, or null if the players cancel. `state`: what the page shows.
export function complete(seat, item, state) {
  return completing(
    seat,
    item.word,
    answers(seat, item, (number) => state.seats[number]?.name ?? "", state.turn),
  );
}

function completing(seat, word, answer) {
  const mine = (pending = { seat, word });
  return answer.finally(() => {
    if (pending === mine) pending = null;
  });
}

// Closes the dialog if its word can no longer be said.
export function closeIfOver(state) {
  if (pending && !state.seats[pending.seat]?.words.some((item) => item.word === pending.word)) $("ask").close();
}

// Asks which word of a group `seat` says; returns it, or null. The words of one column are below each other.
export function oneOf(seat, group, state) {
  const now = new Set(state.seats[seat].words.map((item) => item.word));
  const shown = state.words
    .filter((item) => item.group === group)
    .map((item, at) => [item, { class: "bid", style: { "--at": (at % COLUMNS) + 1 } }])
    .filter(([item]) => now.has(item.word))
    .map(([item, look]) => [item.word, make("button", look, ...withSuits(label(item)))]);
  const question = t("{name}: {what}", { name: state.seats[seat].name, what: word(group) });
  return completing(seat, shown[0]?.[0], ask(question, shown, "", null, true));
}

async function answers(seat, item, name, turn) {
  const message = { do: "say", seat, word: item.word };
  for (;;) {
    if (item.needs.includes("against")) {
      message.against =
        item.against.length === 1
          ? item.against[0]
          : await ask(
              t("{name} calls “{word}”. Against whom?", { name: name(seat), word: word(item.word) }),
              item.against.map((other) => [other, make("button", {}, name(other))]),
            );
      if (message.against == null) return null;
    }
    const claim = item.claims?.find((each) => each.seat === message.against);
    if (item.needs.includes("card")) {
      const question = item.question
        ? t(item.question, { name: name(message.against ?? turn) })
        : t("“{word}”: which card?", { word: word(item.word) });
      message.card = await ask(
        question,
        (claim?.cards ?? item.cards).map((card) => [card, picture(card, "button")]),
      );
      if (message.card == null) return null;
    }
    if (message.against == null) return message;
    const yes = await confirm(seat, item, message, name, claim?.costs ?? "");
    if (yes == null) return null;
    if (yes) return message;
  }
}

// The second step of an accusation. Returns true, false to choose again, or null to cancel.
function confirm(seat, item, { against, card }, name, costs) {
  const shown = { name: name(seat), word: word(item.word), other: name(against) };
  const yes = make("button", { class: "sure", disabled: true }, t("Yes: {word}", { word: label(item) }));
  const no = make("button", { autofocus: true }, card == null ? t("Choose again") : t("Another card"));
  setTimeout(() => {
    yes.disabled = false;
  }, NOT_BEFORE);
  return ask(
    t("{name} calls “{word}” against {other}. Is that right?", shown),
    [
      [true, yes],
      [false, no],
    ],
    costs,
    card && picture(card),
  );
}

// What the table asks for, on a slip of paper, and the words that can be said, on the felt.

const BRIEF = 34; // letters of a request that is shown larger
const MOST_NOTES = 2; // requests beside the first one
const MOST_BIDS = 5; // numbers that are shown; the others follow in a dialog

export function headline(state) {
  return state.turn != null
    ? t("{name}’s turn", { name: state.seats[state.turn].name })
    : (PHASES[state.phase] ?? state.phase);
}

const first = ({ kind, urgent }) => (urgent ? 2 : kind === "corrected" ? 0 : 1);

// What is asked besides the turn, the most urgent first. The turn itself is told by the rim, unless nobody is on turn.
export function requests(state) {
  const hint = (prompt) =>
    prompt.kind === "turn" &&
    (state.phase === "play"
      ? state.turn == null
      : state.phase !== "bid" || (!state.auction.length && !state.lying.length));
  const list = state.prompts
    .filter((prompt) => prompt.kind !== "turn" || hint(prompt))
    .toSorted((a, b) => first(b) - first(a));
  return state.trouble
    ? [{ text: t("Not stored: {reason}", { reason: state.trouble }), urgent: true, kind: "trouble" }, ...list]
    : list;
}

export function slip(state) {
  const list = requests(state),
    rest = list.slice(1 + MOST_NOTES);
  if (!list.length) return [];
  const buttons = numbered([
    ...list.flatMap((request) => request.answers?.() ?? []),
    ...rights(state),
    ...claims(state),
  ]);
  const more = () =>
    ask(
      t("and {number} more", { number: rest.length }),
      rest.map(({ text }) => [null, make("p", {}, text)]),
    );
  const look = ({ urgent }) => `prompt${urgent ? " alert" : ""}`;
  return [
    make(
      "h2",
      { class: `${look(list[0])}${list[0].text.length < BRIEF ? " brief" : ""}` },
      ...sentence(list[0].text, state),
    ),
    ...list
      .slice(1, 1 + MOST_NOTES)
      .map((prompt) => make("p", { class: look(prompt) }, ...sentence(prompt.text, state))),
    buttons.length || rest.length
      ? make("nav", {}, ...buttons, rest.length ? make("button", { onclick: more }, `+${rest.length}`) : null)
      : null,
  ].filter(Boolean);
}

// A button for each word that a seat can say; those of the seat on turn first. Accusations are in the menu.
export function words(state, accusing = false) {
  const sayers = new Map();
  state.seats.forEach((seat, number) => {
    for (const item of seat.words)
      if (item.needs.includes("against") === accusing)
        sayers.set(item.word, [...(sayers.get(item.word) ?? []), { number, item }]);
  });
  return [...grouped(state, [...sayers.values()])].sort(
    (a, b) => b.classList.contains("turn") - a.classList.contains("turn"),
  );
}

// The words of one group share a button, at the place of the first of them; so do the higher ones of many numbers.
function* grouped(state, all) {
  const done = new Set(),
    numbers = all.filter(([{ item }]) => /^\d+$/.test(item.word));
  const later = numbers.length > MOST_BIDS + 1 ? new Set(numbers.slice(MOST_BIDS)) : new Set();
  for (const sayers of all) {
    const { number, item } = sayers[0];
    if (later.has(sayers)) {
      if (sayers === [...later][0]) yield more(state, [...later]);
    } else if (!item.group) yield button(state, sayers);
    else if (!done.has(item.group)) {
      done.add(item.group);
      yield make(
        "button",
        {
          class: "word turn",
          onclick: async () => {
            const chosen = await oneOf(number, item.group, state);
            if (chosen) send({ do: "say", seat: number, word: chosen });
          },
        },
        `${word(item.group)}…`,
      );
    }
  }
}

function more(state, list) {
  return make(
    "button",
    {
      class: "word turn",
      "aria-label": t("more…"),
      onclick: async () => {
        const chosen = await ask(
          t("{name}: {what}", { name: state.seats[list[0][0].number].name, what: t("bid") }),
          list.map((sayers) => [sayers, make("button", {}, ...withSuits(label(sayers[0].item)))]),
        );
        if (chosen) sayFor(state, chosen);
      },
    },
    "…",
  );
}

function button(state, sayers) {
  const [{ number, item }] = sayers;
  const turn = sayers.length === 1 && number === state.turn;
  const text =
    sayers.length === 1 && !turn
      ? t("{name}: {what}", { name: state.seats[number].name, what: label(item) })
      : label(item);
  return make(
    "button",
    { class: `word${turn ? " turn" : ""}`, onclick: () => sayFor(state, sayers) },
    ...withSuits(text + (item.needs.length ? "…" : "")),
  );
}

async function sayFor(state, sayers) {
  const chosen =
    sayers.length === 1
      ? sayers[0]
      : await ask(
          t("Who says “{word}”?", { word: label(sayers[0].item) }),
          sayers.map((sayer) => [sayer, make("button", {}, state.seats[sayer.number].name)]),
        );
  const message = chosen && (await complete(chosen.number, chosen.item, state));
  if (message) send(message);
}

// Corrections: naming a card, adding one, removing an action, undoing to a point, and saying who is right.

const LIKELY = 4,
  LISTED = 6,
  MOST_CARDS = 24;
const TWINS = { H: "D", D: "H", S: "C", C: "S" }; // the suits of one colour
const DIFFERENCES = ["take-back", "put-back", "misread", "unclear", "two-cards"]; // prompts: record and table differ
let sent = null; // the last correction, which is sent again if the players drop later actions that do not fit
let state = null;

export function correcting(shown) {
  state = shown;
}

// Whether this page may correct `shown`: the game in progress, not one that is replayed.
export const correctable = (shown) => shown === state && allowed(shown);
const allowed = (shown) => shown.you.may.includes("correct");

const answer = (text, attributes = {}) => make("button", attributes, text);

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
  const likely = likeliest(card).map((other) => [{ card: other }, picture(other, "button")]);
  const more = [[{ gone: true }, answer(t("It is not there"))]];
  if (card.n != null && card.card && card.zone !== "turn-up" && state.seats.length > 1)
    more.push([{ seat: true }, answer(t("Another seat"))]);
  return cardOf(title, likely, more, card.card);
}

// The faces that a card may have, the likeliest first: what the camera took it for, then those that look like it. Cards
// that lie on the table come last.
function likeliest({ card, others }) {
  const lies = new Set(state.lying.map((each) => each.card));
  const alike = card ? looksLike(card) : [];
  const faces = [...new Set([...others, ...alike])].filter((face) => face !== card);
  return [...faces.filter((face) => !lies.has(face)), ...faces.filter((face) => lies.has(face))].slice(0, LIKELY);
}

// The same rank in the suit of the same colour, then in the other suits; then the next ranks of the suit.
function looksLike(card) {
  const suits = state.deck.map(([name]) => ({ name, cards: cardsOf(name) }));
  const own = suits.find(({ cards }) => cards.includes(card));
  if (!own) return [];
  const at = own.cards.indexOf(card);
  const twin = TWINS[own.name];
  const same = [twin, ...suits.map(({ name }) => name)].flatMap((name) => {
    const found = suits.find((suit) => suit.name === name)?.cards[at];
    return found ? [found] : [];
  });
  return [...same, own.cards[at + 1], own.cards[at - 1]].filter(Boolean);
}

// Asks for a card of the deck: likely cards as pictures, and the others by suit.
function cardOf(title, likely, more, without) {
  const left = new Set([without, ...likely.map(([{ card }]) => card)]);
  const all = state.deck.flatMap(([name]) =>
    cardsOf(name)
      .map((card, at) => [
        { card },
        picture(card, "button", { class: at ? "cell" : "cell first", style: { "--at": at + 1 } }),
      ])
      .filter(([{ card }]) => !left.has(card)),
  );
  $("ask-choices").style.setProperty("--ranks", Math.max(...state.deck.map(([, ...ranks]) => ranks.length)));
  return ask(title, [...likely, ...more, ...all]);
}

function cardsOf(name) {
  const [, ...ranks] = state.deck.find(([suit]) => suit === name);
  return ranks.map((rank) => (name.length === 1 ? `${rank}${name}` : `${name}-${rank}`));
}

function whose(question, without, more = []) {
  const seats = state.seats.map(({ name }, seat) => [seat, answer(name)]).filter(([seat]) => seat !== without);
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
    .map((card) => [card, card.card ? picture(card.card, "button") : answer(t("a card that cannot be read"))]);
  const chosen = await ask(t("Which card was misread?"), [...options, ["add", answer(t("Add a card"))], ...more]);
  if (chosen === "add") await addCard();
  else if (chosen?.others) await whatIsIt(chosen);
  else return chosen;
  return null;
}

export async function addCard() {
  const seat = await whose(t("Who laid the card?"), null, [[-1, answer(t("It was turned up"))]]);
  if (seat == null) return;
  const chosen = await cardOf(t("Which card was it?"), [], [], null);
  if (chosen != null) correct({ do: "add-card", card: chosen.card, seat: seat < 0 ? null : seat });
}

// Offers what can be done about one action. `entries`: the history, newest first.
export async function about(entry, entries) {
  const later = entries.slice(0, entries.indexOf(entry)).filter((each) => !each.by);
  const options = later.length ? [["undo", answer(t("Undo to here"))]] : [];
  if (entry.cards) options.push(["other", answer(t("It was another card"))]);
  options.push(["never", answer(t("This did not happen"))]);
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
  const yes = answer(t("Take back {count}", { count: later.length }), { class: "sure" });
  if (await ask(t("Take all of this back?"), [[true, yes]], listed(later.map((entry) => entry.text))))
    correct({ do: "undo-to", line });
}

function listed(texts) {
  const rest = texts.length - LISTED;
  return texts.slice(0, LISTED).join(" · ") + (rest > 0 ? ` · ${t("and {number} more", { number: rest })}` : "");
}

addEventListener("misfit", async ({ detail: { action, reason, lost } }) => {
  const message = sent;
  const stop = answer(t("Take back {count}", { count: lost.length }), { class: "sure" });
  const explained = `${reason} ${lost.length > 1 ? t("This also takes back: {actions}", { actions: listed(lost.slice(1)) }) : ""}`;
  const question = t("Then “{action}” no longer fits.", { action });
  if (message && (await ask(question, [[true, stop]], explained.trim()))) correct({ ...message, stop: true });
});

// A button for each seat whose phone reports a misread card.
const claims = (shown) =>
  shown.prompts
    .filter(({ kind }) => kind === "misread-claim" && allowed(shown))
    .map(({ seat }) =>
      answer(t("Correct {name}’s card", { name: shown.seats[seat].name }), {
        class: "word",
        onclick: () => whichCard(seat),
      }),
    );

// The buttons that say who is right, while the table and the record differ.
export function rights(shown, always = false) {
  if (!allowed(shown)) return [];
  if (shown.restoring != null)
    return [
      answer(t("Do not put cards back"), { class: "word", onclick: () => send({ do: "record-is-right", on: false }) }),
    ];
  if (!always && !shown.prompts.some((prompt) => prompt.urgent && DIFFERENCES.includes(prompt.kind))) return [];
  return [
    answer(t("The table is right"), { class: "word", onclick: () => correct({ do: "table-is-right" }) }),
    answer(t("The record is right"), {
      class: "word",
      onclick: () => {
        $("menu-sheet")?.close();
        send({ do: "record-is-right" });
      },
    }),
  ];
}
