// The cribbage board: a street of 30 holes, or of more in a longer game, up and down, with a hole at the end; for each
// side a peg at its score and one at its score before.

import { svg } from "./dom.js";
import { t } from "./texts.js";

const STREET = 30,
  GAP = 24,
  HOLE = 26,
  FIVE = 10,
  LANE = 38,
  TOP = 60; // px of the drawing

export function pegs(state) {
  if (!state.pegs) return [];
  const lanes = state.pegs.length,
    width = LANE * lanes,
    streets = Math.ceil((state.target - 1) / STREET);
  const at = (score, side) => {
    const street = Math.min(Math.floor(Math.max(score - 1, 0) / STREET), streets - 1),
      along = score - 1 - street * STREET;
    const up = street % 2 === 0,
      y = HOLE * along + FIVE * Math.floor(Math.max(along, 0) / 5);
    const height = HOLE * (STREET - 1) + FIVE * 5;
    return [40 + street * (width + GAP) + side * LANE, TOP + (up ? height - y : y)];
  };
  const right = at((streets - 1) * STREET + 1, lanes - 1)[0] + 40,
    bottom = TOP + HOLE * 31 + FIVE * 5 + 50;
  const board = svg("svg", { viewBox: `0 0 ${right} ${bottom}`, role: "img", "aria-label": label(state) });
  const holes = svg("g", { class: "holes" });
  for (let side = 0; side < lanes; side += 1)
    for (let score = 1; score <= state.target; score += 1) {
      const [x, y] = at(score, side);
      holes.append(svg("circle", { cx: x, cy: y, r: 5 }));
    }
  for (let street = 0; street < streets; street += 1) {
    const [x] = at(street * STREET + 1, 0);
    board.append(
      svg("path", {
        class: "street",
        "stroke-linecap": "round",
        "stroke-width": width + 6,
        d: `M${x + (width - LANE) / 2} ${TOP - 6}V${TOP + HOLE * 29 + FIVE * 5 + 6}`,
      }),
    );
  }
  board.append(holes);
  for (const line of state.peg_lines.filter((score) => score < state.target - 1)) {
    const [x, y] = at(line, 0),
      [, next] = at(line + 1, 0);
    board.append(
      svg("line", { class: "skunk", x1: x - 22, x2: x + width - LANE + 22, y1: (y + next) / 2, y2: (y + next) / 2 }),
    );
  }
  for (let street = 0; street < streets; street += 1) {
    const last = Math.min((street + 1) * STREET, state.target - 1),
      [x, y] = at(last, 0);
    board.append(svg("text", { x: x + (width - LANE) / 2, y: street % 2 ? y + 46 : y - 28, "text-anchor": "middle" }));
    board.lastChild.textContent = String(last === state.target - 1 ? state.target : last);
  }
  state.pegs.forEach(([before, score], side) => {
    for (const [value, kind] of [
      [before, "rear"],
      [score, "front"],
    ]) {
      const [x, y] = value ? at(value, side) : [at(1, side)[0], at(1, side)[1] + (kind === "front" ? 34 : 60)];
      board.append(
        svg(
          "g",
          { transform: `translate(${x} ${y})${side % 2 ? " rotate(45)" : ""}` },
          side % 2
            ? svg("rect", { class: `peg ${kind} side-${side}`, x: -11, y: -11, width: 22, height: 22 })
            : svg("circle", { class: `peg ${kind} side-${side}`, r: 12 }),
        ),
      );
    }
  });
  return [board];
}

function label(state) {
  return state.pegs
    .map(([, score], side) =>
      t("{name}: {score} of {target}", { name: state.seats[side].name, score, target: state.target }),
    )
    .join("; ");
}
