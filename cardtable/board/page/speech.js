// What is new, as sounds and as speech. `brief` says what to do; `full` also what was played, scored and counted.

import { settings } from "./settings.js";
import { sound } from "./sounds.js";
import { t, word } from "./texts.js";

let before = null;

export function speak(state) {
  const last = before;
  before = state;
  if (!last) return;
  const alarm = state.prompts.find((prompt) => prompt.urgent && !last.prompts.some((other) => other.urgent && other.text === prompt.text));
  const scored = state.n !== last.n && state.points.fresh;
  if (state.over && !last.over) sound("end");
  else if (alarm) sound("alert");
  else if (scored) sound("points");
  else if (state.turn !== last.turn && state.turn != null) sound("turn");
  const texts = settings.speech === "full" && state.n !== last.n ? happened(state, last) : [];
  const asked = state.prompts.map((prompt) => prompt.text).filter((text) => !last.prompts.some((other) => other.text === text));
  if (settings.speech !== "off") say([...texts, ...asked]);
}

function happened(state, last) {
  const entries = state.history.filter((entry) => entry.n > (last.history[0]?.n ?? 0)).reverse();
  return entries.flatMap((entry) => [entry.text, ...entry.points.map((point) => t("{name}: {points} for {reason}", { name: state.seats[point.seat].name, points: point.points, reason: word(point.for) })), ...entry.events]);
}

// The newest sentences replace those that are still waiting.
function say(texts) {
  if (!texts.length || !window.speechSynthesis) return;
  speechSynthesis.cancel();
  for (const text of texts) {
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.lang = document.documentElement.lang;
    speechSynthesis.speak(utterance);
  }
}
