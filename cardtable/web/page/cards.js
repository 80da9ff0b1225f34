// Pictures of cards: rank and suit, or number and colour for a special deck.

import { make, svg } from "./dom.js";
import { SUITS, t } from "./texts.js";

const COURTS = ["J", "Q", "K"];

export function suit(letter, look = `suit suit-${letter}`) {
  return svg("svg", { class: look, "aria-hidden": "true" }, svg("use", { href: `#suit-${letter}` }));
}

// The parts of a card's name: "10H", or "green-4" in a special deck.
export function split(card) {
  const special = /^([a-z]+)-(\d+)$/.exec(card);
  if (special)
    return {
      rank: special[2],
      colour: special[1],
      spoken: t("{colour} {number}", { colour: t(special[1]), number: special[2] }),
    };
  const letter = card.slice(-1);
  return {
    rank: card.slice(0, -1),
    suit: letter,
    spoken: t("{rank} of {suit}", { rank: card.slice(0, -1), suit: SUITS[letter] ?? letter }),
  };
}

// A card as a picture or a button. `copies`: how many equal cards it stands for.
export function picture(card, tag = "div", attributes = {}, copies = 1) {
  const { rank, suit: letter, colour, spoken } = split(card);
  const court = !colour && COURTS.includes(rank);
  const look = colour ? `deck ${colour}` : `${letter}${court ? " court" : rank === "10" ? " ten" : ""}`;
  return make(
    tag,
    {
      role: tag === "div" ? "img" : null,
      ...attributes,
      class: `card ${look} ${attributes.class ?? ""}`,
      "aria-label": copies > 1 ? `${copies} × ${spoken}` : spoken,
    },
    court
      ? svg(
          "svg",
          { class: "half", viewBox: "0 0 1300 1000", preserveAspectRatio: "xMidYMin slice", "aria-hidden": "true" },
          svg("use", { href: `look/courts.svg#${rank.toLowerCase()}${letter.toLowerCase()}` }),
        )
      : null,
    colour ? make("small", {}, t(colour)) : suit(letter, "pip"),
    make("i", { "aria-hidden": "true" }, rank),
    copies > 1 ? make("em", {}, `×${copies}`) : null,
  );
}

export const back = () => make("div", { class: "card back", "aria-hidden": "true" });

// A card in a line of text.
export function mini(card) {
  const { rank, suit: letter, colour, spoken } = split(card);
  return make(
    "span",
    { class: `mini ${colour ? `deck ${colour}` : letter}`, role: "img", "aria-label": spoken },
    rank,
    colour ? null : suit(letter),
  );
}

// The parts of a text: each suit symbol in it as a picture in the suit's colour, which is read and copied as the symbol.
export function withSuits(text) {
  return text
    .split(/([♠♥♦♣])/)
    .filter(Boolean)
    .map((part) =>
      part in SYMBOLS
        ? make("span", { class: "glyph" }, make("span", { class: "unseen" }, part), suit(SYMBOLS[part]))
        : part,
    );
}
const SYMBOLS = { "♠": "S", "♥": "H", "♦": "D", "♣": "C" };
