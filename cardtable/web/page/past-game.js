// One game of the history: its result, its score as a curve and as a table, and the downloads.

import { make } from "./dom.js";
import { byRank, day, table } from "./past-parts.js";
import { minus, t } from "./texts.js";

// Returns the content. `leave` returns to the list; `again` replays the game; `goOn` continues it (null: impossible).
export async function pastGame(about, leave, again, goOn) {
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
