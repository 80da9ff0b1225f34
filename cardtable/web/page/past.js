// The history: the evenings, each with its games and moments; a player; the records of each game; two sides head to head.
// What is shown is in the page's address, after ADDRESS.

import { $, ask, make, minus, narrow, picture, sign, t } from "./base.js";
import { send } from "./connection.js";
import { HIGH, lines, replay } from "./replay.js";

const AGAIN_MS = 150; // until the table is asked again for what was not ready
const FAN = 5; // cards of a moment that are shown
const TALLY = 4; // players in the tally of an evening
const OPPONENTS = 8; // of a player, those met most often
const ADDRESS = "#history";

const TABS = { evenings: t("Evenings"), players: t("Players"), records: t("Records"), versus: t("Head to head") };
// `player`, `game`: those that are shown, or to which the evenings are restricted. `id`: an evening. `shown`: its game.
const BEGINNING = { tab: "evenings", id: "", shown: "", player: "", game: "", one: "", other: "" };
let view = BEGINNING;
let asked = 0; // the newest request: answers to older ones are ignored
let from = 0; // how far the list of evenings was scrolled

const sheet = make(
  "dialog",
  { id: "past", "aria-labelledby": "past-title" },
  make(
    "header",
    {},
    make("button", { id: "past-back", class: "tool", onclick: goBack }, sign("M20 12H5M11 6l-6 6 6 6")),
    make("h2", { id: "past-title", class: "fit" }),
    make("div", { id: "past-head" }),
  ),
  make("p", { id: "past-note", role: "status" }),
  make("div", { id: "past-body" }),
);
document.body.append(sheet);
sheet.addEventListener("cancel", (event) => {
  event.preventDefault();
  goBack();
});
await new Promise((done) =>
  document.head.append(make("link", { rel: "stylesheet", href: "past.css", onload: done, onerror: done })),
);

export function openPast() {
  sheet.showModal();
  view = addressed();
  show({});
}

sheet.addEventListener("close", () => history.replaceState(null, "", location.pathname + location.search));
addEventListener("popstate", () => {
  if (!location.hash.startsWith(ADDRESS)) sheet.close();
  else if (!sheet.open) openPast();
  else show(addressed());
});

const addressed = () => ({
  ...BEGINNING,
  ...(location.hash.startsWith(ADDRESS) ? Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])) : {}),
});

function address() {
  const said = Object.entries(view).filter(([key, value]) => String(value) !== BEGINNING[key]);
  return said.length ? `${ADDRESS}?${new URLSearchParams(said)}` : ADDRESS;
}

function goBack() {
  if (!view.id) sheet.close();
  else show({ id: "", shown: "" });
}

// Shows another part of the history.
function show(change) {
  if (view.tab === "evenings" && !view.id) from = $("past-body").scrollTop;
  view = { ...view, ...change };
  if (location.hash !== address()) history.pushState(null, "", address());
  asked += 1;
  $("past-note").textContent = "";
  $("past-body").setAttribute("aria-busy", "true");
  $("past-back").setAttribute("aria-label", view.id ? t("All evenings") : t("Close"));
  if (!view.id) head(t("History"), tabs());
  fill(asked).catch((error) => {
    $("past-note").textContent = error.message;
    put([]);
  });
}

function head(title, content, under = "") {
  $("past-title").replaceChildren(title, ...(under ? [make("small", {}, under)] : []));
  $("past-head").replaceChildren(content);
  narrow($("past-title").parentElement);
}

const tabs = () =>
  make(
    "nav",
    { "aria-label": t("History") },
    ...Object.entries(TABS).map(([tab, text]) =>
      make("button", { "aria-pressed": String(view.tab === tab), onclick: () => show({ ...BEGINNING, tab }) }, text),
    ),
  );

// Asks for what is shown, and draws it; again while the table is still looking through games.
async function fill(number) {
  const page = view.id ? evening : ({ players, records, versus }[view.tab] ?? evenings);
  for (;;) {
    const answer = await page.ask();
    if (number !== asked || !sheet.open) return;
    put(page.draw(answer), page.name);
    $("past-note").textContent = answer.left ? t("Looking through older games…") : "";
    if (!answer.left) return;
    await new Promise((done) => setTimeout(done, AGAIN_MS));
    if (number !== asked || !sheet.open) return;
  }
}

