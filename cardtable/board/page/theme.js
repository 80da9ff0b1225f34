// Light or dark theme: the setting of the device until a player chooses.

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
