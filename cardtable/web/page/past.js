// The history: the evenings, each with its games and moments; the records of each game; two sides head to head; and the
// replay on the felt.

import { $, ask, make, mini, minus, narrow, picture, politely, svg, t, withSuits } from "./base.js";
import { drawLive, drawReplayed, holdBack, send } from "./connection.js";
import { gains } from "./seats.js";

const AGAIN_MS = 150; // until the table is asked again for what was not ready
const FAN = 5; // cards of a moment that are shown
const TALLY = 4; // players in the tally of an evening

const TABS = { evenings: t("Evenings"), records: t("Records"), versus: t("Head to head") };
let view = { tab: "evenings", id: null, game: "", one: "", other: "" };
let asked = 0; // the newest request: answers to older ones are ignored
let from = 0; // how far the list of evenings was scrolled

const sign = (d) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));
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
  show({ tab: "evenings", id: null, game: "" });
}

function goBack() {
  if (view.id == null) sheet.close();
  else show({ id: null });
}

// Shows another part of the history.
function show(change) {
  if (view.tab === "evenings" && view.id == null) from = $("past-body").scrollTop;
  view = { ...view, ...change };
  asked += 1;
  $("past-note").textContent = "";
  $("past-body").setAttribute("aria-busy", "true");
  $("past-back").setAttribute("aria-label", view.id == null ? t("Close") : t("All evenings"));
  if (view.id == null) head(t("History"), tabs());
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
      make(
        "button",
        { "aria-pressed": String(view.tab === tab), onclick: () => show({ tab, id: null, game: "" }) },
        text,
      ),
    ),
  );

