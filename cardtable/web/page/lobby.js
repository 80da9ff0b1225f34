// The lobby: the game, its options, the players, what the table sees, and the start.

import { ask } from "./ask.js";
import { offered, watchOffer } from "./care_offer.js";
import { send } from "./connection.js";
import { checks } from "./checks.js";
import { $, make, region } from "./dom.js";
import { enlarge, overflows, shrink } from "./fit.js";
import { options, valued } from "./options.js";
import { openPast } from "./past-open.js";
import { day } from "./past-parts.js";
import { seatsAround } from "./players.js";
import { openSettings } from "./settings.js";
import { minus, t } from "./texts.js";

const OFFERED = 8; // most unfinished games that the table offers
let picked = null; // the chosen game
let last = null;

export function lobby(state) {
  const chosen = state.games.find((game) => game.game === state.game);
  document.title = t("Card table");
  picked = chosen;
  last = state;
  const mine = state.you.may.includes("host"); // otherwise the page only shows what is chosen
  const drawn = region("games", [state.games, state.game, mine], () =>
    state.games.map((game) => tile(game, game === chosen, mine)),
  );
  if (drawn) inRows(state.games.length);
  if (drawn) $("games").querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  region(
    "around",
    [mine, state.players, state.remembered, state.most_players, state.dealer, state.first_does, state.focus],
    () => seatsAround(state),
  );
  region("choice", [chosen, state.players.length], () => (chosen ? choice(chosen) : [make("p", { class: "about" })]));
  checks(state);
  region(
    "start",
    [
      mine,
      state.prompt,
      state.ready,
      state.asks_dealer,
      state.why_not,
      state.unfinished,
      state.unreadable,
      state.tally,
      state.next_round,
      offered(),
    ],
    () => start(state),
  );
  fitChoice();
  options(chosen, mine);
}

// Uses as few rows of games as fit, all of about the same length.
function inRows(count) {
  for (const [name, most] of [
    ["--wide", count > 15 ? 6 : 5],
    ["--tall", count > 9 ? 4 : 3],
  ])
    $("games").style.setProperty(name, Math.ceil(count / Math.ceil(count / most)));
  $("games").classList.toggle("few", count <= 10);
}

const fits = () =>
  ["lobby", "games", "choice", "around", "start"].every((part) => !overflows($(part))) &&
  [...$("games").children].every((game) => !overflows(game));
function fitChoice() {
  if (!$("lobby").hidden)
    enlarge(
      () => shrink($("lobby"), 0.6, fits),
      () => !fits(),
    );
}
addEventListener("resize", fitChoice);
watchOffer(() => last && !$("lobby").hidden && lobby(last));

function tile(game, chosen, mine) {
  return make(
    "button",
    {
      role: "radio",
      "aria-checked": String(chosen),
      class: `game${chosen ? " chosen" : ""}`,
      disabled: Boolean(game.broken),
      title: game.broken ?? game.about,
      "aria-disabled": mine ? null : "true",
      onclick: mine ? () => send({ do: "choose-game", game: game.game }) : null,
      onpointerenter: () => describe(game),
      onfocus: () => describe(game),
      onpointerleave: () => describe(null),
      onblur: () => describe(null),
    },
    make("img", { src: game.picture, alt: "" }),
    make("span", {}, game.title),
  );
}

// Describes the game under the finger, pointer or keyboard focus, or otherwise the chosen one.
function describe(game) {
  const about = $("choice").querySelector(".about");
  about?.replaceChildren(...sentence(game ?? picked));
  fitChoice();
}

// The arrow keys choose the next game, as in every group of radio buttons.
$("games").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const tiles = [...$("games").querySelectorAll("button:enabled")];
  const at = tiles.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  const next = tiles[(at + step + tiles.length) % tiles.length];
  next.focus();
  next.click();
});

const span = (seats) => (seats.length > 1 ? `${seats[0]}–${seats.at(-1)}` : `${seats[0]}`);

