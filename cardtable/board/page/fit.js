// Sizes that depend on the content: the largest at which everything is inside its box.

const STEP = 0.94, LEAST = 0.2;

// Sets the custom property `name` of `box` to the largest number, from 1 down, with which nothing overflows.
function fit(box, name, least, inside) {
  for (let size = 1; size > least; size *= STEP) {
    box.style.setProperty(name, size);
    if (inside()) return;
  }
}

export const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

// Cards as large as possible. Positions of the layout are used, which the animation of a new card does not change.
export function fill(box) {
  if (box.clientHeight) fit(box, "--fit", LEAST, () => !overflows(box));
}

export function shrink(box, least = 0.45) {
  if (box.clientHeight) fit(box, "--shrink", least, () => !overflows(box));
}

// Type in `box` as large as possible, as long as `part` of it takes at most this share of the window's height.
export function talk(box, part, share) {
  fit(box, "--talk", 0.68, () => part.scrollHeight <= window.innerHeight * share);
}
