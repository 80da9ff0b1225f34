// The moments of a game, and its end.

import { $, ask, make, minus, overflows, picture, qr, region, shrink, suit, t } from "./base.js";
import { post, send } from "./connection.js";
import { correct, whatIsIt } from "./requests.js";
import { gains, sentence } from "./seats.js";
import { openPast } from "./sheets.js";

// Moments: what the whole board shows once, for a few seconds, such as a slam. A press, a key or an action ends one. A
// proven revoke stays until somebody accepts or contests it; once a card has been laid after it, on the slip.

const SHOWN_MS = 2800,
  REVOKE_MS = 8000; // on a wall
const LEAST = 0.4; // of the usual size
const ANSWERED = "revoke-answered"; // where the browser keeps the last revoke that was answered
const FESTIVE = ["won", "skunk"];
const STRUCK = ["H", "S", "D", "C"];

let game = null; // the title and the players
let seen = 0; // the newest line of the record whose moments have been shown
let known = new Set(); // moments of this game that were shown: those that are repeated after an undo are not new
let waiting = [],
  shown = null,
  timer = 0,
  at = 0;
const watching = () => document.body.classList.contains("wall"); // a wall answers no revoke
let revoke = null; // the one that nobody has answered
let now = null; // the state

const key = (moment) =>
  JSON.stringify([moment.kind, moment.headline, moment.cards, moment.kind === "revoke" ? "" : now.hand]);
const mark = (moment) => JSON.stringify([game, moment.n, key(moment)]);
const calm = (state) => !state.menu && !state.notice && !state.prompts.some((prompt) => prompt.urgent);

// Shows what is new in `state`. Returns the state, with a request to answer a revoke if there is one.
export function moments(state) {
  now = state;
  note(state);
  if (state.n !== at || !calm(state)) end();
  at = state.n;
  if (!shown && calm(state)) next();
  draw();
  if (!revoke || full()) return state;
  return {
    ...state,
    prompts: [{ kind: "revoke", seat: revoke.seat, text: revoke.headline, urgent: false, answers }, ...state.prompts],
  };
}

// Another screen is shown than a game.
export function noMoments() {
  end();
  game = revoke = null;
  draw();
}

function note(state) {
  const about = JSON.stringify([state.game, state.seats.map((seat) => seat.name)]);
  const line = state.n + 1; // line 1 of a record is its header
  if (about !== game || line < seen) {
    [game, seen, known, waiting] = [about, line, new Set(), []];
    revoke =
      state.moments.findLast(
        (moment) => moment.kind === "revoke" && moment.n === line && localStorage.getItem(ANSWERED) !== mark(moment),
      ) ?? null;
    if (watching()) revoke = null;
    for (const moment of state.moments) known.add(key(moment));
    return;
  }
  const oldest = state.history.at(-1)?.n ?? 0;
  if (revoke) {
    // it was repeated after a correction, or taken back
    const same = state.moments.find((moment) => key(moment) === key(revoke));
    if (same) revoke = same;
    else if (revoke.n >= oldest) (known.delete(key(revoke)), (revoke = null));
  }
  const repeats = state.prompts.some((prompt) => prompt.kind === "corrected");
  const fresh = state.moments.filter(
    (moment) => moment.n > seen && !known.has(key(moment)) && (!repeats || moment.kind === "revoke"),
  );
  for (const moment of fresh) known.add(key(moment));
  if (!watching()) revoke = fresh.findLast((moment) => moment.kind === "revoke") ?? revoke;
  seen = line;
  if (fresh.length) waiting = fresh.filter((moment) => watching() || moment.kind !== "revoke");
  else if (state.n !== at) waiting = [];
}

// Whether the revoke fills the board: until the next card, and not over anything urgent.
const full = () => calm(now) && !now.history.some((entry) => entry.n > revoke.n && entry.cards);

function next() {
  clearTimeout(timer);
  shown = waiting.shift() ?? null;
  if (shown) timer = setTimeout(skip, shown.kind === "revoke" ? REVOKE_MS : SHOWN_MS);
}

function end() {
  clearTimeout(timer);
  shown = null;
}

function skip() {
  next();
  draw();
}

let drawn = null;

function draw() {
  const asks = revoke && now && full() ? revoke : null,
    moment = asks ?? (game ? shown : null);
  $("table").inert = Boolean(asks);
  if (moment === drawn) return;
  const box = $("moment");
  drawn = moment;
  box.hidden = !moment;
  box.className = moment ? `${moment.kind}${FESTIVE.includes(moment.kind) ? " festive" : ""}` : "";
  box.replaceChildren(...(moment ? parts(moment) : []));
  if (!moment) return;
  box.setAttribute("aria-label", moment.headline);
  if (asks) box.focus();
  shrink(box, LEAST);
}
new ResizeObserver(() => drawn && shrink($("moment"), LEAST)).observe($("moment"));

