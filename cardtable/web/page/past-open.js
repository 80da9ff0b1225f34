// The buttons that open the history, whose module is loaded when it is first opened.

import { $, make } from "./dom.js";
import { t } from "./texts.js";

const past = () => import("./past.js");

export const openPast = async () => (await past()).openPast();

const failed = (error) => {
  $("past-buttons").lastChild.textContent = error.message;
};
const lastTrick = async () => (await past()).lastTrick();
$("past-buttons").append(
  make("button", { "aria-keyshortcuts": "L", onclick: () => lastTrick().catch(failed) }, t("Show the last trick")),
  make("button", { "aria-keyshortcuts": "H", onclick: openPast }, t("History")),
  make("p", { role: "status" }),
);

// The page of a phone leads here.
if (location.hash === "#history") {
  history.replaceState(null, "", location.pathname);
  openPast();
}