function sentence(game) {
  if (!game || game.broken) return [game?.broken ?? ""];
  return [make("b", {}, t("{span} players.", { span: span(game.seats) })), " ", game.about];
}

function choice(game) {
  const changed = game.options.filter((option) => option.value !== option.default).map(valued);
  return [
    make("h1", {}, game.title),
    make("p", { class: "about" }, ...sentence(game)),
    game.options.length
      ? make(
          "button",
          { "aria-keyshortcuts": "O", onclick: () => $("options-sheet").showModal() },
          changed.length ? t("Options: {changed}", { changed: changed.join(", ") }) : t("Options…"),
        )
      : null,
  ].filter(Boolean);
}

const icon = (key, label, sign, onclick) =>
  make("button", { "aria-keyshortcuts": key, "aria-label": label, title: label, onclick }, sign);

function start(state) {
  const [newest] = state.unfinished;
  const seats = state.next_round;
  const prompt = make("p", { class: "prompt" }, state.why_not ?? state.prompt);
  const always = [icon("H", t("History"), "▤", openPast), icon("S", t("Settings"), "⚙", openSettings)];
  if (!state.you.may.includes("host")) return [prompt, make("nav", {}, ...always)];
  return [
    prompt,
    make(
      "nav",
      {},
      seats && !seats.ready ? icon("R", t("Next round"), "⚑", () => nextRound(seats)) : null,
      newest
        ? make(
            "button",
            {
              "aria-keyshortcuts": "G",
              title: `${newest.title}: ${newest.players.join(", ")}`,
              onclick: () => goOn(state),
            },
            t("Go on…"),
          )
        : null,
      state.unreadable.length
        ? make(
            "button",
            {
              "aria-label": t("Games that cannot be read: {number}", { number: state.unreadable.length }),
              onclick: () => unreadable(state),
            },
            `⚠ ${state.unreadable.length}`,
          )
        : null,
      offered()
        ? icon("U", t("Update to version {version}", { version: offered() }), "⬆", () => {
            location.href = "care";
          })
        : null,
      always[0],
      icon("Z", t("Good night"), "☾", () => send({ do: "good-night" })),
      always[1],
      make(
        "button",
        {
          class: "main",
          "aria-keyshortcuts": "B",
          disabled: !state.ready && !state.asks_dealer,
          onclick: () => begin(state),
        },
        t("Begin"),
      ),
    ),
  ];
}

// Asks who deals first if the players do not cut for it and it was not chosen.
async function begin({ asks_dealer, first_does, players }) {
  const seat = asks_dealer
    ? await ask(
        t("Who {does}?", { does: first_does }),
        players.map((name, number) => [number, make("button", {}, name)]),
      )
    : null;
  if (asks_dealer && seat == null) return;
  if (asks_dealer) send({ do: "set-dealer", seat });
  send({ do: "begin" });
}

async function nextRound({ round, players }) {
  const ready = await ask(t("Round {round}: {players}", { round, players: players.join(", ") }), [
    [true, make("button", { class: "wide" }, t("We are ready"))],
  ]);
  if (ready) send({ do: "ready-for-round", round });
}

async function goOn(state) {
  const older = state.unfinished.length < OFFERED ? [] : [["older", make("button", {}, t("Older games"))]];
  const id = await ask(t("Which game goes on?"), [
    ...state.unfinished.map((game) => [
      game.id,
      make(
        "button",
        { class: "wide" },
        make("b", {}, game.title),
        ` ${game.players.join(", ")}${game.scores.length ? `: ${game.scores.map(minus).join(" – ")}` : ""}`,
        make("small", {}, day(game.last)),
      ),
    ]),
    ...older,
  ]);
  if (id === "older") openPast();
  else if (id != null) send({ do: "go-on", id });
}

function unreadable(state) {
  ask(
    t("These games stay stored, but cannot be continued."),
    state.unreadable.map((game) => [
      game.id,
      make(
        "button",
        { class: "wide" },
        make("b", {}, `${game.title || game.id} `),
        game.players.join(", "),
        make("small", {}, game.reason),
      ),
    ]),
  );
}
