// The history: evenings, games, players, and the replay on the felt.

import { $, day, make, minus, politely, t, withSuits } from "./base.js";
import { drawLive, drawReplayed, holdBack, send } from "./connection.js";
import { gains } from "./seats.js";

// The history: all games, players and evenings, and single games with their score.

let view = { tab: "games", player: "", game: "", id: null };
let asked = 0; // the newest request: answers to older ones are ignored

const TABS = { games: t("Games"), players: t("Players"), evenings: t("Evenings") };
const sheet = make(
  "dialog",
  { id: "past", "aria-labelledby": "past-title" },
  make(
    "header",
    {},
    make("h2", { id: "past-title" }, t("History")),
    make("nav", { id: "past-tabs", "aria-label": t("History") }),
    make("button", { class: "quiet", "aria-label": t("Close"), onclick: () => sheet.close() }, "✕"),
  ),
  make("div", { id: "past-choice" }),
  make("p", { id: "past-note" }),
  make("div", { id: "past-body", tabindex: "0", role: "region", "aria-labelledby": "past-title" }),
);
document.body.append(sheet);
await new Promise((done) =>
  document.head.append(make("link", { rel: "stylesheet", href: "past.css", onload: done, onerror: done })),
);

export function openPast() {
  sheet.showModal();
  show({ tab: "games", player: "", game: "", id: null });
}

// Shows another part of the history.
function show(change) {
  view = { ...view, ...change };
  asked += 1;
  const number = asked;
  $("past-tabs").replaceChildren(
    ...Object.entries(TABS).map(([tab, text]) =>
      make(
        "button",
        { "aria-pressed": String(view.id == null && view.tab === tab), onclick: () => show({ tab, id: null }) },
        text,
      ),
    ),
  );
  $("past-note").textContent = "";
  $("past-body").setAttribute("aria-busy", "true");
  for (const key of ["player", "game"]) if ($(`past-${key}`)) $(`past-${key}`).value = view[key];
  $("past-choice").hidden = view.id != null || view.tab === "evenings";
  const fill = view.id != null ? oneGame : { games, players, evenings }[view.tab];
  fill(number).catch((error) => {
    if (number === asked) {
      $("past-note").textContent = error.message;
      $("past-body").replaceChildren();
      $("past-body").setAttribute("aria-busy", "false");
    }
  });
}

// Shows the content.
function put(number, content) {
  if (number !== asked) return;
  $("past-body").replaceChildren(...content);
  $("past-body").scrollTop = 0;
  $("past-body").setAttribute("aria-busy", "false");
  $("past-note").textContent = "";
}

// The games

async function games(number) {
  const answer = await past("games.json", { player: view.player, game: view.game });
  if (number !== asked) return;
  choices(answer);
  const list = make("div", { class: "rows" }, ...answer.games.map(row));
  put(number, answer.games.length ? [list, more(list, answer)] : [make("p", {}, t("No games yet."))]);
}

function more(list, answer) {
  const button = make(
    "button",
    {
      hidden: !answer.more,
      onclick: async () => {
        const next = await past("games.json", { player: view.player, game: view.game, before: answer.games.at(-1).id });
        list.append(...next.games.map(row));
        button.replaceWith(more(list, next));
      },
    },
    t("Older games"),
  );
  return button;
}

function row(game) {
  const sides = game.sides
    .toSorted(byRank)
    .flatMap((side, number) => [
      number ? " – " : "",
      make(side.won ? "b" : "span", {}, `${side.name} ${minus(side.score)}`),
    ]);
  const state = game.error ? t("cannot be read: {why}", { why: game.error }) : game.over ? "" : t("not over");
  return make(
    "button",
    { class: "wide", onclick: () => show({ id: game.id }) },
    make("b", {}, game.title || "?"),
    " ",
    ...(sides.length ? sides : [game.players.join(", ")]),
    make("small", {}, [day(game.started), state].filter(Boolean).join(" · ")),
  );
}

// The choice of player and game. The lists are redrawn only if their names change, so that they keep the focus.
function choices({ players, kinds }) {
  const names = JSON.stringify([players, kinds]);
  if ($("past-choice").dataset.names === names) return;
  $("past-choice").dataset.names = names;
  const select = (label, key, options) =>
    make(
      "label",
      {},
      `${label} `,
      make(
        "select",
        { id: `past-${key}`, onchange: (event) => show({ [key]: event.target.value }) },
        make("option", { value: "" }, t("all")),
        ...options.map(([value, text]) => make("option", { value, selected: view[key] === value }, text)),
      ),
    );
  $("past-choice").replaceChildren(
    select(
      t("Player"),
      "player",
      players.map((name) => [name, name]),
    ),
    select(
      t("Game"),
      "game",
      kinds.map((kind) => [kind.game, kind.title]),
    ),
  );
}

