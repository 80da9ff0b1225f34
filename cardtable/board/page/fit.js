// Makes the cards as large as possible, so that all of them fit on the felt.

const STEP = 0.94, LEAST = 0.2;

// `box` contains groups of cards scaled by --fit. Sets the largest --fit for which all groups are inside the box.
export function fit(box) {
  const rim = parseFloat(getComputedStyle(box).paddingTop) - 1; // positions are whole pixels
  for (let size = 1; size > LEAST; size *= STEP) {
    box.style.setProperty("--fit", size);
    if ([...box.children].every((group) => within(group, box, rim))) return;
  }
}

// Uses the layout position, which the animation of a new card does not change.
function within(group, box, rim) {
  const { offsetTop: top, offsetLeft: left, offsetHeight: height, offsetWidth: width } = group;
  return top >= rim && left >= rim && top + height <= box.clientHeight - rim && left + width <= box.clientWidth - rim;
}
