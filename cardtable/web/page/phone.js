// The page of a phone: one player's words, hand, turn and score, and before that the page on which it is paired.

import { $, ask, label, make, minus, picture, region, t, withSuits, word } from "./base.js";
import { awake, connect, post, reconnect, send } from "./connection.js";
import { isOpen, laidOut, lying, settle } from "./felt.js";
import { closeIfOver, complete, correcting, headline, oneOf, whichCard } from "./requests.js";
import { acting, gains, places, rulesOf } from "./seats.js";
import { speak } from "./speech.js";

const TURN_MS = 200; // how long the phone vibrates
const inGame = (state) => state.screen === "game" || state.screen === "result";
let before = null; // the last state in which the phone was a seat
let shut = false; // whether the hand is hidden
const AGAIN_MS = 1500; // between two looks whether the board has answered
let again = 0; // the next one
let general = null; // the code for all phones with which a seat is chosen
let seats = null; // the players that are offered

function show(state) {
  const seat = state.you.seat;
  const playing = seat != null;
  $("pairing").hidden = playing;
  $("playing").hidden = !playing;
  awake(state.screen !== "asleep");
  if (playing) play(state, seat);
  else pairing(state);
  if (playing) speak({ ...state, prompts: concerning(state, seat) });
  document.body.dataset.version = state.version;
}

function play(state, seat) {
  const mine = inGame(state) && acting(state).includes(seat);
  if (mine && begins(state, seat)) navigator.vibrate?.(TURN_MS);
  before = state;
  correcting(state);
  document.body.classList.toggle("turn", mine);
  $("turn").textContent = mine ? t("Your turn") : headlineOf(state);
  document.title = `${$("turn").textContent} – ${state.you.player}`;
  region("lying", inGame(state) && laidOut(state), () => (inGame(state) ? lying(state, seat) : []));
  region("scores", [state.seats, state.sides, state.target, seat, state.players], () => scores(state, seat));
  region("prompts", [state.prompts, state.trouble, state.notice], () => prompts(state, seat));
  region("last", [state.points, state.history?.[0], state.prompts], () => last(state));
  region("hand", [state.you.hand, shut], () => hand(state));
  $("hand").hidden = !state.you.hand.length;
  region("words", [inGame(state) && state.seats[seat].words, state.over], () => words(state, seat));
  tools(state, seat);
  if (inGame(state)) closeIfOver(state);
  $("playing").classList.toggle("low", inGame(state) && isOpen(state));
  settle($("playing"));
}

// Whether a turn begins: before, it was another seat's turn, or others have acted since, unless several act at once.
function begins(state, seat) {
  if (!before || !inGame(before) || !acting(before).includes(seat)) return true;
  if (acting(state).length > 1) return false;
  const newest = before.history[0]?.n ?? 0;
  return state.history.some((entry) => entry.n > newest && entry.seat != null && entry.seat !== seat);
}

function headlineOf(state) {
  if (state.screen === "asleep") return state.text;
  if (state.screen === "lobby") return t("The next game is being chosen.");
  if (state.screen === "result") return state.result.headline;
  return state.over ? t("game over") : headline(state);
}

function scores(state, seat) {
  if (!inGame(state)) return (state.players ?? []).map((name) => make("li", {}, name));
  return state.seats.slice(0, state.sides).map((_, side) => {
    const names = state.seats
      .filter((_, number) => number % state.sides === side)
      .map(({ name }) => name)
      .join(" + ");
    const { score, note } = state.seats[side];
    return make(
      "li",
      { class: seat % state.sides === side ? "own" : "" },
      make("span", {}, names),
      make("b", {}, minus(score)),
      note.gained != null ? make("i", {}, note.gained < 0 ? minus(note.gained) : `+${note.gained}`) : null,
    );
  });
}

const concerning = (state, seat) =>
  (state.prompts ?? []).filter(
    (prompt) =>
      prompt.seat == null ||
      prompt.seat === seat ||
      (prompt.kind === "misread-claim" && state.you.may.includes("correct")),
  );

// What this player must do comes first; what concerns only other players is left out.
function prompts(state, seat) {
  const list = concerning(state, seat).sort((a, b) => (b.seat === seat) - (a.seat === seat));
  const trouble = [state.notice, state.trouble && t("Not stored: {reason}", { reason: state.trouble })].filter(Boolean);
  return [
    ...trouble.map((text) =>
      make("p", { class: state.calm && text === state.notice ? "" : "alert" }, ...withSuits(text)),
    ),
    ...list.map((prompt) => make("p", { class: prompt.urgent ? "alert" : "" }, ...withSuits(prompt.text))),
  ];
}

function last(state) {
  const [entry] = state.history ?? [];
  if (!entry || state.prompts.some((prompt) => prompt.text === entry.text)) return [];
  return [...withSuits(entry.text), ...gains(entry.points, state)];
}

function hand(state) {
  const turn = () => {
    shut = !shut;
    play(before, before.you.seat);
  };
  const button = make(
    "button",
    { onclick: turn },
    shut ? t("Show my hand ({number})", { number: state.you.hand.length }) : t("Hide"),
  );
  return shut
    ? [button]
    : [
        make(
          "div",
          { class: "cards", style: { "--n": Math.min(Math.max(state.you.hand.length, 5), 8) } },
          ...state.you.hand.map((card) => picture(card)),
        ),
        button,
      ];
}

