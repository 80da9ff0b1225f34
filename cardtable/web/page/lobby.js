// The lobby: the games, the players around the table, the options, and what the table sees.

import { $, ask, day, make, minus, openSettings, overflows, qr, region, shrink, t, withSuits } from "./base.js";
import { send } from "./connection.js";
import { openRules, places } from "./seats.js";
import { openPast, openPhones, tableCode } from "./sheets.js";

// The version of an update that this device may install, or null.

const OFFER_MS = 600_000; // ms

let version = null;
const offered = () => version;

// Looks for updates from now on; calls `changed` when another version is offered.
function watchOffer(changed) {
  const look = async () => {
    const before = version;
    version = await fetch("care/offer.json", { cache: "no-store" })
      .then((answer) => answer.json())
      .then(({ offer }) => offer)
      .catch(() => null);
    if (version !== before) changed();
  };
  setInterval(look, OFFER_MS);
  look();
}

const OFFERED = 8; // most unfinished games that the table offers
let picked = null; // the chosen game
let last = null;

export function lobby(state) {
  const chosen = state.games.find((game) => game.game === state.game);
  document.title = t("Card table");
  picked = chosen;
  last = state;
  const mine = state.you.may.includes("host"); // otherwise the page only shows what is chosen
  const code = mine ? tableCode(() => last && !$("lobby").hidden && lobby(last)) : null;
  const drawn = region("games", [state.games, state.game, mine], () =>
    state.games.map((game) => tile(game, game === chosen, mine)),
  );
  if (drawn) inRows(state.games.length);
  if (drawn) $("games").querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  region(
    "around",
    [
      mine,
      state.players,
      state.remembered,
      state.dealer,
      state.first_does,
      state.focus,
      chosen?.seats,
      state.hands,
      code,
    ],
    () => seatsAround(state, code),
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
  if (!$("lobby").hidden) shrink($("lobby"), 0.6, fits);
}
addEventListener("resize", fitChoice);
watchOffer(() => last && !$("lobby").hidden && lobby(last));
document.fonts.addEventListener("loadingdone", fitChoice);

function tile(game, chosen, mine) {
  return make(
    "button",
    {
      role: "radio",
      "aria-checked": String(chosen),
      class: `game choice${chosen ? " chosen" : ""}`,
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
  if (!fits()) fitChoice(); // never larger: the game would move away from under the pointer, and back
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
    make(
      "div",
      {},
      game.options.length
        ? make(
            "button",
            { "aria-keyshortcuts": "O", onclick: () => $("options-sheet").showModal() },
            changed.length ? t("Options: {changed}", { changed: changed.join(", ") }) : t("Options…"),
          )
        : null,
      game.rules ? make("button", { "aria-keyshortcuts": "R", onclick: () => openRules(last) }, t("Rules")) : null,
    ),
  ];
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
      seats && !seats.ready ? icon("N", t("Next round"), "⚑", () => nextRound(seats)) : null,
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

// The players around the table: moved to another seat by dragging or with the arrow keys, added, renamed, removed.

const DRAG_PX = 12;
const FOR_ANY = [2, 3, 4, 5, 6]; // players, before a game is chosen

// The seats, placed as at the table; in the middle the code for phones, and buttons that add a player, or guests.
function seatsAround(state, code) {
  const where = places(Math.max(state.players.length, 2));
  const chips = state.players.map((name, seat) => chip(state, name, seat, where[seat]));
  const full = state.players.length >= state.most_players;
  if (!state.you.may.includes("host")) return chips;
  const join = [
    make(
      "button",
      {
        class: "add",
        "aria-keyshortcuts": "N",
        disabled: full,
        "aria-label": t("Add a player"),
        title: t("Add a player"),
        onclick: async () =>
          (await import("./keyboard.js")).whoJoins("", state.remembered, (name) => send({ do: "add-player", name })),
      },
      "+",
    ),
    ...guests(state),
  ];
  return [...chips, make("div", { class: "middle" }, phonesHere(code), make("div", { class: "join" }, ...join))];
}

// Buttons that fill the table with guests, one for each number of players of the game, until there are enough.
function guests({ game, games, players, hands }) {
  const seats = games.find((each) => each.game === game)?.seats ?? FOR_ANY;
  if (players.length >= seats[0]) return [];
  return seats.map((count) => {
    const label = t("{count} players, with guests", { count });
    const fill = () => {
      for (let n = players.length; n < count; n++) send({ do: "add-player", name: null });
    };
    return make(
      "button",
      {
        class: `guests${count === hands ? " seen" : ""}`,
        "aria-label": label,
        title: label,
        onclick: fill,
      },
      count === seats[0] ? t("{count} guests", { count: count - players.length }) : `${count - players.length}`,
    );
  });
}

function phonesHere(code) {
  if (!code?.url) return make("button", { class: "scan", onclick: () => openPhones() }, t("Phones"));
  return make(
    "button",
    { class: "scan coaster", "aria-label": t("Your phone"), onclick: () => openPhones() },
    qr(code.qr),
    make("span", {}, t("Phones: scan here")),
  );
}

function chip(state, name, seat, place) {
  const first =
    state.dealer === seat ? make("span", { class: "dealer", role: "img", "aria-label": state.first_does }, "①") : null;
  if (!state.you.may.includes("host")) return make("div", { class: `chip button ${place}` }, name, first);
  const button = make(
    "button",
    { class: `chip ${place}`, "data-seat": seat, title: t("Drag to another seat; tap to change") },
    name,
    first,
  );
  button.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const to = (seat + step + state.players.length) % state.players.length;
    if (step) send({ do: "move-player", name, seat: to });
  });
  drag(
    button,
    (to) => send({ do: "move-player", name, seat: to }),
    () => change(state, name),
  );
  return button;
}

// A press that moves drags the chip to the nearest seat; a press that does not is a tap.
function drag(button, drop, tap) {
  let from = null;
  button.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY, moved: false };
    button.setPointerCapture(event.pointerId);
  });
  button.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    from.moved ||= Math.hypot(dx, dy) > DRAG_PX;
    if (from.moved) button.style.translate = `${dx}px ${dy}px`;
    button.classList.toggle("dragged", from.moved);
  });
  button.addEventListener("pointerup", (event) => {
    const moved = from?.moved;
    from = null;
    button.style.translate = "";
    button.classList.remove("dragged");
    if (!moved) return;
    const distance = (chip) => {
      const box = chip.getBoundingClientRect();
      return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
    };
    const [nearest] = [...$("around").querySelectorAll(".chip")].sort((a, b) => distance(a) - distance(b));
    if (nearest && nearest !== button) drop(Number(nearest.dataset.seat));
    button.addEventListener("click", (click) => click.stopImmediatePropagation(), { once: true, capture: true });
  });
  button.addEventListener("pointercancel", () => {
    from = null;
    button.style.translate = "";
  });
  button.addEventListener("click", tap);
}

