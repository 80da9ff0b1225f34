// The end of a game: who has won, what decided it, the evening so far, and what comes next.

import { picture, suit } from "./cards.js";
import { send } from "./connection.js";
import { $, make, region } from "./dom.js";
import { sentence } from "./felt.js";
import { overflows, shrink } from "./fit.js";
import { keepsake, tallied } from "./keepsake.js";
import { openPast } from "./past-open.js";
import { gains } from "./seats.js";
import { minus, t } from "./texts.js";

const LEAST = 0.45; // of the usual size
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
  if (!$("result").hidden) shrink($("result"), LEAST, () => ![$("result"), ...$("result").children].some(overflows));
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
  import("./past-game.js")
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
