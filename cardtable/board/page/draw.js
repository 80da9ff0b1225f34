// Elements of the page: any element, a suit, a card.

import { SUITS, t } from "./texts.js";

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

export function suit(letter) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "suit");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#suit-${letter}`);
  svg.append(use);
  return svg;
}

function split(card) {
  const own = /^([a-z]+)-(\d+)$/.exec(card);
  if (own) return { rank: own[2], colour: own[1], said: t("{colour} {number}", { colour: t(own[1]), number: own[2] }) };
  const letter = card.slice(-1);
  return { rank: card.slice(0, -1), suit: letter, said: t("{rank} of {suit}", { rank: card.slice(0, -1), suit: SUITS[letter] ?? letter }) };
}

export function picture(card, tag = "div", attributes = {}) {
  const { rank, suit: letter, colour, said } = split(card);
  const look = colour ? `deck ${colour}` : "HD".includes(letter) ? "red" : "";
  const classes = `card ${look} ${attributes.class ?? ""}`;
  const role = tag === "div" ? { role: "img" } : { type: "button" };
  return make(tag, { ...role, ...attributes, class: classes, "aria-label": said },
    make("span", {}, rank), colour ? make("small", {}, t(colour)) : suit(letter));
}
