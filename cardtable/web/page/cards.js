// Pictures of cards: rank and suit, or number and colour for a special deck.

import { make, svg } from "./dom.js";
import { SUITS, t } from "./texts.js";

export function suit(letter) {
  return svg("svg", { class: `suit suit-${letter}`, "aria-hidden": "true" }, svg("use", { href: `#suit-${letter}` }));
}

// The parts of a card's name: "10H", or "green-4" in a special deck.
export function split(card) {
  const special = /^([a-z]+)-(\d+)$/.exec(card);
  if (special) return { rank: special[2], colour: special[1], spoken: t("{colour} {number}", { colour: t(special[1]), number: special[2] }) };
  const letter = card.slice(-1);
  return { rank: card.slice(0, -1), suit: letter, spoken: t("{rank} of {suit}", { rank: card.slice(0, -1), suit: SUITS[letter] ?? letter }) };
}

// A card as a picture or a button. `copies`: how many equal cards it stands for.
export function picture(card, tag = "div", attributes = {}, copies = 1) {
  const { rank, suit: letter, colour, spoken } = split(card);
  const look = colour ? `deck ${colour}` : `suited ${letter}`;
  return make(tag, { role: tag === "div" ? "img" : null, ...attributes, class: `card ${look} ${attributes.class ?? ""}`, "aria-label": copies > 1 ? `${copies} × ${spoken}` : spoken },
    make("span", {}, rank), colour ? make("small", {}, t(colour)) : suit(letter), copies > 1 ? make("em", {}, `×${copies}`) : null);
}
