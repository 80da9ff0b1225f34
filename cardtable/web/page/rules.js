// The rules of the game in plain words, over the table: the section for the present phase first, with its cards. The
// line below keeps the turn, and leads back.

import { $, make, narrow, PHASES, picture, region, shrink, svg, t, withSuits } from "./base.js";
import { acting, does } from "./seats.js";

const LEAST = 0.84; // of the size of the letters; then the section scrolls
let shown = null; // the rules that are read

const dialog = make(
  "dialog",
  { id: "rules", "aria-labelledby": "rules-title" },
  make(
    "header",
    {},
    make("h2", { id: "rules-title" }),
    make("div", { id: "rules-tabs", role: "tablist", "aria-labelledby": "rules-title" }),
  ),
  make("div", { id: "rules-text", role: "tabpanel", tabindex: "0" }),
  make("button", { id: "rules-turn", onclick: () => dialog.close() }),
);
document.body.append(dialog);

// Shows the rules of the game of `state`, which the page shows, as it is played now.
export async function openRules(state) {
  const answer = await fetch(`rules.json?game=${encodeURIComponent(state.game)}`).catch(() => null);
  if (!answer?.ok) return;
  shown = await answer.json();
  $("rules-title").textContent = shown.title;
  const names = shown.sections.map((section) => section.name);
  if (shown.options.length) names.push(t("Options"));
  $("rules-tabs").replaceChildren(
    ...names.map((name, number) =>
      make(
        "button",
        { id: `rules-tab-${number}`, role: "tab", "aria-controls": "rules-text", onclick: () => turnTo(number) },
        name,
      ),
    ),
  );
  turnLine(state);
  dialog.showModal();
  turnTo(present(shown.sections, state));
}

// The section for what may be said now, otherwise for the phase, otherwise the first one.
function present(sections, state) {
  const words = (state.seats ?? []).flatMap((seat) => (seat.words ?? []).map((item) => item.word));
  const first = (names) => sections.findIndex((section) => section.during.some((name) => names.includes(name)));
  return [first(words), first([state.phase]), 0].find((found) => found >= 0);
}

// Opens a section.
function turnTo(number) {
  const tabs = [...$("rules-tabs").children];
  tabs.forEach((tab, place) => {
    tab.setAttribute("aria-selected", String(place === number));
    tab.tabIndex = place === number ? 0 : -1;
  });
  tabs[number].focus();
  tabs[number].scrollIntoView({ block: "nearest", inline: "nearest" });
  const text = $("rules-text");
  text.setAttribute("aria-labelledby", tabs[number].id);
  const section = shown.sections[number];
  text.replaceChildren(...(section ? content(section.parts) : [house(shown.options)]));
  text.scrollTop = 0;
  fit();
}

// The names of the sections in one row, and the section without scrolling, if the letters need not be too small; the
// name of the player on turn in its line.
function fit() {
  const tabs = $("rules-tabs");
  const inOneRow = () => new Set([...tabs.children].map((tab) => tab.offsetTop)).size === 1;
  shrink(tabs, LEAST, inOneRow);
  if (!inOneRow()) tabs.style.removeProperty("--shrink");
  shrink($("rules-text"), LEAST);
  narrow($("rules-turn"));
}

function content(parts) {
  const pictures = parts.filter((part) => part.cards.length);
  return [
    make(
      "div",
      {},
      ...parts.filter((part) => !part.cards.length).map((part) => make("p", {}, ...withSuits(part.text))),
    ),
    pictures.length ? make("div", { class: "cases" }, ...pictures.map(pictured)) : null,
  ].filter(Boolean);
}

const pictured = ({ text, cards, lit }) =>
  make(
    "figure",
    { style: { "--count": cards.length } },
    make("div", {}, ...cards.map((card, place) => picture(card, "div", { class: lit.includes(place) ? "lit" : "" }))),
    make("figcaption", {}, ...withSuits(text)),
  );

const house = (options) =>
  make("dl", {}, ...options.flatMap(({ label, value }) => [make("dt", {}, label), make("dd", {}, value)]));

// Tells the turn below the rules; its button leads back to the table.
export function turnLine(state) {
  if (!shown) return;
  const who = state.seats ? acting(state).map((seat) => state.seats[seat].name) : [];
  const what = who.length === 1 ? does(state) : (PHASES[state.phase] ?? "");
  region("rules-turn", [who, what], () => [
    make("span", { class: "unseen" }, t("Back to the table")),
    who.length === 1 ? make("b", { class: "fit" }, who[0]) : null,
    make("span", {}, what),
    svg("svg", { viewBox: "0 0 60 40", "aria-hidden": "true" }, svg("path", { d: "M58 20H6M22 4 5 20 22 36" })),
  ]);
  $("rules-turn").classList.toggle("lit", who.length === 1);
  if (dialog.open) narrow($("rules-turn"));
}

// The arrow keys turn to the next section.
$("rules-tabs").addEventListener("keydown", (event) => {
  const tabs = [...$("rules-tabs").children],
    at = tabs.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  turnTo((to + tabs.length) % tabs.length);
});
addEventListener("resize", () => dialog.open && fit());
