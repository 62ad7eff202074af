// What is typed, dragged or pressed is answered at once: the same page is fetched, and its live part
// takes the place of the one shown. Without this script the form does it.

const PATIENCE = 120; // milliseconds after the last key

const form = document.getElementById("playground");
let asked = null;
let waiting = 0;

document.getElementById("apply").hidden = true;
for (const field of form.querySelectorAll("[data-step]")) slide(field);
form.addEventListener("input", later);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  show(pageUrl());
});
document.addEventListener("click", press);

// A slider beside the number; it reaches as far as is usual, the number as far as is allowed.
function slide(field) {
  const number = field.querySelector("input");
  const slider = document.createElement("input");
  const { low, high, step } = field.dataset;
  Object.assign(slider, { type: "range", min: low, max: high, step, value: number.value });
  slider.setAttribute("aria-label", `${number.name}, as a slider`);
  slider.addEventListener("input", () => { number.value = slider.value; });
  number.addEventListener("input", () => { slider.value = number.value; });
  number.after(slider);
}

function later() {
  clearTimeout(waiting);
  waiting = setTimeout(() => show(pageUrl()), PATIENCE);
}

function pageUrl() {
  const here = new URL(location.pathname, location);
  for (const [name, value] of new FormData(form)) {
    if (value !== "" || name === "ranking") here.searchParams.set(name, value);
  }
  return here;
}

// A box, or the name of a measure: the link says the whole URL.
function press(event) {
  const link = event.target.closest("#live .boxes a, #live .play-rows a");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const there = new URL(link.href);
  for (const name of ["ranking", "top", "measure"]) {
    if (there.searchParams.has(name)) form.elements[name].value = there.searchParams.get(name);
  }
  show(there, link.dataset.rank);
}

async function show(there, rank) {
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await fetch(there, { signal: asked.signal });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    replaceParts(page);
    history.replaceState(null, "", there);
    if (rank) document.querySelector(`#live [data-rank="${rank}"]`)?.focus();
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

function replaceParts(page) {
  for (const part of ["#live", "#measure"]) {
    const fresh = page.querySelector(part);
    if (fresh) document.querySelector(part).replaceWith(document.adoptNode(fresh));
  }
  for (const field of form.querySelectorAll("[data-field]")) {
    const said = page.querySelector(`[data-field="${field.dataset.field}"] .errorlist`);
    field.querySelector(".errorlist").replaceWith(document.adoptNode(said));
  }
}
