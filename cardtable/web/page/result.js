// The end of a game: who has won, what decided it, the evening so far, and what comes next.

import { picture } from "./cards.js";
import { send } from "./connection.js";
import { $, make, region } from "./dom.js";
import { shrink } from "./fit.js";
import { openPast } from "./past-open.js";
import { gains } from "./seats.js";
import { minus, t } from "./texts.js";

let closed = null; // the `n` at which the result was hidden to look at the table

export function result(state) {
  const shown = state.screen === "result" && closed !== state.n;
  if (state.screen !== "result") closed = null;
  $("result").hidden = !shown;
  for (const behind of $("table").children) behind.inert = shown && behind !== $("result");
  document.body.classList.toggle("ended", shown);
  region("result", shown ? [state.result, state.you.may, state.seats.map((seat) => seat.name)] : null, () => (shown ? screen(state) : []));
  if (shown) shrink($("result"));
}

// The page was turned, or its window became smaller.
new ResizeObserver(() => { if (!$("result").hidden) shrink($("result")); }).observe($("result"));

// The way back to the result from the table.
export const back = (state) => (state.screen !== "result" ? [] : [make("button", { class: "word turn", onclick: () => { closed = null; result(state); } }, t("What next?"))]);

function screen(state) {
  const { headline, notes, sides, decided, tally } = state.result;
  const ways_on = state.you.may.includes("host") ? state.result.ways_on : [];
  const aside = () => { closed = state.n; result(state); };
  return [
    make("h2", {}, headline),
    ...notes.map((note) => make("p", { class: "notes" }, note)),
    make("ol", { class: "sides" }, ...sides.map((side) => make("li", { class: `side-${side.seats[0]}${side.won ? " won" : ""}` }, make("span", {}, side.name), make("b", {}, minus(side.score))))),
    decided ? make("div", { class: "decided" }, make("p", {}, decided.text, ...gains(decided.points, state)),
      make("div", { class: "cards" }, ...decided.cards.map((card) => picture(card)))) : null,
    tally.games > 1 ? make("p", { class: "tally" }, t("This evening:"), " ", ...tally.players.flatMap((player, number) => [number ? " · " : "", `${player.name} `, make("b", {}, `${player.won}/${player.played}`)])) : null,
    make("nav", { "aria-label": t("What next?") }, ...ways_on.map((way, number) => make("button", { class: number ? "" : "main", "aria-keyshortcuts": String(number + 1), title: way.about, onclick: () => send({ do: way.do }) }, way.label)),
      make("button", { "aria-keyshortcuts": String(ways_on.length + 1), onclick: aside }, t("Look at the table")),
      state.you.may.includes("undo") && state.prompts.some((prompt) => prompt.kind === "check") ? make("button", { onclick: () => { aside(); $("undo").click(); } }, t("Take back")) : null,
      make("button", { onclick: openPast }, t("History"))),
    make("p", { class: "about" }, ways_on[0]?.about ?? ""),
  ].filter(Boolean);
}
