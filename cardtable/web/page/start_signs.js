// Shared by the first start and the doctor: the words for the signs before findings, and the colours of the device.

import "./cursor.js";
import { t } from "./texts.js";

export const SIGNS = { good: t("good"), warning: t("could be better"), trouble: t("does not work") };

const dark = matchMedia("(prefers-color-scheme: dark)");

export function themed() {
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
}
dark.addEventListener("change", themed);
