// The two live regions, which screen readers read out: politely, or at once.

import { $, make } from "./dom.js";

export const politely = (texts) => announceIn("polite", texts);
export const atOnce = (texts) => announceIn("assertive", texts);

function announceIn(region, texts) {
  if (texts.length) $(region).replaceChildren(make("p", {}, texts.join(" ")));
}