// Shows the content; the focus stays where it was.
function put(content, name = "") {
  const body = $("past-body"),
    same = body.className === name;
  const places = () => [...body.querySelectorAll("button, select, a")];
  const at = same ? places().indexOf(document.activeElement) : -1,
    scrolled = same ? body.scrollTop : name === "evenings" ? from : 0;
  body.className = name;
  body.replaceChildren(...content.filter(Boolean));
  body.scrollTop = scrolled;
  if (at >= 0) places()[at]?.focus();
  body.setAttribute("aria-busy", "false");
  narrow(body);
}

const fan = (cards) =>
  make("span", { class: "cards", "data-cards": Math.min(cards.length, FAN) }, ...cards.slice(0, FAN).map(face));
const face = (card) => picture(card, "span", { role: "img" });

const tally = (players) =>
  make(
    "ul",
    { class: "tally" },
    ...players.slice(0, TALLY).map((player) => make("li", {}, `${player.player} `, make("b", {}, player.won))),
  );

// The evenings

let pages = [], // the numbers before which the shown pages of the list begin
  chosen = ""; // the player and the game for which that is so

const evenings = {
  name: "evenings",
  async ask() {
    const { player, game } = view;
    if (chosen !== `${player}/${game}`) [pages, chosen] = [[""], `${player}/${game}`];
    const answers = await Promise.all(pages.map((before) => past("evenings.json", { before, player, game })));
    return {
      ...answers[0],
      evenings: answers.flatMap((answer) => answer.evenings),
      more: answers.at(-1).more,
      left: answers.reduce((sum, answer) => sum + answer.left, 0),
    };
  },
  draw: (answer) => {
    const open = answer.unfinished.map((game) =>
      make(
        "li",
        {},
        make(
          "button",
          { onclick: () => show({ id: game.id, shown: game.id }) },
          make("span", { class: "picture" }),
          make("span", { class: "what" }, make("b", {}, game.title), make("small", {}, game.players.join(", "))),
          make("span", { class: "said" }, t("not over")),
        ),
      ),
    );
    const among = make("p", { class: "among" }, playersChoice(answer, t("all players")), kindsChoice(answer));
    if (!open.length && !answer.evenings.length)
      return [answer.players.length ? among : null, make("p", {}, t("No games yet."))];
    const older = () => {
      pages.push(answer.evenings.at(-1).id);
      show({});
    };
    return [
      among,
      make("ol", { class: "list" }, ...open, ...answer.evenings.map(row)),
      answer.more ? make("button", { onclick: older }, t("Older evenings")) : null,
    ];
  },
};

function row(one) {
  const best = one.moments.find((moment) => moment.cards.length);
  const last = one.games.findLast((game) => game.course);
  const titles = [...new Set(one.games.map((game) => game.title))].join(", ");
  return make(
    "li",
    {},
    make(
      "button",
      { onclick: () => show({ id: one.id, shown: one.games.at(-1).id }) },
      make("span", { class: "picture" }, best ? fan(best.cards) : last ? small(last) : null),
      make(
        "span",
        { class: "what" },
        make("b", {}, nameOf(one.began)),
        make("small", {}, `${date(one.began)} · ${titles}`),
      ),
      best ? make("span", { class: "said" }, best.headline) : null,
      tally(one.players.filter((player) => player.won).slice(0, 2)),
    ),
  );
}

const winners = (game) => game.sides.flatMap((side, number) => (side.won ? [number] : []));
const small = (game) => lines(evenly(game.course.scores), { leading: winners(game) }).picture;

// One evening

