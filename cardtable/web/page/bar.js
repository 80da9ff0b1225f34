// The bar at the bottom: what to do now, and the words that can be said.

import { ask, complete, oneOf } from "./ask.js";
import { send } from "./connection.js";
import { claims, rights } from "./correct.js";
import { make } from "./dom.js";
import { isShort } from "./fit.js";
import { label, PHASES, t, word } from "./texts.js";

export function headline(state) {
  return state.turn != null ? t("{name}’s turn", { name: state.seats[state.turn].name }) : PHASES[state.phase] ?? state.phase;
}

export function prompts(state) {
  const first = ({ kind, urgent }) => (urgent ? 3 : { turn: 1, corrected: 0 }[kind] ?? 2); // faults, then other requests, then whose turn it is
  const list = state.prompts.toSorted((a, b) => first(b) - first(a)).map((prompt) => make("p", { class: `prompt${prompt.urgent ? " alert" : ""}` }, prompt.text));
  if (state.trouble) list.unshift(make("p", { class: "prompt alert" }, t("Not stored: {reason}", { reason: state.trouble })));
  return list;
}

// Shows the first `most` prompts; a tap on the number of the others shows them.
export function limit(list, most) {
  list.querySelector("button")?.remove();
  const all = [...list.children], rest = all.slice(most), name = t("and {number} more", { number: rest.length });
  all.forEach((prompt, number) => { prompt.hidden = number >= most; });
  const more = (event) => { event.stopPropagation(); ask(name, rest.map((prompt) => [null, make("p", { class: prompt.className }, prompt.textContent)])); };
  if (rest.length) all[most - 1].append(make("button", { class: "more", "aria-label": name, onclick: more }, `+${rest.length}`));
}

// Cuts prompts longer than two lines (one if tight); a tap shows them whole.
export function clamp(list) {
  const lines = list.classList.contains("tight") ? 1 : 2;
  for (const prompt of list.children) {
    const cut = !isShort([prompt], lines);
    prompt.classList.toggle("cut", cut);
    prompt.role = cut ? "button" : null;
    prompt.tabIndex = cut ? 0 : -1;
    prompt.onclick = cut ? () => ask(prompt.firstChild.textContent, []) : null;
    prompt.onkeydown = (event) => (event.key === "Enter" ? prompt.onclick?.() : null);
  }
}

// A button for each word that a seat can say. Words that only the seat on turn can say stand out.
export function words(state) {
  const sayers = new Map();
  state.seats.forEach((seat, number) => {
    for (const item of seat.words) sayers.set(item.word, [...(sayers.get(item.word) ?? []), { number, item }]);
  });
  const buttons = [...grouped(state, [...sayers.values()])].sort((a, b) => b.classList.contains("turn") - a.classList.contains("turn"));
  return [...rights(state), ...claims(state), ...buttons];
}

// The words of one group share a button, at the place of the first of them.
function* grouped(state, all) {
  const done = new Set();
  for (const sayers of all) {
    const { number, item } = sayers[0];
    if (!item.group) yield button(state, sayers);
    else if (!done.has(item.group)) {
      done.add(item.group);
      yield make("button", { class: "word turn", onclick: async () => {
        const chosen = await oneOf(number, item.group, state);
        if (chosen) send({ do: "say", seat: number, word: chosen });
      } }, `${word(item.group)}…`);
    }
  }
}

function button(state, sayers) {
  const [{ number, item }] = sayers;
  const turn = sayers.length === 1 && number === state.turn;
  const text = sayers.length === 1 && !turn ? t("{name}: {what}", { name: state.seats[number].name, what: label(item) }) : label(item);
  return make("button", { class: `word${turn ? " turn" : ""}`, onclick: () => sayFor(state, sayers) }, text + (item.needs.length ? "…" : ""));
}

async function sayFor(state, sayers) {
  const chosen = sayers.length === 1 ? sayers[0] : await ask(t("Who says “{word}”?", { word: label(sayers[0].item) }),
    sayers.map((sayer) => [sayer, make("button", {}, state.seats[sayer.number].name)]));
  const message = chosen && await complete(chosen.number, chosen.item, state);
  if (message) send(message);
}
