// What this device may do, and the way to the sheet that connects phones, whose own module is loaded when it is opened
// for the first time.

import { $ } from "./dom.js";

let state = null;
let sheet = null; // the module of the sheet

export function phones(next) {
  state = next;
  document.body.dataset.may = next.you.may.join(" ");
  sheet?.phones(next);
}

// Opens the sheet, at the code for `seat` if one is given. Any other device than the board or the director's goes to the
// page of phones instead.
export async function openPhones(seat = null) {
  if (!["board", "director"].includes(state.you.role)) {
    location.href = "phone";
    return;
  }
  sheet ??= await import("./phones-sheet.js").catch(() => null); // without a connection the page says so
  sheet?.openSheet(state, seat);
}

$("phones-button").addEventListener("click", () => { $("history-sheet").close(); openPhones(); });
