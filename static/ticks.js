// Shows which runs of the board are selected for a comparison. The form works without this script.
// The selection survives a reload of the page and a change of the measure.

const form = document.getElementById("compare");
const STORAGE_KEY = `ticked ${location.pathname}`;
const HINT = document.getElementById("compare-selection")?.textContent;

if (form) {
  const selected = new Set(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]"));
  for (const box of boxes()) box.checked ||= selected.has(box.value);
  document.addEventListener("change", ({ target }) => target.matches(".board [name=run]") && update());
  form.addEventListener("submit", () => sessionStorage.removeItem(STORAGE_KEY));
  update(); // a browser keeps the check marks when it goes back
}

function boxes() {
  return [...document.querySelectorAll(".board [name=run]")];
}

function update() {
  const ticked = boxes().filter((box) => box.checked);
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(ticked.map((box) => box.value)));
  const names = ticked.map((box) => box.closest("th").querySelector("a").textContent);
  form.querySelector("button").disabled = ticked.length > 0 && ticked.length !== 2;
  document.getElementById("compare-selection").textContent = words(names);
}

function words(names) {
  if (!names.length) return HINT;
  if (names.length === 1) return `${names[0]}: select one more run`;
  if (names.length === 2) return `${names[0]} and ${names[1]}`;
  return `${names.length} runs are selected; a comparison takes two`;
}