// The players

async function players(number) {
  const answer = await past("statistics.json", { player: view.player, game: view.game });
  if (number !== asked) return;
  choices(answer);
  const whole = answer.rows.filter((line) => (view.player || view.game ? true : line.name == null));
  const choose = (change, text) => make("button", { class: "name", onclick: () => show(change) }, text);
  const name = ({ player, name, title }) =>
    !view.player
      ? choose({ player }, player)
      : name && !view.game
        ? choose({ game: name }, title)
        : (title ?? t("all games"));
  const scores = whole.some((line) => line.average != null);
  const content = [
    table(
      [
        view.player ? t("Game") : t("Player"),
        t("played"),
        t("won"),
        ...(scores ? [t("average"), t("best")] : []),
        t("revokes"),
        t("longest run"),
      ],
      whole.map((line) => [
        name(line),
        line.played,
        line.won,
        ...(scores ? [line.average == null ? "" : minus(tenths(line.average)), minus(line.best ?? "")] : []),
        line.revokes,
        line.run,
      ]),
    ),
  ];
  const { player, game } = view;
  if (player && game && whole.length) content.push(await curve("scores.svg", { player, game }));
  if (player && answer.against.length)
    content.push(
      make("h3", {}, t("{name} against", { name: player })),
      table(
        [t("Player"), t("played"), t("won"), t("lost")],
        answer.against.map((line) => [line.other, line.played, line.won, line.lost]),
      ),
    );
  put(number, whole.length ? content : [make("p", {}, t("No games yet."))]);
}

// The evenings

async function evenings(number) {
  const answer = await past("statistics.json");
  const content = answer.evenings.map((evening) =>
    make(
      "section",
      {},
      make("h3", {}, day(evening.began)),
      make(
        "p",
        {},
        ...evening.players.flatMap((score, index) => [
          index ? " · " : "",
          `${score.player} `,
          make("b", {}, `${score.won}/${score.played}`),
        ]),
      ),
    ),
  );
  put(number, content.length ? content : [make("p", {}, t("No games yet."))]);
}

// One game

async function oneGame(number) {
  const about = await past("game.json", { id: view.id });
  const open =
    !about.over &&
    !about.error &&
    about.steps.length &&
    !$("lobby").hidden &&
    document.body.dataset.may?.split(" ").includes("host");
  const goOn = () => {
    sheet.close();
    send({ do: "go-on", id: about.id });
  };
  const content = await pastGame(
    about,
    () => show({ id: null }),
    () => {
      sheet.close();
      replay(about);
    },
    open ? goOn : null,
  );
  put(number, content);
}

// The last tricks of the game in progress

export async function lastTrick() {
  const about = await past("game.json", { id: "now" });
  replay(about, about.last, true);
}

// One game of the history: its result, its score as a curve and as a table, and the downloads.

// Returns the content. `leave` returns to the list; `again` replays the game; `goOn` continues it (null: impossible).
async function pastGame(about, leave, again, goOn) {
  const link = (file, text) =>
    make("a", { class: "button", href: `history/${file}?id=${about.id}`, download: "" }, text);
  return [
    make(
      "nav",
      {},
      make("button", { onclick: leave }, t("All games")),
      goOn ? make("button", { class: "main", onclick: goOn }, t("Go on")) : null,
      make("button", { class: "main", disabled: !about.steps.length, onclick: again }, t("Replay")),
      link("game.svg", t("Picture")),
      link("game.csv", t("CSV")),
      link("game.jsonl", t("Record")),
    ),
    make("h3", {}, `${about.title} · ${day(about.started)}${about.over ? "" : ` · ${t("not over")}`}`),
    make(
      "ol",
      { class: "sides" },
      ...about.sides
        .toSorted(byRank)
        .map((side) => make("li", { class: side.won ? "won" : "" }, `${side.name} `, make("b", {}, minus(side.score)))),
    ),
    await curve("game.svg", { id: about.id }),
    make(
      "details",
      {},
      make("summary", {}, t("The score as a table")),
      table(
        [t("Action"), ...about.sides.map((side) => side.name)],
        scored(about).map((step) => [step.text, ...step.scores.map(minus)]),
      ),
    ),
  ].filter(Boolean);
}