function parts(moment) {
  const told = moment.captions.length > 0;
  const sign = moment.kind === "trumps" || moment.kind === "revoke" ? moment.cards.at(-1)?.slice(-1) : null;
  return [
    sign && STRUCK.includes(sign) ? make("div", { class: "sign", "aria-hidden": "true" }, suit(sign, "")) : null,
    FESTIVE.includes(moment.kind)
      ? make("div", { class: "thrown", "aria-hidden": "true" }, ...STRUCK.map((letter) => suit(letter, "")))
      : null,
    moment.kind === "revoke" ? make("p", { class: "kind" }, t("Revoke")) : null,
    make("h2", {}, ...sentence(moment.headline, now)),
    moment.cards.length
      ? make(
          "ul",
          { class: told ? "told" : "" },
          ...moment.cards.map((card, number) =>
            make("li", {}, picture(card), told ? make("p", {}, ...sentence(moment.captions[number], now)) : null),
          ),
        )
      : null,
    moment.follows ? make("p", { class: "follows" }, ...sentence(moment.follows, now)) : null,
    moment.kind === "revoke" ? make("nav", {}, ...answers()) : null,
  ].filter(Boolean);
}

// The buttons that answer a revoke.
function answers() {
  return [
    now.you.may.includes("correct") ? make("button", { class: "word", onclick: contest }, t("Not so")) : null,
    make("button", { class: "word main", onclick: accept }, t("Go on")),
  ].filter(Boolean);
}

function accept() {
  localStorage.setItem(ANSWERED, mark(revoke));
  revoke = null;
  dispatchEvent(new Event("answered"));
}

// Asks what is wrong: one of the cards was misread, or it has not happened at all.
async function contest() {
  const moment = revoke;
  const chosen = await ask(t("What is not so?"), [
    ...moment.cards.map((card) => [{ card }, picture(card, "button")]),
    [{ never: true }, make("button", {}, t("This did not happen"))],
  ]);
  if (chosen?.never) correct({ do: "correct-card", line: moment.n });
  if (!chosen?.card) return;
  const { history } = await fetch("actions.json").then((answer) => answer.json());
  const entry = history.find((each) => each.n <= moment.n && each.cards?.includes(chosen.card)); // the newest is first
  if (entry) await whatIsIt({ card: chosen.card, n: entry.n, seat: entry.seat, others: [] });
}

