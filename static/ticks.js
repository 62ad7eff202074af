// Two runs of the board are ticked and compared: says how many more, and which. The form does without.

const form = document.getElementById("compare");
const USUAL = document.getElementById("compare-told")?.textContent;

if (form) {
  document.addEventListener("change", ({ target }) => target.matches(".board [name=run]") && tell());
  tell(); // a browser that goes back keeps the ticks
}

function tell() {
  const ticked = [...document.querySelectorAll(".board [name=run]:checked")];
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
