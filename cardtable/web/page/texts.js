// Texts in the language of the table. A text without a translation stays English.

const catalogue = await fetch("texts.json")
  .then((answer) => answer.json())
  .catch(() => ({ language: "en", texts: {} }));
export const t = (text, values = {}) =>
  (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);

document.documentElement.lang = catalogue.language;
for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.textContent);
for (const element of document.querySelectorAll("[data-label]")) element.ariaLabel = t(element.ariaLabel);
for (const element of document.querySelectorAll("[data-alt]")) element.alt = t(element.alt);

export const PHASES = {
  cut: t("cutting for the deal"),
  deal: t("dealing"),
  discard: t("laying away"),
  turn: t("turning up"),
  say: t("declaring"),
  play: t("playing"),
  bid: t("bidding"),
  show: t("counting"),
  over: t("game over"),
};
export const SUITS = { S: t("spades"), H: t("hearts"), D: t("diamonds"), C: t("clubs") };
// A number with a minus sign, which is as wide as a digit.
export const minus = (number) => String(number).replace("-", "−");
// The parts of a text: the names, and what is between them.
export function byName(text, names) {
  const known = names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${known.join("|")})(?![\\p{L}\\p{N}])`, "u")).filter(Boolean);
}
export const isNumber = (text) => /^\d+$/.test(text); // a bid, of which many are side by side
// Words and reasons have spaces in the catalogue; bids have the suit's symbol after a narrow no-break space.
// A bid of points includes the word for its trumps: “100-heart”.
const BID = /^([1-9])(c|d|h|s|nt)$/,
  POINTS = /^(\d+|capot)-(.+)$/,
  SYMBOLS = { c: "♣", d: "♦", h: "♥", s: "♠" };
export const word = (text) => {
  const [, level, strain] = BID.exec(text) ?? [];
  if (strain === "nt") return t("{level} NT", { level });
  const [, points, trumps] = POINTS.exec(text) ?? [];
  if (trumps)
    return `${t(points)}\u202f${SYMBOLS[trumps[0]] && !trumps.includes("-") ? SYMBOLS[trumps[0]] : t(trumps.replaceAll("-", " "))}`;
  return strain ? t("{level} {symbol}", { level, symbol: SYMBOLS[strain] }) : t(text.replaceAll("-", " "));
};

export const label = (item) => (item.label ? t(item.label) : word(item.word)); // the text of its button
