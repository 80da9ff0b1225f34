// What this device may do, and the button of the sheet that connects phones, whose module is loaded when it is first
// opened.

import { $ } from "./dom.js";

let state = null;
let sheet = null; // the module of the sheet

export function phones(next) {
  state = next;
  document.body.dataset.may = next.you.may.join(" ");
  sheet?.phones(next);
}

// Opens the sheet, with the code for `seat` if given. Devices other than the board and the director's go to the page of
// phones instead.
export async function openPhones(seat = null) {
  if (!["board", "director"].includes(state.you.role)) {
    location.href = "phone";
    return;
  }
  sheet ??= await import("./phones-sheet.js").catch(() => null); // without a connection the page says so
  sheet?.openSheet(state, seat);
}

$("phones-button").addEventListener("click", () => openPhones());