async function change(state, name) {
  const does = state.first_does;
  const seat = state.players.indexOf(name);
  const what = await ask(name, [
    ...(state.dealer === seat
      ? state.is_cut_for
        ? [["cut", make("button", {}, t("The cut decides who {does}", { does }))]]
        : []
      : [["dealer", make("button", {}, t("{name} {does}", { name, does }))]]),
    ["remove", make("button", {}, t("Does not play"))],
    ["rename", make("button", {}, t("Another name"))],
    ["phone", make("button", {}, t("Your phone"))],
    ["forget", make("button", {}, t("Forget this player"))],
  ]);
  if (what === "dealer" || what === "cut") send({ do: "set-dealer", seat: what === "cut" ? null : seat });
  if (what === "remove") send({ do: "remove-player", name });
  if (what === "forget") {
    send({ do: "remove-player", name });
    send({ do: "forget-player", name });
  }
  if (what === "phone") openPhones();
  if (what !== "rename") return;
  const { keyboard } = await import("./keyboard.js"),
    sheet = $("player-sheet");
  $("player-title").textContent = name;
  $("player").replaceChildren(
    keyboard(t("Another name"), name, (to) => {
      send({ do: "rename-player", name, to });
      sheet.close();
    }),
  );
  sheet.showModal();
}

// The options of the chosen game, each with a sentence.

// `mine`: whether this page may set them.
function options(game, mine) {
  region("options", [game?.options ?? [], mine], ([list]) => list.map((option) => row(option, mine)));
}

function row(option, mine) {
  const set = mine ? make("div", { class: "values" }, ...values(option)) : make("p", {}, valued(option));
  return make("div", { class: "option" }, make("b", {}, option.label), make("p", {}, option.about), set);
}

// An option with its value.
const valued = ({ kind, label, value, choices }) =>
  kind === "switch"
    ? `${label}: ${value ? t("yes") : t("no")}`
    : `${label} ${choices.find((choice) => choice.value === value)?.label ?? value}`;

