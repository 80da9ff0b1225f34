// A QR code, drawn from its rows of modules.

import { svg } from "./dom.js";
import { t } from "./texts.js";

const QUIET = 4; // modules of the light margin

// Rows of modules as one path: a square for each dark one.
export function qr(rows) {
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")))
    .join("");
  return svg(
    "svg",
    {
      viewBox: `0 0 ${size} ${size}`,
      class: "qr",
      role: "img",
      "aria-label": t("QR code"),
      "shape-rendering": "crispEdges",
    },
    svg("path", { d: `M0 0h${size}v${size}H0z`, fill: "#fff" }),
    svg("path", { d: path, fill: "#000" }),
  );
}
