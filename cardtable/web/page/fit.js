// Sizes that depend on the content: the largest at which everything is inside its box.

import { settings } from "./settings.js";

const STEP = 0.94, LEAST = 0.2;

// Sets the custom property `name` of `box` to the largest number, from 1 down to `least`, with which nothing overflows;
// returns whether there is one.
function fit(box, name, least, inside) {
  for (let size = 1; size > least; size *= STEP) {
    box.style.setProperty(name, size);
    if (inside()) return true;
  }
  box.style.setProperty(name, least);
  return inside();
}

export const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

// Cards as large as possible. Positions of the layout are used, which the animation of a new card does not change.
export function fill(box) {
  if (box.clientHeight) fit(box, "--fit", LEAST, () => !overflows(box));
}

export function shrink(box, least = 0.45, inside = () => !overflows(box)) {
  if (box.clientHeight) fit(box, "--shrink", least, inside);
}

const LARGER = [1.15, 1.1, 1.05]; // the factors of the setting “larger type”

// Draws with `draw`, in larger type if the settings ask for it: as large as possible without `cut()`.
export function enlarge(draw, cut) {
  const type = document.documentElement.style;
  for (const size of settings.type === "large" ? LARGER : []) {
    type.setProperty("--larger", size);
    draw();
    if (!cut()) return;
  }
  type.removeProperty("--larger");
  draw();
}

// A display as narrow as this is a phone in a hand, where type may be smaller than on a display across the table.
const PHONE_PX = 450;

// Type in `box` as large as possible, as long as `part` of it takes at most this share of the window's height, and
// `prompts` have two lines at most. Returns whether that is so.
export const talk = (box, part, share, prompts) => fit(box, "--talk", (innerWidth < PHONE_PX ? 13 : 26) / 36.8, () => part.scrollHeight <= innerHeight * share && isShort(prompts));

// Whether each of `prompts`, or of the children of an element, has so many lines at most; the size of its type is the height of a line.
export const isShort = (prompts, lines = 2) => [...(prompts.children ?? prompts)].every((prompt) => prompt.clientHeight < (lines + 0.6) * parseFloat(getComputedStyle(prompt).fontSize));
