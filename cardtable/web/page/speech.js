// What is heard: sounds, what screen readers read out, and speech.

import { atOnce, politely, settings, t } from "./base.js";

// Announces what is new: as sounds, for screen readers, and as speech. `brief` says what to do, `points` also what was
// scored, and `full` every action as well, so that the game can be followed without looking.

let before = null;

export function speak(state) {
  const last = before;
  before = state;
  if (last) sounds(state, last);
  const level = settings.speech === "off" ? "full" : settings.speech;
  const alarms = fresh(state, last)
    .filter((prompt) => prompt.urgent)
    .map((prompt) => prompt.spoken);
  for (const key of ["notice", "trouble"]) if (state[key] && state[key] !== last?.[key]) alarms.push(state[key]);
  const menu = state.menu && state.menu.spoken !== last?.menu?.spoken ? [state.menu.spoken] : [];
  const calm = [...sentences(state, last, level), ...menu];
  atOnce(alarms);
  politely(calm);
  if (last && settings.speech !== "off") say([...calm, ...alarms]);
}

// Speaks the standing of the game and what to do.
export function repeat() {
  if (before?.standing) say([before.standing, ...before.prompts.map((prompt) => prompt.spoken)]);
}

const played = (state) => state?.screen === "game" || state?.screen === "result";
const names = (state) => state.seats.map((seat) => seat.name).join();
const sameGame = (state, last) =>
  played(last) && last.game === state.game && names(last) === names(state) && last.n <= state.n;

// The prompts that are new. A player who acts twice is asked twice.
function fresh(state, last) {
  if (!played(state)) return [];
  const key = (prompt) => `${prompt.urgent} ${prompt.spoken}`,
    known = sameGame(state, last) ? last.prompts.map(key) : [];
  const again = (prompt) =>
    prompt.kind === "turn" && state.n !== last?.n && state.turn != null && state.turn === last?.turn;
  return state.prompts.filter((prompt) => again(prompt) || !known.includes(key(prompt)));
}

// Everything new that is not urgent.
function sentences(state, last, level) {
  if (state.screen === "asleep") return last?.screen === "asleep" ? [] : [state.text];
  if (state.screen === "lobby") {
    const text = state.why_not ?? state.prompt;
    return last?.screen === "lobby" && text === (last.why_not ?? last.prompt) ? [] : [text];
  }
  const asked = fresh(state, last)
    .filter((prompt) => !prompt.urgent)
    .map((prompt) => prompt.spoken);
  const ended =
    state.screen === "result" && last?.screen !== "result"
      ? [
          ...remarks(state),
          ...(state.you.may.includes("host") ? state.result.ways_on.map((way) => `${way.label}.`) : []),
        ]
      : [];
  if (!sameGame(state, last)) return [`${state.title}.`, state.standing, ...asked, ...ended];
  return [...happened(state, last, level), ...asked, ...ended];
}

// The notes of a result that are not among its prompts, such as a skunk.
const remarks = ({ result, prompts }) => result.notes.filter((note) => prompts.every((prompt) => prompt.text !== note));

function happened(state, last, level) {
  if (state.n === last.n || level === "brief") return [];
  const known = last.history.map((entry) => entry.n);
  if (state.history.some((entry) => entry.by && !known.includes(entry.n))) return []; // a prompt says what was corrected
  const newest = last.history[0];
  const kept = !newest || state.history.some((entry) => entry.n === newest.n);
  if (!kept && state.history.at(-1)?.n > newest.n) return [state.standing]; // more has happened than the state contains
  const undone = kept ? [] : [t("Taken back: {action}", { action: newest.spoken }), state.standing];
  const entries = state.history.filter((entry) => entry.n > (newest?.n ?? 0)).reverse();
  const changed = level === "full" ? state.spoken_facts.filter((fact) => !last.spoken_facts.includes(fact)) : [];
  return [
    ...undone,
    ...entries.flatMap((entry) => [level === "full" ? entry.spoken : "", entry.outcome]),
    ...changed,
  ].filter(Boolean);
}

function sounds(state, last) {
  if (!played(state) || !sameGame(state, last)) return;
  if (state.over && !last.over) sound("end");
  else if (fresh(state, last).some((prompt) => prompt.urgent)) sound("alert");
  else if (state.moments.some((moment) => moment.n > last.n + 1)) sound("moment");
  else if (state.n !== last.n && state.points.fresh) sound("points");
  else if (state.turn !== last.turn && state.turn != null) sound("turn");
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

// Short sounds for those who want them: your turn, points, something wrong, the end.

const TUNES = {
  turn: [660],
  points: [660, 880],
  moment: [523, 784, 1047],
  alert: [220, 196],
  end: [523, 659, 784, 1047],
};
const NOTE_S = 0.13;
let audio = null;

function sound(name) {
  if (settings.sounds !== "on") return;
  audio ??= new AudioContext();
  TUNES[name].forEach((frequency, number) => {
    const start = audio.currentTime + number * NOTE_S;
    const note = new OscillatorNode(audio, { frequency, type: "triangle" });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setTargetAtTime(0.2, start, 0.01);
    volume.gain.setTargetAtTime(0, start + NOTE_S * 0.7, 0.03);
    note.connect(volume).connect(audio.destination);
    note.start(start);
    note.stop(start + NOTE_S * 2);
  });
}
