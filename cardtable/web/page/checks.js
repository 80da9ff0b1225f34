// Everything in sight? What each camera and reader sees now, with a light and a sentence.

import { $, make, region } from "./dom.js";
import { t } from "./texts.js";

const WORST = ["bad", "warning", "good"];
const EVERY = 1000;
const MOST_CARDS = 4;
const nothing = () => t("No camera and no readers: what is played is entered on the page.");

export function checks(state) {
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
    .map((card) => make("span", { class: card.card && card.sure ? "" : "unsure" }, card.card ? card.label : "?"));
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
setInterval(look, EVERY);
