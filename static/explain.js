// Says what a measure is, beside its name: while a mouse is over it, while it has the focus, and at
// the first touch of a link to its page; the second one follows it. Escape puts it away.

const bubble = document.createElement("div");
bubble.id = "explanation";
bubble.setAttribute("role", "tooltip");
bubble.hidden = true;
document.body.append(bubble);
let shown = null;

const namedBy = (target) => target.closest?.("[data-explained]");

// The browser's own bubble would come up as well, so the title becomes ours.
function meaningOf(name) {
  if (name.title) {
    name.dataset.explained = name.title;
    name.removeAttribute("title");
  }
  return name.dataset.explained;
}

function show(name) {
  if (shown === name) return;
  hide();
  shown = name;
  bubble.textContent = meaningOf(name);
  bubble.hidden = false;
  name.setAttribute("aria-describedby", bubble.id);
  const place = name.getBoundingClientRect();
  const { width, height } = bubble.getBoundingClientRect();
  const room = document.documentElement.clientWidth - width - 8;
  const isBelow = place.bottom + height + 14 < innerHeight && name.tagName !== "SELECT";
  const top = isBelow || place.top < height + 14 ? place.bottom + 6 : place.top - height - 6;
  bubble.style.left = `${Math.max(8, Math.min(place.left, room))}px`;
  bubble.style.top = `${top}px`;
}

function hide() {
  shown?.removeAttribute("aria-describedby");
  // Who cannot see the bubble is told by the title, until the next time.
  if (shown) shown.title = shown.dataset.explained;
  shown = null;
  bubble.hidden = true;
}

document.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType === "touch" || bubble.contains(target)) return;
  const name = namedBy(target);
  if (name) show(name);
  else if (shown && shown !== document.activeElement) hide();
});
document.addEventListener("focusin", ({ target }) => {
  const name = namedBy(target);
  if (name?.matches(":focus-visible")) show(name);
});
document.addEventListener("focusout", hide);
document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
document.addEventListener("scroll", hide, { capture: true, passive: true });
document.addEventListener("change", ({ target }) => target === shown && hide()); // it is another one now

let touched = false;
document.addEventListener("pointerdown", ({ target, pointerType }) => {
  touched = pointerType === "touch";
  if (touched && !namedBy(target)) hide();
});
document.addEventListener("click", (event) => {
  const name = namedBy(event.target);
  if (!touched || !name?.matches("a.measure") || name === shown) return;
  event.preventDefault();
  show(name);
});
