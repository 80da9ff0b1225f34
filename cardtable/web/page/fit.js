// Sizes that depend on the content: the largest at which everything is inside its box.

import { settings } from "./settings.js";

const STEP = 0.94,
  LEAST = 0.2;

// Sets the custom property `name` of `box` to the largest size from 1 down to `least` at which nothing overflows; by
// bisection, because each try lays the page out. Returns whether there is one.
function fit(box, name, least, inside) {
  const steps = Math.ceil(Math.log(least) / Math.log(STEP));
  const fits = (step) => {
    box.style.setProperty(name, Math.max(STEP ** step, least));
    return inside();
  };
  if (fits(0)) return true;
  if (!fits(steps)) return false;
  let large = 0,
    small = steps;
  while (small - large > 1) {
    const middle = Math.floor((large + small) / 2);
    if (fits(middle)) small = middle;
    else large = middle;
  }
  return fits(small);
}

export const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

// Makes each `.fit` in `box` that is too wide for its place narrower: all are measured, then all are set.
export function narrow(box) {
  const parts = [...box.querySelectorAll(".fit")];
  for (const part of parts) part.style.removeProperty("--fit");
  const shares = parts.map((part) => room(part) / part.scrollWidth);
  parts.forEach((part, number) => {
    if (shares[number] < 1) part.style.setProperty("--fit", Math.max(SPARE * shares[number], LEAST_NAME));
  });
}

const SPARE = 0.98; // against rounding
const LEAST_NAME = 0.36; // of the usual size; then a name ends with an ellipsis
const room = (part) => Math.min(part.clientWidth || Infinity, part.parentElement.clientWidth);

// Makes the type in `box` smaller if it is higher than `room()` px. Half the type needs a quarter of the height.
export function lower(box, room) {
  box.style.removeProperty("--fit");
  const height = box.offsetHeight,
    most = room();
  if (height > most && most > 0) box.style.setProperty("--fit", Math.max(Math.sqrt(most / height) * SPARE, LEAST_NAME));
}

export function shrink(box, least = 0.45, inside = () => !overflows(box)) {
  if (box.clientHeight) fit(box, "--shrink", least, inside);
}

const LARGER = [1.15, 1.1, 1.05]; // the factors of the setting “larger type”

// Draws with `draw`; if the settings ask for larger type, as large as possible without `cut()`.
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