// The words that can be said now.
function words(state, seat) {
  if (!inGame(state) || state.over) return [];
  const groups = new Set();
  return state.seats[seat].words.map((item) => {
    if (item.group)
      return groups.has(item.group)
        ? null
        : groups.add(item.group) &&
            make("button", { class: "main", onclick: () => sayOneOf(seat, item.group) }, `${word(item.group)}…`);
    return make(
      "button",
      { class: item.needs.length ? "" : "main", onclick: () => say(seat, item) },
      ...withSuits(label(item) + (item.needs.length ? "…" : "")),
    );
  });
}

async function sayOneOf(seat, group) {
  const chosen = await oneOf(seat, group, before);
  if (chosen) send({ do: "say", seat, word: chosen });
}

async function say(seat, chosen) {
  const message = await complete(seat, chosen, before);
  if (message) send(message);
}

function tools(state, seat) {
  const claimed = (state.prompts ?? []).some((prompt) => prompt.kind === "misread-claim" && prompt.seat === seat);
  $("misread").hidden = !inGame(state) || !state.you.may.includes("say");
  $("misread").textContent = claimed ? t("It was read right after all") : t("The table misread me");
  $("misread").onclick = () => (claimed || !state.you.may.includes("correct") ? claim(seat, claimed) : correct(seat));
  rulesOf($("rules-button"), state);
  $("undo").hidden = !inGame(state) || !state.you.may.includes("undo") || !state.history?.length;
  $("undo").onclick = () => takeBack(state);
  region("own", [state.you.role, state.you.player], () => [
    make("p", {}, t("This is {name}’s phone.", { name: state.you.player })),
    make(
      "a",
      { href: "./", class: "button" },
      state.you.role === "director" ? t("Direct the table") : t("See the table"),
    ),
    make("a", { href: "./#history", class: "button" }, t("History")),
    make("a", { href: "app", class: "button" }, t("The table as an app")),
    make("button", { onclick: leave }, t("Not my phone any more")),
  ]);
}

const claim = (seat, over) => send({ do: "misread", seat, over });

// On a phone that may correct, the player names the card or leaves it to the others.
async function correct(seat) {
  if ((await whichCard(seat, [["claim", make("button", {}, t("Let the others correct it"))]])) === "claim")
    claim(seat, false);
}

async function takeBack(state) {
  const [{ text }] = state.history;
  if (await ask(t("Really take back: {action}?", { action: text }), [[true, make("button", {}, t("Take back"))]]))
    send({ do: "undo", n: state.n });
}

async function leave() {
  if (!(await post("phone/leave"))) return;
  $("settings-sheet").close();
  before = null;
  reconnect();
}

addEventListener("no-place", () => {
  $("pairing").hidden = !$("playing").hidden;
}); // a paired phone gets a place
document.fonts.addEventListener("loadingdone", () => settle($("playing")));
connect(show, "?as=phone");

// The page of an unpaired phone: the code or the PIN is typed, and a seat chosen. A QR code has the code after the # of
// its address.

function pairing(state) {
  const { role, player } = state.you;
  document.title = t("Card table");
  $("away").textContent =
    role === "director"
      ? t("This is the director’s device.")
      : player
        ? t("{name} does not sit at the table now. This phone waits until {name} plays again.", { name: player })
        : state.screen === "lobby"
          ? t("Scan the code on the board, or type it here.")
          : t("Touch ☰ on the board, then “Your phone”, and scan the code.");
  $("watch").textContent = role === "director" ? t("Direct the table") : t("Watch the table without a seat");
  $("pin-form").hidden = role === "director";
  const names = state.players ?? state.seats?.map((seat) => seat.name);
  if (general && names && names.join() !== seats.map(({ name }) => name).join()) pair(general); // others sit there now
}

async function pair(code, player = null) {
  clearTimeout(again); // a phone asks for one seat at a time
  const answer = await post("phone/pair", player == null ? { code } : { code, player });
  if (answer?.seats) {
    general = code;
    choose(answer.seats);
  } else if (answer?.ask) {
    $("tap").textContent = t("The board is asked whether you may. Wait a moment.");
    again = setTimeout(() => pair(answer.ask), AGAIN_MS);
  } else if (answer) {
    general = null;
    $("code").value = "";
    choose(null);
    reconnect();
  } else if (general && code !== general)
    choose(seats); // the board has refused: another seat may be chosen
  else {
    general = null; // the code is no longer valid
    choose(null);
  }
}

// Shows the players as they sit; one that has a phone already is dimmed.
function choose(offered) {
  seats = offered;
  $("pairing").classList.toggle("choosing", seats != null);
  $("where").hidden = seats == null;
  if (seats == null) return;
  const where = places(Math.max(seats.length, 2));
  $("tap").textContent = seats.length ? t("Tap your name.") : t("Choose the players on the board first.");
  $("around").replaceChildren(
    ...seats.map(({ name, held }, seat) =>
      make("button", { class: `chip ${where[seat]}${held ? " held" : ""}`, onclick: () => pair(general, name) }, name),
    ),
  );
  $("taken").textContent = seats
    .filter(({ held }) => held)
    .map(({ name }) => t("{name}’s phone is here already.", { name }))
    .join(" ");
}

async function direct(pin) {
  $("pin").value = "";
  if (await post("director", { pin })) location.href = "./";
}

$("code-form").addEventListener("submit", (event) => {
  event.preventDefault();
  pair($("code").value);
});
$("pin-form").addEventListener("submit", (event) => {
  event.preventDefault();
  direct($("pin").value);
});
if (location.hash.length > 1) {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname); // so that going back does not try it again
  pair(code);
}