// Asks for what is shown, and draws it; again while the table is still looking through games.
async function fill(number) {
  const page = view.id != null ? evening : { evenings, records, versus }[view.tab];
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

let pages = []; // the numbers before which the shown pages of the list begin

const evenings = {
  name: "evenings",
  async ask() {
    if (!pages.length) pages = [""];
    const answers = await Promise.all(pages.map((before) => past("evenings.json", { before })));
    return {
      evenings: answers.flatMap((answer) => answer.evenings),
      unfinished: answers[0].unfinished,
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
          { onclick: () => show({ id: game.id, game: game.id }) },
          make("span", { class: "picture" }),
          make("span", { class: "what" }, make("b", {}, game.title), make("small", {}, game.players.join(", "))),
          make("span", { class: "said" }, t("not over")),
        ),
      ),
    );
    if (!open.length && !answer.evenings.length) return [make("p", {}, t("No games yet."))];
    const older = () => {
      pages.push(answer.evenings.at(-1).id);
      show({});
    };
    return [
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
      { onclick: () => show({ id: one.id, game: one.games.at(-1).id }) },
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
    const game = one.games.find((each) => each.id === view.game) ?? one.games.at(-1);
    head(nameOf(one.began), tally(one.players), date(one.began));
    const choose = (each) => {
      view.game = each.id;
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

// The curve of a game, the names at its right end.
function story(game) {
  if (!game.course) return make("p", { class: "story" }, game.error ?? "");
  const leading = winners(game),
    { target, scores } = game.course,
    final = scores.at(-1);
  const names = game.sides.map((side) => side.name);
  const told = names.map((name, side) => `${name} ${minus(final[side])}`).join(", ");
  const { picture: drawn, y, aim } = lines(evenly(scores), { leading, target, label: `${game.title}: ${told}` });
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

// The records of a game

const records = {
  name: "records",
  ask: () => past("records.json", { game: view.game }),
  draw: (answer) =>
    answer.kinds.length
      ? [
          kinds(answer, answer.game),
          make("ul", { class: "held" }, standings(answer.standings), ...answer.records.map(record)),
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

function standings(rows) {
  const most = Math.max(...rows.map((each) => each.won), 1);
  return make(
    "li",
    { class: "standings" },
    make("h3", {}, t("Games won")),
    make(
      "ol",
      {},
      ...rows
        .slice(0, TALLY)
        .map((each) =>
          make(
            "li",
            { style: { "--share": each.won / most } },
            make("b", {}, each.won),
            make("span", {}, each.player),
            make("small", {}, t("of {number}", { number: each.played })),
          ),
        ),
    ),
  );
}

function record({ title, holders }) {
  const [best, ...others] = holders;
  return make(
    "li",
    {},
    make(
      "button",
      { onclick: () => show({ tab: "evenings", id: best.id, game: best.id }) },
      make("h3", {}, title),
      make(
        "span",
        { class: "holder" },
        make("b", {}, minus(best.value)),
        make("span", {}, best.player, make("small", {}, date(best.time))),
      ),
      best.cards.length ? fan(best.cards) : null,
      others.length ? make("small", {}, others.map((each) => `${each.player} ${minus(each.value)}`).join(" · ")) : null,
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
              { onclick: () => show({ tab: "evenings", id: game.id, game: game.id }) },
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

const kindsChoice = (answer) =>
  make(
    "select",
    { "aria-label": t("Game"), onchange: (event) => show({ game: event.target.value }) },
    make("option", { value: "" }, t("all games")),
    ...answer.kinds.map((kind) => make("option", { value: kind.game, selected: kind.game === view.game }, kind.title)),
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

const NEAR = 0.6; // of the target: from there on it is in the picture
const HIGH = 100;

// The curves of a score as wide and high as their box: a line for each side, those of `leading` thick. `points`: the
// place (0 to 1) and the scores of all sides. Returns the picture, and for a score its height in percent.
function lines(points, { leading = [], target = null, label = null } = {}) {
  const scores = points.flatMap(([, each]) => each);
  const low = Math.min(0, ...scores);
  let high = Math.max(1, ...scores);
  const aim = target != null && high >= NEAR * target;
  if (aim) high = Math.max(high, target);
  const y = (score) => HIGH - (HIGH * (score - low)) / (high - low);
  const sides = points[0][1].map((_, side) => side);
  const line = (side) =>
    svg("path", {
      class: leading.includes(side) ? "line lead" : "line",
      d: points
        .map(([x, each], number) => `${number ? "L" : "M"}${(HIGH * x).toFixed(1)} ${y(each[side]).toFixed(1)}`)
        .join(""),
    });
  const drawn = sides.toSorted((a, b) => leading.includes(a) - leading.includes(b)).map(line);
  if (aim) drawn.unshift(svg("path", { class: "target", d: `M0 ${y(target)}H${HIGH}` }));
  const box = svg("svg", { class: "lines", viewBox: `0 0 ${HIGH} ${HIGH}`, preserveAspectRatio: "none" }, ...drawn);
  if (label) (box.setAttribute("role", "img"), box.setAttribute("aria-label", label));
  else box.setAttribute("aria-hidden", "true");
  return { picture: box, y, aim };
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

// Replays a game step by step on the board's own felt, or the last tricks of the game in progress.

const CHUNK = 40,
  STEP_MS = 1300,
  TRICK_MS = 900,
  QUICK_MS = 6500,
  QUICK_STEP_MS = [150, 1300],
  QUICK_END_MS = 2300,
  LEAST_MS = 100;
const TRICKS = ["trick", "hand", "game"],
  HANDS = ["hand", "game"];
let game = null; // the replayed game, or null
let back = null; // what had the focus before

// Replays the game with this answer of `game.json`. `quick`: play from step `first` to the end, then return, within ten
// seconds. `after`: called when somebody has closed the replay.
async function replay(about, first = 0, quick = false, after = null) {
  const pace = quick
    ? Math.min(Math.max(QUICK_MS / Math.max(about.steps.length - first, 1), QUICK_STEP_MS[0]), QUICK_STEP_MS[1])
    : STEP_MS;
  back = document.activeElement;
  holdBack(stop);
  game = { about, states: new Map(), at: 0, timer: null, playing: false, quick, pace, picture: false, due: 0, after };
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

function close() {
  const { after } = game;
  stop();
  after?.();
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
  $("replay-at").textContent = place(at);
  const slider = $("replay-slider");
  slider.value = at;
  slider.setAttribute("aria-valuetext", `${place(at)}. ${$("replay-text").textContent}`);
  slider.parentElement.style.setProperty("--at", at / Math.max(game.about.steps.length, 1));
  const turn = state.turn ?? entry?.seat,
    known = hands[turn] ?? [];
  $("replay-hands").replaceChildren(...(known.length ? [`${state.seats[turn].name}: `, ...known.map(mini)] : []));
  $("replay-picture-button").hidden = !game.about.steps.some((step) => step.picture);
  $("replay-picture-button").setAttribute("aria-pressed", String(game.picture));
  const picture = game.picture && entry?.picture;
  $("replay-picture").hidden = !picture;
  if (picture) $("replay-picture").src = `history/moment.jpg?id=${game.about.id}&line=${entry.n}`;
  if (!game.playing) politely([$("replay-text").textContent]);
}

// The hand and the trick after so many actions.
function place(at) {
  const done = game.about.steps.slice(0, Math.max(at - 1, 0));
  const hands = done.filter((step) => HANDS.includes(step.ends)).length;
  const tricks = done.slice(done.findLastIndex((step) => HANDS.includes(step.ends)) + 1);
  const trick = tricks.filter((step) => step.ends === "trick").length;
  return t("Hand {hand}, trick {trick}", { hand: hands + 1, trick: trick + 1 });
}

const sentence = (entry, state) => [
  ...withSuits(entry.text),
  ...gains(entry.points, state),
  ...entry.events.map((event) => ` · ${event}`),
];

function play(yes = true) {
  clearTimeout(game.timer);
  if (yes && !game.playing) game.due = performance.now();
  game.playing = yes;
  $("replay-play").replaceChildren(sign(yes ? "M8 5v14M16 5v14" : "M8 5l11 7-11 7z"));
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

function controls() {
  const button = (label, d, onclick, id = null) =>
    make("button", { class: "tool", "aria-label": label, title: label, onclick, id }, sign(d));
  return make(
    "footer",
    { id: "replay" },
    make("p", { id: "replay-text" }),
    make("p", { id: "replay-at" }),
    make("p", { id: "replay-hands" }),
    make(
      "nav",
      { "aria-label": t("Replay") },
      button(t("Previous trick"), "M12 5 5 12l7 7M19 5l-7 7 7 7", () => jump(-1, TRICKS)),
      button(t("Back one step"), "M15 5 8 12l7 7", () => by(-1)),
      button(t("Play"), "M8 5l11 7-11 7z", () => play(!game.playing), "replay-play"),
      button(t("Forward one step"), "m9 5 7 7-7 7", () => by(1)),
      button(t("Next trick"), "m12 5 7 7-7 7M5 5l7 7-7 7", () => jump(1, TRICKS)),
    ),
    track(),
    make(
      "nav",
      {},
      button(
        t("Camera"),
        "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
        () => {
          game.picture = !game.picture;
          go(game.at);
        },
        "replay-picture-button",
      ),
      button(t("Back to the table"), "M5 5 19 19M19 5 5 19", close, "replay-close"),
    ),
  );
}

// The curve of the score: whoever slides over it sees the game at that place.
function track() {
  const { steps, sides } = game.about,
    last = steps.length;
  const points = [[0, steps[0]?.scores ?? [0]], ...steps.map((step, number) => [(number + 1) / last, step.scores])];
  const leading = sides.flatMap((side, number) => (side.won ? [number] : []));
  return make(
    "div",
    { class: "track" },
    lines(points, { leading }).picture,
    ...steps.flatMap((step, number) =>
      step.ends === "hand" ? [make("i", { style: { left: `${(100 * (number + 1)) / last}%` } })] : [],
    ),
    make("input", {
      id: "replay-slider",
      type: "range",
      min: 0,
      max: last,
      value: 0,
      "aria-label": t("Place in the game"),
      oninput: (event) => {
        play(false);
        go(Number(event.target.value));
      },
    }),
  );
}

const KEYS = {
  ArrowRight: () => by(1),
  ArrowLeft: () => by(-1),
  PageDown: () => jump(1, TRICKS),
  PageUp: () => jump(-1, TRICKS),
  End: () => jump(1, HANDS),
  Home: () => jump(-1, HANDS),
  Escape: close,
  " ": () => play(!game.playing),
};
document.addEventListener("keydown", (event) => {
  if (!game || !(event.key in KEYS) || document.querySelector("dialog[open]")) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  event.preventDefault();
  KEYS[event.key]();
});

// The last tricks of the game in progress

export async function lastTrick() {
  const about = await past("game.json", { id: "now" });
  replay(about, about.last, true);
}