const evening = {
  name: "evening",
  ask: () => past("evening.json", { id: view.id }),
  draw(one) {
    const game = one.games.find((each) => String(each.id) === String(view.shown)) ?? one.games.at(-1);
    head(nameOf(one.began), tally(one.players), date(one.began));
    const choose = (each) => {
      view.shown = each.id;
      history.replaceState(null, "", address());
      put(evening.draw(one), evening.name);
    };
    return [
      make(
        "ul",
        { class: "games" },
        ...one.games.map((each) =>
          make(
            "li",
            {},
            make(
              "button",
              { "aria-pressed": String(each === game), onclick: () => choose(each) },
              each.card ? face(each.card) : make("span", { class: "card back", "aria-hidden": "true" }),
              make(
                "span",
                {},
                make("b", { class: "fit" }, winner(each) ?? t("not over")),
                make("span", { class: "fit" }, `${each.title} `, make("b", {}, minus(score(each)))),
              ),
            ),
          ),
        ),
      ),
      story(game),
      make(
        "ul",
        { class: "best" },
        ...one.moments.map((moment) =>
          make(
            "li",
            {},
            make(
              "button",
              { onclick: () => openReplay(moment.id, moment.at) },
              fan(moment.cards),
              make("span", {}, [moment.headline, moment.follows].filter(Boolean).join(". ")),
            ),
          ),
        ),
      ),
      bar(game),
    ];
  },
};

const winner = (game) =>
  game.sides
    .filter((side) => side.won)
    .map((side) => side.name)
    .join(", ") || null;
const score = (game) => (game.sides.find((side) => side.won) ?? game.sides[0])?.score ?? "";

// The curve of a game.
function story(game) {
  if (!game.course) return make("p", { class: "story" }, game.error ?? "");
  const names = game.sides.map((side) => side.name);
  return curves(game.title, names, game.course.scores, winners(game), game.course.target);
}

// Curves with their names at the right end.
function curves(title, names, scores, leading, target = null) {
  const final = scores.at(-1);
  const told = names.map((name, side) => `${name} ${minus(final[side])}`).join(", ");
  const { picture: drawn, y, aim } = lines(evenly(scores), { leading, target, label: `${title}: ${told}` });
  const labels = names.map((name, side) => make("span", { class: leading.includes(side) ? "lead" : "" }, name));
  const box = make(
    "div",
    {},
    drawn,
    aim ? make("b", { class: "goal", style: { top: `${y(target)}%` } }, target) : null,
    ...labels,
  );
  // No name covers another.
  new ResizeObserver(() => {
    box.style.removeProperty("--fit");
    const fits = Math.min(1, box.clientHeight / (labels.length * labels[0].offsetHeight));
    box.style.setProperty("--fit", fits);
    const places = apart(final.map(y), (fits * 100 * labels[0].offsetHeight) / box.clientHeight);
    labels.forEach((label, side) => (label.style.top = `${places[side]}%`));
  }).observe(box);
  return make("figure", { class: "story" }, box);
}

function bar(game) {
  const may = document.body.dataset.may?.split(" ").includes("host");
  const goOn = () => {
    sheet.close();
    send({ do: "go-on", id: game.id });
  };
  const hands = game.course?.hands;
  return make(
    "footer",
    {},
    make(
      "button",
      { class: "main", disabled: Boolean(game.error) || !game.actions, onclick: () => openReplay(game.id, 0) },
      make("b", {}, t("Replay")),
      make("span", {}, hands > 1 ? t("{game}, {number} hands", { game: game.title, number: hands }) : game.title),
      sign("M3 12H20M14 6l6 6-6 6"),
    ),
    !game.over && !game.error && game.actions && !$("lobby").hidden && may
      ? make("button", { onclick: goOn }, t("Go on"))
      : null,
    make("button", { onclick: () => keep(game) }, t("Save…")),
  );
}

// The files of a game.
function keep(game) {
  const link = (file, text) => [
    file,
    make("a", { class: "button", href: `history/${file}?id=${game.id}`, download: "" }, text),
  ];
  ask(t("Save as"), [
    link("game.svg", t("Picture")),
    link("game.csv", t("Table (CSV)")),
    link("game.jsonl", t("Record")),
  ]);
}

async function openReplay(id, at) {
  const about = await past("game.json", { id });
  sheet.close();
  replay(about, at, false, () => {
    sheet.showModal();
    show({});
  });
}

// A player

