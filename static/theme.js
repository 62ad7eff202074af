// Light or dark as somebody chose it on this device, else as the system says. Runs before the page
// is painted, so that it never shows in the other one first.

const CHOICES = { system: "as the system", light: "light", dark: "dark" };

function chosenTheme() {
  try {
    const kept = localStorage.getItem("theme");
    return kept in CHOICES ? kept : "system";
  } catch {
    return "system"; // nothing may be kept here
  }
}

function putOn(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.querySelector("meta[name=color-scheme]").content = theme === "system" ? "light dark" : theme;
  document.dispatchEvent(new Event("theme"));
}

function keep(theme) {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // then it holds for this page
  }
}

putOn(chosenTheme());
addEventListener("storage", ({ key }) => {
  if (key === "theme") putOn(chosenTheme()); // chosen in another tab
});

document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("theme-switch");
  if (!place) return;
  const select = document.createElement("select");
  select.id = "theme";
  for (const [value, words] of Object.entries(CHOICES)) {
    select.add(new Option(words, value, false, value === chosenTheme()));
  }
  select.addEventListener("change", () => {
    keep(select.value);
    putOn(select.value);
  });
  document.addEventListener("theme", () => (select.value = document.documentElement.dataset.theme ?? "system"));
  place.append(select);
  place.hidden = false;
});
