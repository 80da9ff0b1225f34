// Light and dark: as the device has it, until somebody chooses.

function theme(choice) {
  if (choice) document.documentElement.dataset.theme = choice;
}
theme(localStorage.getItem("theme"));
document.getElementById("theme-button").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme", dark ? "light" : "dark");
  theme(dark ? "light" : "dark");
});