const players = {
  name: "player",
  ask: () => past("player.json", { player: view.player }),
  draw(answer) {
    const [all, ...kinds] = answer.rows;
    if (!all) return [make("p", {}, t("No games yet."))];
    const { player } = answer;
    const won = kinds.map((row) => [row.title, row.won, row.played, { player, game: row.name }]);
    const against = answer.against
      .slice(0, OPPONENTS)
      .map(({ other, won, played }) => [other, won, played, { tab: "versus", one: player, other }]);
    return [
      make(
        "div",
        { class: "sides" },
        playersChoice(answer),
        make("b", {}, all.won),
        make("span", {}, t("of {number}", { number: all.played })),
      ),
      answer.course.length > 2 ? curves(player, [t("played"), t("won")], answer.course, [1]) : null,
      make(
        "ul",
        { class: "held" },
        bars(t("Games won"), won),
        against.length ? bars(t("Games won against"), against) : null,
        ...answer.records.map((each) => record(each, `${each.game} · ${each.title}`)),
      ),
    ];
  },
};

// The records of a game

const records = {
  name: "records",
  ask: () => past("records.json", { game: view.game }),
  draw: (answer) =>
    answer.kinds.length
      ? [
          kinds(answer, answer.game),
          make(
            "ul",
            { class: "held" },
            bars(
              t("Games won"),
              answer.standings
                .slice(0, TALLY)
                .map((row) => [row.player, row.won, row.played, { tab: "players", player: row.player }]),
            ),
            ...answer.records.map((each) => record(each)),
          ),
        ]
      : [make("p", {}, t("No games yet."))],
};

const kinds = (answer, chosen) =>
  make(
    "nav",
    { class: "kinds", "aria-label": t("Games") },
    ...answer.kinds.map((kind) =>
      make(
        "button",
        { "aria-pressed": String(kind.game === chosen), onclick: () => show({ game: kind.game }) },
        kind.title,
      ),
    ),
  );

// Games won, as bars. `rows`: a name, the games won and played, and what a press shows.
function bars(title, rows) {
  const most = Math.max(...rows.map(([, won]) => won), 1);
  return make(
    "li",
    { class: "standings" },
    make("h3", {}, title),
    make(
      "ol",
      {},
      ...rows.map(([name, won, played, leads]) =>
        make(
          "li",
          { style: { "--share": won / most } },
          make(
            "button",
            { onclick: () => show({ ...BEGINNING, ...leads }) },
            make("b", {}, won),
            make("span", {}, name),
            make("small", {}, t("of {number}", { number: played })),
          ),
        ),
      ),
    ),
  );
}

function record({ holders, title }, heading = title) {
  const [best, ...others] = holders;
  return make(
    "li",
    {},
    make(
      "button",
      { onclick: () => show({ ...BEGINNING, id: best.id, shown: best.id }) },
      make("h3", {}, heading),
      make(
        "span",
        { class: "holder" },
        make("b", {}, minus(best.value)),
        make("span", {}, best.players.join(", "), make("small", {}, date(best.time))),
      ),
      best.cards.length ? fan(best.cards) : null,
      others.length
        ? make("small", {}, others.map((each) => `${each.players.join(", ")} ${minus(each.value)}`).join(" · "))
        : null,
    ),
  );
}

// Head to head

const versus = {
  name: "versus",
  ask: () => past("versus.json", { one: view.one, other: view.other, game: view.game }),
  draw(answer) {
    if (!answer.one.length || !answer.other.length) return [make("p", {}, t("No games yet."))];
    const [won, lost] = answer.course.at(-1);
    const sides = [answer.one, answer.other].map((side) => side.join(", "));
    const leading = won === lost ? [] : [won > lost ? 0 : 1];
    const { picture: drawn } = lines(evenly(answer.course), {
      leading,
      label: `${sides[0]} ${won}, ${sides[1]} ${lost}`,
    });
    return [
      make(
        "div",
        { class: "sides" },
        choice("one", answer, answer.other),
        make("b", {}, won),
        make("i", { "aria-hidden": "true" }, "–"),
        make("b", {}, lost),
        choice("other", answer, answer.one),
      ),
      make(
        "p",
        { class: "among" },
        kindsChoice(answer),
        answer.ties ? t("Drawn: {number}", { number: answer.ties }) : "",
      ),
      answer.course.length > 1 ? make("figure", { class: "wins" }, drawn) : null,
      make(
        "ol",
        { class: "met" },
        ...answer.last.map((game) =>
          make(
            "li",
            {},
            make(
              "button",
              { onclick: () => show({ ...BEGINNING, id: game.id, shown: game.id }) },
              make("b", {}, winner(game) ?? "–"),
              make("small", {}, date(game.started)),
              make(
                "span",
                {},
                `${game.title} `,
                make("b", {}, game.sides.map((side) => minus(side.score)).join(" – ")),
              ),
            ),
          ),
        ),
      ),
    ];
  },
};

