// What the table asks for, on a slip of paper, and the words that can be said, on the felt.

import { ask, complete, oneOf } from "./ask.js";
import { send } from "./connection.js";
import { claims, rights } from "./correct.js";
import { make } from "./dom.js";
import { sentence } from "./felt.js";
import { label, PHASES, t, word } from "./texts.js";

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
  const buttons = [...list.flatMap((request) => request.answers?.() ?? []), ...rights(state), ...claims(state)];
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
          list.map((sayers) => [sayers, make("button", {}, label(sayers[0].item))]),
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
    text + (item.needs.length ? "…" : ""),
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
