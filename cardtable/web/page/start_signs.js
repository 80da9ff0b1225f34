// Shared by the first start and the doctor: the words for the signs before findings, and the colours of the device.

import "./cursor.js";
import { $ } from "./dom.js";
import { t } from "./texts.js";

export const SIGNS = { good: t("good"), warning: t("could be better"), trouble: t("does not work") };

const dark = matchMedia("(prefers-color-scheme: dark)");

export function themed() {
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
}
dark.addEventListener("change", themed);

// Waits for an answer, however long it takes, and shows beside the title how many seconds that is.
export async function waited(answer) {
  const began = performance.now();
  const timer = setInterval(() => { $("place").dataset.waited = Math.round((performance.now() - began) / 1000); }, 1000);
  try {
    return await answer;
  } finally {
    clearInterval(timer);
    delete $("place").dataset.waited;
  }
}