$("moment").addEventListener("click", () => {
  if (!$("table").inert) skip();
});
document.addEventListener(
  "keydown",
  (event) => {
    if (!shown || $("moment").hidden || $("table").inert || ["Shift", "Control", "Alt", "Meta"].includes(event.key))
      return;
    if (["Enter", " ", "Escape"].includes(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
    skip();
  },
  true,
);

// The end of a game: who has won, what decided it, the evening so far, and what comes next.

const LEAST_RESULT = 0.45; // of the usual size
let closed = null; // the `n` at which the result was hidden to look at the table

export function result(state) {
  const shown = state.screen === "result" && closed !== state.n;
  if (state.screen !== "result") closed = null;
  $("result").hidden = !shown;
  for (const behind of $("table").children) behind.inert = shown && behind !== $("result");
  document.body.classList.toggle("ended", shown);
  region("result", shown ? [state.result, state.you.may, state.seats.map((seat) => seat.name)] : null, () =>
    shown ? screen(state) : [],
  );
  fit();
}

// The page was turned, or its window became smaller.
new ResizeObserver(fit).observe($("result"));

function fit() {
  if (!$("result").hidden)
    shrink($("result"), LEAST_RESULT, () => ![$("result"), ...$("result").children].some(overflows));
}

// The way back to the result from the table.
export const back = (state) =>
  state.screen !== "result"
    ? []
    : [
        make(
          "button",
          {
            class: "word turn",
            onclick: () => {
              closed = null;
              result(state);
            },
          },
          t("What next?"),
        ),
      ];

function screen(state) {
  const { headline, notes, sides, decided, tally } = state.result;
  const ways_on = state.you.may.includes("host") ? state.result.ways_on : [];
  const aside = () => {
    closed = state.n;
    result(state);
  };
  return [
    make("div", { class: "win" }, confetti(), make("h2", {}, winners(sides) || headline)),
    make(
      "div",
      { class: "stand" },
      make(
        "ol",
        { class: "sides" },
        ...sides.map((side) =>
          make("li", { class: side.won ? "won" : "" }, make("b", {}, minus(side.score)), make("span", {}, side.name)),
        ),
      ),
      tally.games > 1 ? make("p", { class: "evening" }, t("This evening:"), " ", ...tallied(tally)) : null,
    ),
    graph(state.result.id),
    make(
      "div",
      { class: "side" },
      decided
        ? make(
            "div",
            { class: "decided" },
            make("div", { class: "cards" }, ...decided.cards.map((card) => picture(card))),
            make("p", {}, ...sentence(decided.text, state), ...gains(decided.points, state)),
          )
        : null,
      ...notes.map((note) => make("p", { class: "notes" }, ...sentence(note, state))),
      keepsake(state, state.result.id, fit),
    ),
    make(
      "nav",
      { "aria-label": t("What next?") },
      ...ways_on.map((way, number) =>
        make(
          "button",
          {
            class: number ? "" : "main",
            "aria-keyshortcuts": String(number + 1),
            title: way.about,
            onclick: () => send({ do: way.do }),
          },
          way.label,
        ),
      ),
      make("button", { "aria-keyshortcuts": String(ways_on.length + 1), onclick: aside }, t("Look at the table")),
      state.you.may.includes("undo") && state.prompts.some((prompt) => prompt.kind === "check")
        ? make(
            "button",
            {
              onclick: () => {
                aside();
                $("undo").click();
              },
            },
            t("Take back"),
          )
        : null,
      make("button", { onclick: openPast }, t("History")),
    ),
  ];
}

// The course of the score, where there is room for it.
function graph(id) {
  const box = make("div", { class: "graph" });
  import("./past.js")
    .then(({ curve }) => curve("game.svg", { id }))
    .then((picture) => {
      box.append(picture);
      fit();
    });
  return box;
}

// Who has won, as the headline; empty if nobody has.
function winners(sides) {
  const won = sides.filter((side) => side.won),
    names = won.map((side) => side.name).join(", ");
  if (!won.length) return "";
  return won.length > 1 || won[0].seats.length > 1 ? t("{names} win", { names }) : t("{name} wins", { name: names });
}

// The suits, thrown into the corner of the headline.
const THROWN = [
  ["H", 78, -30, -20],
  ["S", 68, 10, 12],
  ["D", 90, 30, 30],
  ["C", 82, 45, -14],
  ["S", 94, -45, 24],
  ["H", 72, 70, 8],
];
const confetti = () =>
  make(
    "div",
    { class: "confetti", "aria-hidden": "true" },
    ...THROWN.map(([letter, left, top, turn]) => {
      const sign = suit(letter);
      for (const [name, value] of [
        ["left", `${left}%`],
        ["top", `${top}%`],
        ["rotate", `${turn}deg`],
      ])
        sign.style.setProperty(name, value);
      return sign;
    }),
  );

// The keepsake: a QR code with which a phone takes the picture of the evening home.

// Returns the code for the evening of the game `id`; another device than the board gets a link. `drawn`: is called after.
export function keepsake(state, id, drawn) {
  const box = make("div", { class: "keepsake" });
  if (["board", "director"].includes(state.you.role)) fill(box, id, drawn);
  else box.append(make("a", { href: `history/keepsake.png?id=${id}` }, t("Take the evening home as a picture")));
  return box;
}

async function fill(box, id, drawn) {
  const found = await post("phone/keepsake", { id }, () => {});
  if (!found) return;
  box.replaceChildren(
    ...(found.qr
      ? [qr(found.qr), make("p", {}, t("Take the evening home as a picture"))]
      : [
          make(
            "button",
            {
              onclick: (event) => {
                event.stopPropagation();
                letIn(box, id, drawn);
              },
            },
            t("Take the evening home as a picture"),
          ),
        ]),
  );
  drawn();
}

async function letIn(box, id, drawn) {
  const yes = await ask(
    t(
      "The table lets no phone in yet. If you let phones in, every device in your network can watch, until the table is switched off.",
    ),
    [[true, make("button", {}, t("Let phones in"))]],
  );
  if (yes && (await post("phone/network"))) fill(box, id, drawn);
}

// The tally of the evening in one line.
export const tallied = (tally) =>
  tally.players.flatMap((player, number) => [
    number ? " · " : "",
    `${player.name} `,
    make("b", {}, `${player.won}/${player.played}`),
  ]);
