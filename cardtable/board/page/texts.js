// Texts in the language of the table. A text without a translation stays English.

const catalogue = await fetch("texts.json").then((answer) => answer.json()).catch(() => ({ language: "en", texts: {} }));
export const t = (text, values = {}) => (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);

document.documentElement.lang = catalogue.language;
for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.textContent);
for (const element of document.querySelectorAll("[data-label]")) element.ariaLabel = t(element.ariaLabel);
for (const element of document.querySelectorAll("[data-alt]")) element.alt = t(element.alt);

export const PHASES = {
  cut: t("cutting for the deal"), deal: t("dealing"), discard: t("laying away"), turn: t("turning up"),
  say: t("declaring"), play: t("playing"), bid: t("bidding"), show: t("counting"), over: t("game over"),
};
export const SUITS = { S: t("spades"), H: t("hearts"), D: t("diamonds"), C: t("clubs") };
export const isNumber = (text) => /^\d+$/.test(text); // a bid: many of them stand side by side
// The catalogue has words and reasons with spaces; bids with the symbol of the suit, after a narrow no-break space.
const BID = /^([1-9])(c|d|h|s|nt)$/, SYMBOLS = { c: "♣", d: "♦", h: "♥", s: "♠" };
export const word = (text) => {
  const [, level, strain] = BID.exec(text) ?? [];
  if (strain === "nt") return t("{level} NT", { level });
  return strain ? t("{level} {symbol}", { level, symbol: SYMBOLS[strain] }) : t(text.replaceAll("-", " "));
};