// The actions that changed the score.
const scored = ({ steps }) =>
  steps.filter(
    (step, number) => String(step.scores) !== String(number ? steps[number - 1].scores : step.scores.map(() => 0)),
  );

// The table draws the picture, which contains its own description.
export async function curve(file, wanted) {
  const text = await fetch(`history/${file}?${new URLSearchParams(wanted)}`)
    .then((answer) => (answer.ok ? answer.text() : ""))
    .catch(() => "");
  if (!text) return "";
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return picture.localName === "svg" ? document.adoptNode(picture) : "";
}

// Shared parts of the history: requests, times, tables.

// A number with one decimal, with the decimal mark of the language.
const tenths = (number) =>
  new Intl.NumberFormat(document.documentElement.lang, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    useGrouping: false,
  }).format(number);

// The order of the sides in a result: the winner first.
const byRank = (a, b) => a.rank - b.rank;

// Returns the answer of the table; throws an error with its sentence if it refuses.
async function past(what, wanted = {}) {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== "" && value != null));
  const answer = await fetch(`history/${what}?${query}`).catch(() => null);
  if (!answer) throw new Error(t("No connection to the table. Trying again…"));
  const content = await answer.json().catch(() => ({ error: t("There is no history here.") }));
  if (!answer.ok) throw new Error(content.error ?? t("There is no history here."));
  return content;
}

// A table with these headings. A cell is a text, a number or an element; the first is the heading of its row.
function table(heads, rows) {
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make(
      "tbody",
      {},
      ...rows.map((cells) =>
        make(
          "tr",
          {},
          ...cells.map((cell, column) =>
            make(
              column ? "td" : "th",
              column ? { "data-head": heads[column] } : { scope: "row" },
              cell instanceof Node ? cell : String(cell),
            ),
          ),
        ),
      ),
    ),
  );
}

// Replays a game step by step on the board's own felt, or the last tricks of the game in progress.

const CHUNK = 40,
  STEP_MS = 1300,
  TRICK_MS = 900,
  QUICK_MS = 6500,
  QUICK_STEP_MS = [150, 1300],
  QUICK_END_MS = 2300,
  LEAST_MS = 100;
let game = null; // the replayed game, or null
let back = null; // what had the focus before

// Replays the game with this answer of `game.json`. `quick`: play from step `first` to the end, then return, within ten
// seconds.
async function replay(about, first = 0, quick = false) {
  const pace = quick
    ? Math.min(Math.max(QUICK_MS / Math.max(about.steps.length - first, 1), QUICK_STEP_MS[0]), QUICK_STEP_MS[1])
    : STEP_MS;
  back = document.activeElement;
  holdBack(stop);
  game = { about, states: new Map(), at: 0, timer: null, playing: false, quick, pace, picture: false, due: 0 };
  document.body.classList.add("replaying");
  for (const id of ["lobby", "asleep", "result", "tools", "prompts", "words"]) $(id).hidden = true;
  $("table").hidden = false;
  document.body.append(controls());
  $("table").append(make("img", { id: "replay-picture", alt: t("What the camera saw then"), hidden: true }));
  await go(first);
  $("replay-play")?.focus();
  if (quick && game) play();
}

function stop() {
  if (!game) return;
  clearTimeout(game.timer);
  game = null;
  $("replay").remove();
  $("replay-picture").remove();
  document.body.classList.remove("replaying");
  $("tools").hidden = $("words").hidden = false;
  drawLive();
  if (back?.isConnected) back.focus();
}

async function load(at) {
  if (game.states.has(at)) return;
  const from = Math.floor(at / CHUNK) * CHUNK,
    wanted = game;
  const answer = await fetch(`history/steps.json?id=${game.about.id}&from=${from}&count=${CHUNK}`);
  const { first, steps } = await answer.json();
  steps.forEach((step, number) => wanted.states.set(first + number, step));
}

async function go(to) {
  const wanted = game;
  game.at = Math.min(Math.max(to, 0), game.about.steps.length);
  const at = game.at;
  await load(at).catch(() => {});
  if (game !== wanted || game.at !== at || !game.states.has(at)) return;
  const { state, hands } = game.states.get(at);
  drawReplayed(state);
  draw(at, state, hands);
  if (at + 1 <= game.about.steps.length) load(at + 1).catch(() => {});
}

