// The cards in the camera's picture: each can be tapped, as can the picture close to one.

import { split } from "./cards.js";
import { correctable, whatIsIt } from "./correct.js";
import { $, make, region } from "./dom.js";
import { t } from "./texts.js";

const NEAR = 0.1; // the largest distance from a card at which a tap means it, as a share of the picture's width

let cards = [];

function range(card, axis) {
  const along = card.corners.map((corner) => corner[axis]);
  return [Math.min(...along), Math.max(...along)];
}
const middle = (card, axis) => (range(card, axis)[0] + range(card, axis)[1]) / 2;

// Draws a frame around each card that the camera `source` (empty: any camera) sees, if the picture is `visible` and
// this page may correct them.
export function spots(state, source, visible) {
  const shown = state.seen.filter((card) => !source || card.source === source);
  cards = visible && correctable(state) ? shown : [];
  place();
}

function place() {
  const box = $("picture").getBoundingClientRect(),
    outside = $("camera").getBoundingClientRect();
  const [x, y] = [box.left - outside.left, box.top - outside.top];
  region("spots", [cards, x, y, box.width, box.height], () =>
    cards.map((card) => {
      const [[left, right], [top, bottom]] = [range(card, 0), range(card, 1)];
      const style = {
        "--left": `${x + left * box.width}px`,
        "--top": `${y + top * box.height}px`,
        "--width": `${(right - left) * box.width}px`,
        "--height": `${(bottom - top) * box.height}px`,
      };
      const label = card.card ? split(card.card).spoken : t("a card that cannot be read");
      return make("button", {
        class: `spot${card.card ? "" : " unread"}`,
        style,
        "aria-label": label,
        onclick: () => whatIsIt(card),
      });
    }),
  );
}

$("picture").addEventListener("click", (event) => {
  const box = $("picture").getBoundingClientRect();
  const away = (card) =>
    Math.hypot(
      middle(card, 0) - (event.clientX - box.left) / box.width,
      ((middle(card, 1) - (event.clientY - box.top) / box.height) * box.height) / box.width,
    );
  const nearest = cards.toSorted((a, b) => away(a) - away(b))[0];
  if (nearest && away(nearest) < NEAR) whatIsIt(nearest);
});
$("picture").addEventListener("load", place);
addEventListener("resize", place);
