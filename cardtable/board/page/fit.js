// Cards as large as the felt has room for all of them.

const STEP = 0.94, LEAST = 0.2;

// `box` holds groups of cards whose size goes by --fit: the largest with which every group lies within the box.
export function fit(box) {
  const rim = parseFloat(getComputedStyle(box).paddingTop) - 1; // positions are whole pixels
  for (let size = 1; size > LEAST; size *= STEP) {
    box.style.setProperty("--fit", size);
    if ([...box.children].every((group) => within(group, box, rim))) return;
  }
}

// By where it is laid out: the animation of a new card does not change its size here.
function within(group, box, rim) {
  const { offsetTop: top, offsetLeft: left, offsetHeight: height, offsetWidth: width } = group;
  return top >= rim && left >= rim && top + height <= box.clientHeight - rim && left + width <= box.clientWidth - rim;
}
