// The dialog that asks one question, or completes a word: which player, which card, and what an accusation costs.

import { picture } from "./cards.js";
import { make } from "./dom.js";
import { label, t, word } from "./texts.js";

const COLUMNS = 5; // of the words of a group: the suits and no trumps of bids
const NOT_BEFORE = 500; // ms for which an accusation cannot be confirmed: a double tap on a card is not a confirmation

const dialog = document.getElementById("ask");
const title = document.getElementById("ask-title");
const text = document.getElementById("ask-text");
const choices = document.getElementById("ask-choices");
let pending = null; // the seat and the word that the dialog completes
let over = null; // ends the question that is shown

// The event comes after the dialog has closed, when the next question may be open.
dialog.addEventListener("close", () => {
  if (!dialog.open) over?.();
});

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
  if (pending && !state.seats[pending.seat]?.words.some((item) => item.word === pending.word)) dialog.close();
}

// Asks which word of a group `seat` says; returns it, or null. Words that cannot be said now are grey.
export function oneOf(seat, group, state) {
  const now = new Set(state.seats[seat].words.map((item) => item.word));
  const all = state.words.filter((item) => item.group === group);
  const first = all.findIndex((item) => now.has(item.word));
  const shown = all
    .slice(first - (first % COLUMNS))
    .map((item) => [
      item.word,
      make(
        "button",
        { disabled: !now.has(item.word), class: /[hd]$/.test(item.word) ? "bid red" : "bid" },
        label(item),
      ),
    ]);
  const question = t("{name}: {what}", { name: state.seats[seat].name, what: word(group) });
  return completing(seat, all[first]?.word, ask(question, shown, "", null, true));
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

// Shows the dialog; returns the value chosen, or null. `options`: pairs of a value and its button. `grid`: in rows of
// `COLUMNS`.
export function ask(question, options, explanation = "", card = null, grid = false) {
  choices.classList.toggle("grid", grid);
  over?.();
  title.textContent = question;
  text.textContent = explanation;
  text.hidden = !explanation;
  return new Promise((resolve) => {
    let answer = null;
    over = () => {
      over = null;
      resolve(answer);
    };
    choices.replaceChildren(
      ...(card ? [card] : []),
      ...options.map(([value, button]) => {
        button.addEventListener("click", () => {
          answer = value;
          dialog.close();
        });
        return button;
      }),
    );
    dialog.showModal();
  });
}

// The arrow keys go from one choice to the next.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
choices.addEventListener("keydown", (event) => {
  const buttons = [...choices.querySelectorAll("button:enabled")];
  const at = buttons.indexOf(document.activeElement);
  if (!(event.key in STEPS) || at < 0) return;
  event.preventDefault();
  buttons[(at + STEPS[event.key] + buttons.length) % buttons.length].focus();
});
