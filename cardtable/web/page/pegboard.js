// A cribbage board: a track of holes for each side, with pegs for its present and its previous score.

import { svg } from "./dom.js";
import { t } from "./texts.js";

const STEP = 6, TRACK = 14, GROUP = 5;

export function pegs(state) {
  if (!state.pegs) return [];
  const length = state.target;
  const width = x(length) + STEP, height = state.pegs.length * TRACK;
  const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label(state) });
  for (const line of state.peg_lines.filter((score) => score < length - 1)) board.append(svg("line", { x1: x(line) + STEP * 0.75, x2: x(line) + STEP * 0.75, y1: 0, y2: height, class: "line" }));
  state.pegs.forEach(([before, score], side) => {
    const y = TRACK * (side + 0.5);
    for (let hole = 1; hole <= length; hole += 1) board.append(svg("circle", { cx: x(hole), cy: y, r: 1.6, class: "hole" }));
    board.append(svg("line", { x1: x(0), x2: x(score), y1: y, y2: y, class: `run side-${side}` }));
    for (const [at, kind] of [[before, "back"], [score, "front"]]) board.append(svg("circle", { cx: x(at), cy: y, r: 6, class: `peg ${kind} side-${side}` }));
  });
  return [board];
}

// There is a gap after every fifth hole, as on a wooden board.
const x = (hole) => STEP * (hole + 0.5) + Math.floor(Math.max(hole - 1, 0) / GROUP) * STEP * 0.5;

function label(state) {
  return state.pegs.map(([, score], side) => t("{name}: {score} of {target}", { name: state.seats[side].name, score, target: state.target })).join("; ");
}
