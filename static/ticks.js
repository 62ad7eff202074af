// Two runs of the board are ticked and compared: says how many more, and which. The form does without.
// Ticks outlive a page that looks again by itself, or is shown by another measure.

const form = document.getElementById("compare");
const KEPT = `ticked ${location.pathname}`;
const USUAL = document.getElementById("compare-told")?.textContent;

if (form) {
  const kept = new Set(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]"));
  for (const box of boxes()) box.checked ||= kept.has(box.value);
  document.addEventListener("change", ({ target }) => target.matches(".board [name=run]") && tell());
  form.addEventListener("submit", () => sessionStorage.removeItem(KEPT));
  tell(); // a browser that goes back keeps the ticks
}

function boxes() {
  return [...document.querySelectorAll(".board [name=run]")];
}

function tell() {
  const ticked = boxes().filter((box) => box.checked);
  sessionStorage.setItem(KEPT, JSON.stringify(ticked.map((box) => box.value)));
  const names = ticked.map((box) => box.closest("th").querySelector("a").textContent);
  form.querySelector("button").disabled = ticked.length > 0 && ticked.length !== 2;
  document.getElementById("compare-told").textContent = words(names);
}

function words(names) {
  if (!names.length) return USUAL;
  if (names.length === 1) return `${names[0]}: tick one more`;
  if (names.length === 2) return `${names[0]} and ${names[1]}`;
  return `${names.length} runs are ticked; two can be set side by side`;
}
