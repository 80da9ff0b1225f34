// What is heard: sounds, what screen readers read out, and speech.

import { atOnce, calm, politely, settings, t } from "./base.js";

// Announces what is new: as sounds, for screen readers, and as speech. `brief` says what to do, `points` also what was
// scored, and `full` every action as well, with what can be answered and what the keyboard is on, so that the game can be
// followed and played without looking.

let before = null;
let known = new Set(); // the prompts that were told; one that comes back before anything is done is not new

export function speak(state) {
  const last = before;
  before = state;
  const asked = fresh(state, last);
  if (last) sounds(state, last, asked);
  const level = settings.speech === "off" ? "full" : settings.speech;
  const alerts = [state.notice, state.trouble].filter(Boolean);
  const alarms = asked.filter((prompt) => prompt.urgent).map((prompt) => prompt.spoken);
  for (const key of ["notice", "trouble"]) if (state[key] && state[key] !== last?.[key]) alarms.push(state[key]);
  const menu = state.menu && state.menu.spoken !== last?.menu?.spoken ? [state.menu.spoken] : [];
  const [told, questions] = sentences(state, last, level, asked);
  calm([...alerts, ...(state.prompts ?? []).map((prompt) => prompt.spoken)]);
  atOnce(alarms);
  politely([...told, ...questions, ...menu]);
  if (settings.speech === "full") say([...alarms, ...questions, ...menu, ...choices()], told);
  else if (last && settings.speech !== "off") say([...told, ...questions, ...menu, ...alarms]);
}

// Speaks the standing of the game and what to do.
export function repeat() {
  if (before?.standing)
    say([before.standing, ...before.prompts.map((prompt) => prompt.spoken), ...choices((offered = ""))]);
}

const played = (state) => state?.screen === "game" || state?.screen === "result";
const names = (state) => state.seats.map((seat) => seat.name).join();
const sameGame = (state, last) =>
  played(last) && last.game === state.game && names(last) === names(state) && last.n <= state.n;

// The prompts that are new. A player who acts twice is asked twice.
function fresh(state, last) {
  if (!played(state)) return [];
  const key = (prompt) => `${prompt.urgent} ${prompt.spoken}`,
    standing = new Set(state.prompts.map(key));
  if (!sameGame(state, last)) known = new Set();
  else if (state.n !== last.n) known = new Set([...known].filter((told) => standing.has(told)));
  const again = (prompt) =>
    prompt.kind === "turn" && state.n !== last?.n && state.turn != null && state.turn === last?.turn;
  const asked = state.prompts.filter((prompt) => again(prompt) || !known.has(key(prompt)));
  for (const told of standing) known.add(told);
  return asked;
}

// Everything new that is not urgent: what has happened, and what is asked.
function sentences(state, last, level, prompts) {
  if (state.screen === "asleep") return [last?.screen === "asleep" ? [] : [state.text], []];
  if (state.screen === "lobby") {
    const text = state.why_not ?? state.prompt;
    return [[], last?.screen === "lobby" && text === (last.why_not ?? last.prompt) ? [] : [text]];
  }
  const asked = prompts.filter((prompt) => !prompt.urgent).map((prompt) => prompt.spoken);
  const ended =
    state.screen === "result" && last?.screen !== "result"
      ? [
          ...remarks(state),
          ...(state.you.may.includes("host")
            ? state.result.ways_on.map((way, number) => `${number + 1}: ${way.label}.`)
            : []),
        ]
      : [];
  const told = sameGame(state, last) ? happened(state, last, level) : [`${state.title}.`, state.standing];
  return [told, [...asked, ...ended]];
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

function sounds(state, last, asked) {
  if (!played(state) || !sameGame(state, last)) return;
  if (state.over && !last.over) sound("end");
  else if (asked.some((prompt) => prompt.urgent)) sound("alert");
  else if (state.moments.some((moment) => moment.n > last.n + 1)) sound("moment");
  else if (state.n !== last.n && state.points.fresh) sound("points");
  else if (state.turn !== last.turn && state.turn != null) sound("turn");
}

let offered = ""; // the choices that were told last

const keyed = (buttons) =>
  buttons
    .filter((button) => !button.closest("[inert]") && button.checkVisibility())
    .map((button) => `${button.getAttribute("aria-keyshortcuts")}: ${called(button)}.`);

// A dialog's question, and its answers with their keys.
const introduced = (dialog) => [
  ...[...dialog.querySelectorAll("h2, #ask-text:not([hidden])")].map((part) => part.textContent),
  ...keyed([...dialog.querySelectorAll("button[aria-keyshortcuts]:enabled")]),
];

// What can be said now, with the keys for it, if it is new.
function choices() {
  const buttons = [
    ...document.querySelectorAll("#prompts button[aria-keyshortcuts], #words button[aria-keyshortcuts]"),
  ];
  const told = keyed(buttons);
  if (told.join() === offered) return [];
  offered = told.join();
  return told;
}

const called = (element) =>
  [
    element.closest("fieldset")?.firstChild.textContent,
    element.ariaLabel ?? element.labels?.[0]?.textContent,
    element.value,
  ]
    .filter((part) => part && part !== "on")
    .join(": ") || element.textContent.replace(/\s+/g, " ").trim();

// What the keyboard comes upon, and the question of a dialog that opens.
let within = null;
document.addEventListener("focusin", ({ target }) => {
  if (settings.speech !== "full" || !target.matches(":focus-visible") || target.matches("main, section")) return;
  const dialog = target.closest("dialog");
  const question = dialog && `${dialog.id} ${dialog.dataset.asked}`;
  const opened = dialog && question !== within ? introduced(dialog) : [];
  within = question;
  say([...opened, target.matches("[role=region]") ? target.innerText.replace(/\s*\n+\s*/g, ". ") : called(target)]);
});

let waiting = []; // what is still to be said, as pairs of a text and whether it is told even if more comes

// Sentences replace those that are waiting, but what has happened (`told`) is said before them, and never left out.
function say(texts, told = []) {
  if (!window.speechSynthesis || !(texts.length + told.length)) return;
  waiting = [
    ...waiting.filter(([, stays]) => stays).slice(-MOST_WAITING),
    ...told.map((text) => [text, true]),
    ...texts.map((text) => [text, false]),
  ];
  if (!said?.[1]) {
    said = null;
    speechSynthesis.cancel();
  }
  if (!said || !speechSynthesis.speaking) next();
}
const MOST_WAITING = 12;
let said = null; // what is being said

function next() {
  const mine = (said = waiting.shift() ?? null);
  if (!mine) return;
  const utterance = new SpeechSynthesisUtterance(mine[0]);
  utterance.lang = document.documentElement.lang;
  utterance.onend = utterance.onerror = () => said === mine && next();
  speechSynthesis.speak(utterance);
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
