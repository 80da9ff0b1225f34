// The history: all games, players and evenings, and single games with their score.

import { send } from "./connection.js";
import { $, make } from "./dom.js";
import { curve, pastGame } from "./past-game.js";
import { byRank, day, past, table, tenths } from "./past-parts.js";
import { replay } from "./replay.js";
import { minus, t } from "./texts.js";

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
  const fill = view.id != null ? game : { games, players, evenings }[view.tab];
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

async function game(number) {
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