function draw(at, state, hands) {
  const entry = game.about.steps[at - 1];
  $("replay-text").replaceChildren(...(entry ? sentence(entry, state) : [t("The beginning")]));
  $("replay-at").textContent = `${at} / ${game.about.steps.length}`;
  const slider = $("replay-slider");
  slider.value = at;
  slider.setAttribute("aria-valuetext", $("replay-text").textContent);
  const known = state.seats.map((seat, number) => [seat.name, hands[number] ?? []]).filter(([, cards]) => cards.length);
  $("replay-hands").replaceChildren(
    ...withSuits(known.map(([name, cards]) => `${name}: ${cards.map(glyph).join(" ")}`).join(" · ")),
  );
  $("replay-picture-button").hidden = !game.about.steps.some((step) => step.picture);
  $("replay-picture-button").setAttribute("aria-pressed", String(game.picture));
  const picture = game.picture && entry?.picture;
  $("replay-picture").hidden = !picture;
  if (picture) $("replay-picture").src = `history/moment.jpg?id=${game.about.id}&line=${entry.n}`;
  if (!game.playing) politely([$("replay-text").textContent]);
}

const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const glyph = (card) => card.replace(/^(\w+)([SHDC])$/, (all, rank, suit) => rank + SIGNS[suit]);
const sentence = (entry, state) => [
  ...withSuits(entry.text),
  ...gains(entry.points, state),
  ...entry.events.map((event) => ` · ${event}`),
];

function play(yes = true) {
  clearTimeout(game.timer);
  if (yes && !game.playing) game.due = performance.now();
  game.playing = yes;
  $("replay-play").textContent = yes ? "❚❚" : "▶";
  $("replay-play").setAttribute("aria-label", yes ? t("Pause") : t("Play"));
  if (!yes) return;
  if (game.at >= game.about.steps.length) {
    if (game.quick) game.timer = setTimeout(stop, QUICK_END_MS);
    else play(false);
    return;
  }
  const pause = game.at && game.about.steps[game.at - 1].ends && !game.quick ? TRICK_MS : 0;
  game.due += game.pace + pause; // so the time for loading and drawing a step does not accumulate
  game.timer = setTimeout(
    async () => {
      await go(game.at + 1);
      if (game?.playing) play();
    },
    Math.max(game.due - performance.now(), LEAST_MS),
  );
}

function by(steps) {
  play(false);
  go(game.at + steps);
}

// Goes to the next or previous end of a trick, or of a hand.
function jump(direction, kinds) {
  play(false);
  const ends = [
    0,
    ...game.about.steps.flatMap((step, number) => (kinds.includes(step.ends) ? [number + 1] : [])),
    game.about.steps.length,
  ];
  go(direction > 0 ? (ends.find((end) => end > game.at) ?? game.at) : (ends.findLast((end) => end < game.at) ?? 0));
}

const TRICKS = ["trick", "hand", "game"],
  HANDS = ["hand", "game"];

function controls() {
  const button = (label, sign, onclick, id = null) =>
    make("button", { "aria-label": label, title: label, onclick, id }, sign);
  const last = game.about.steps.length;
  return make(
    "footer",
    { id: "replay" },
    make("p", { id: "replay-text" }),
    make("p", { id: "replay-hands" }),
    make("input", {
      id: "replay-slider",
      type: "range",
      min: 0,
      max: last,
      value: 0,
      "aria-label": t("Step"),
      oninput: (event) => {
        play(false);
        go(Number(event.target.value));
      },
    }),
    make(
      "nav",
      { "aria-label": t("Replay") },
      button(t("Previous hand"), "⇤", () => jump(-1, HANDS)),
      button(t("Previous trick"), "«", () => jump(-1, TRICKS)),
      button(t("Back one step"), "‹", () => by(-1)),
      button(t("Play"), "▶", () => play(!game.playing), "replay-play"),
      button(t("Forward one step"), "›", () => by(1)),
      button(t("Next trick"), "»", () => jump(1, TRICKS)),
      button(t("Next hand"), "⇥", () => jump(1, HANDS)),
      button(
        t("Camera"),
        "◉",
        () => {
          game.picture = !game.picture;
          go(game.at);
        },
        "replay-picture-button",
      ),
      make("span", { id: "replay-at" }),
      button(t("Back to the table"), "✕", stop, "replay-close"),
    ),
  );
}

const KEYS = {
  ArrowRight: () => by(1),
  ArrowLeft: () => by(-1),
  PageDown: () => jump(1, TRICKS),
  PageUp: () => jump(-1, TRICKS),
  End: () => jump(1, HANDS),
  Home: () => jump(-1, HANDS),
  Escape: stop,
  " ": () => play(!game.playing),
};
document.addEventListener("keydown", (event) => {
  if (!game || !(event.key in KEYS) || document.querySelector("dialog[open]")) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  event.preventDefault();
  KEYS[event.key]();
});