function choice(key, answer, against) {
  const chosen = answer[key].join("\n");
  const options = [...answer.players.map((name) => [name]), ...answer.sides].filter(
    (side) => !side.some((name) => against.includes(name)) || side.join("\n") === chosen,
  );
  return make(
    "select",
    {
      "aria-label": key === "one" ? t("One side") : t("The other side"),
      onchange: (event) =>
        show({ one: answer.one.join("\n"), other: answer.other.join("\n"), [key]: event.target.value }),
    },
    ...options.map((side) => {
      const value = side.join("\n");
      return make("option", { value, selected: value === chosen }, side.join(", "));
    }),
  );
}

const options = (names, chosen) =>
  names.map(([value, text]) => make("option", { value, selected: value === chosen }, text));
const kindsChoice = (answer) =>
  make(
    "select",
    { "aria-label": t("Game"), onchange: (event) => show({ game: event.target.value }) },
    ...options([["", t("all games")], ...answer.kinds.map((kind) => [kind.game, kind.title])], view.game),
  );
const playersChoice = (answer, all = "") =>
  make(
    "select",
    { "aria-label": t("Player"), onchange: (event) => show({ player: event.target.value }) },
    ...options(
      [...(all ? [["", all]] : []), ...answer.players.map((name) => [name, name])],
      answer.player ?? view.player,
    ),
  );

// Requests, times and curves.

const when = (seconds, form) =>
  new Intl.DateTimeFormat(document.documentElement.lang, form).format(new Date(seconds * 1000));
const date = (seconds) => when(seconds, { day: "numeric", month: "short", year: "numeric" });

const PARTS = [
  [5, t("{day} night")],
  [12, t("{day} morning")],
  [18, t("{day} afternoon")],
  [24, t("{day} night")],
];
// What people call an evening that began then, such as “Friday night”.
function nameOf(seconds) {
  const began = new Date(seconds * 1000);
  const [, name] = PARTS.find(([before]) => began.getHours() < before);
  if (began.getHours() < 5) began.setDate(began.getDate() - 1);
  const text = name.replace("{day}", when(began / 1000, { weekday: "long" }));
  return text[0].toLocaleUpperCase(document.documentElement.lang) + text.slice(1);
}

// Returns the answer of the table; throws an error with its sentence if it refuses.
async function past(what, wanted = {}) {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== "" && value != null));
  const answer = await fetch(`history/${what}?${query}`).catch(() => null);
  if (!answer) throw new Error(t("No connection to the table. Trying again…"));
  const content = await answer.json().catch(() => ({ error: t("There is no history here.") }));
  if (!answer.ok) throw new Error(content.error ?? t("There is no history here."));
  return content;
}

// A chart that the table draws, which contains its own description.
export async function curve(file, wanted) {
  const text = await fetch(`history/${file}?${new URLSearchParams(wanted)}`)
    .then((answer) => (answer.ok ? answer.text() : ""))
    .catch(() => "");
  if (!text) return "";
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return picture.localName === "svg" ? document.adoptNode(picture) : "";
}

// The points of scores that are equally far apart.
const evenly = (scores) => scores.map((each, number) => [number / Math.max(scores.length - 1, 1), each]);

// Heights in percent that are at least `gap` apart, as near as possible to those wanted.
function apart(heights, gap) {
  const order = heights.map((_, number) => number).toSorted((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  for (const [place, number] of order.entries())
    if (place) placed[number] = Math.max(placed[number], placed[order[place - 1]] + gap);
  let most = HIGH;
  for (const number of order.toReversed()) {
    placed[number] = Math.min(placed[number], most);
    most = placed[number] - gap;
  }
  return placed;
}

// The last tricks of the game in progress

export async function lastTrick() {
  const about = await past("game.json", { id: "now" });
  replay(about, about.last, true);
}