function values(option) {
  const set = (value) => () => send({ do: "set-option", name: option.name, value });
  const button = (value, label) =>
    make("button", { "aria-pressed": String(option.value === value), onclick: set(value) }, label);
  if (option.kind === "switch") return [button(true, t("yes")), button(false, t("no"))];
  if (option.kind === "choice") return option.choices.map((choice) => button(choice.value, choice.label));
  const line = make("input", {
    type: "number",
    value: option.value,
    min: option.least,
    "aria-label": option.label,
    onchange: (event) => Number.isInteger(event.target.valueAsNumber) && set(event.target.valueAsNumber)(),
  });
  return [
    ...option.usual.map((value) => button(value, `${value}`)),
    line,
    make(
      "button",
      { class: "typed", "aria-label": t("Type a number"), onclick: (event) => pad(event.target, line) },
      "⌨",
    ),
  ];
}

// Shows digits that type into `line`, for displays without a keyboard.
function pad(button, line) {
  let typed = "";
  const type = (digit) => {
    typed = (typed + digit).slice(0, 6);
    line.value = typed;
  };
  const digits = [..."1234567890"].map((digit) => make("button", { class: "key", onclick: () => type(digit) }, digit));
  const done = make("button", { class: "main", onclick: () => line.dispatchEvent(new Event("change")) }, t("Done"));
  button.replaceWith(make("div", { class: "pad" }, ...digits, done));
}

// Everything in sight? What each camera and reader sees now, with a light and a sentence.

const WORST = ["bad", "warning", "good"];
const LOOK_MS = 1000;
const MOST_CARDS = 4;
const nothing = () => t("No camera and no readers: what is played is entered on the page.");

function checks(state) {
  region("checks", [state.sources, state.cards], () => [light(state), ...seen(state.cards)]);
  region("all-checks", [state.sources.map(({ picture, ...source }) => source), state.setup], () =>
    (state.sources.length
      ? state.sources.map(source)
      : [
          make("p", {}, nothing()),
          make("p", {}, t("During the game: touch ☰, then “Add a card”, for each card that is laid.")),
        ]
    ).concat(setUp(state)),
  );
  pictures = state.sources.map((source) => source.picture).filter(Boolean);
}

const worst = (sources) => WORST.find((kind) => sources.some((source) => source.state === kind)) ?? "good";

function light(state) {
  const kind = worst(state.sources);
  const wrong = state.sources
    .flatMap((source) => source.checks)
    .find((check) => check.state === kind && kind !== "good");
  const text = !state.sources.length
    ? nothing()
    : wrong
      ? [wrong.text, wrong.advice].filter(Boolean).join(": ")
      : t("Everything is in sight.");
  return make(
    "button",
    {
      "aria-keyshortcuts": "E",
      class: `light ${kind}`,
      onclick: () => {
        $("checks-sheet").showModal();
        look();
      },
    },
    text,
  );
}

function seen(cards) {
  if (!cards.length) return [];
  const names = cards
    .slice(0, MOST_CARDS)
    .map((card) =>
      make("span", { class: card.card && card.sure ? "" : "unsure" }, ...(card.card ? withSuits(card.label) : "?")),
    );
  return [
    make(
      "p",
      { class: "seen" },
      t("Seen:"),
      " ",
      ...names,
      cards.length > MOST_CARDS ? ` +${cards.length - MOST_CARDS}` : "",
    ),
  ];
}

function source(shown) {
  return make(
    "section",
    { class: "source" },
    make("h3", {}, shown.name),
    ...shown.checks.map((check) =>
      make(
        "p",
        { class: `light ${check.state}` },
        check.text,
        check.advice ? make("span", { class: "advice" }, check.advice) : null,
      ),
    ),
    shown.picture
      ? make("img", {
          class: "live",
          "data-src": shown.picture,
          alt: t("What “{name}” sees now", { name: shown.name }),
        })
      : null,
  );
}

// Links to the first start, or one step of it, on devices that may answer its questions.
const button = (href, label) => make("a", { class: "button", href }, label);
function setUp({ you, setup }) {
  if (!["board", "director"].includes(you.role)) return [];
  return [
    button("start", t("Set the table up…")),
    ...setup.map(({ step, label }) => button(`start?only=${step}`, label)),
    button("doctor", t("The doctor")),
    button("care", t("Updates and backup")),
  ];
}

let pictures = [];
function look() {
  if (!$("checks-sheet").open || !pictures.length) return;
  for (const image of $("all-checks").querySelectorAll("img.live"))
    image.src = `${image.dataset.src}${image.dataset.src.includes("?") ? "&" : "?"}${Date.now()}`;
}
setInterval(look, LOOK_MS);
