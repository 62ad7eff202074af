// The assessor's desk with keys, and a queue of acts that outlasts a lost connection.
//
// Each act is kept in this browser, under a key of its own, until the site has answered that it has
// it; sent twice it counts once. Without this file the desk is a plain form.

import { actsOf, flushed, keep, outcome } from "./unsent.js";

const LOOK_AGAIN = 5_000;
const TRY_AGAIN = 5_000;
const STAY = 5 * 60_000; // a look renews the lease

const unsent = document.getElementById("unsent");
const said = document.getElementById("said");
const person = unsent.dataset.person;
let isSending = false;
let retry = 0;
let undoneAt = ""; // the address of the last undo

// --- sending ---------------------------------------------------------------------------------

async function send() {
  if (isSending) return;
  isSending = true;
  clearTimeout(retry);
  try {
    const result = await flushed(person, token, (answer, act) => answered(answer, act));
    tell(result);
    if (result === outcome.away) retry = setTimeout(send, TRY_AGAIN);
  } finally {
    isSending = false;
  }
}

function answered(answer, act) {
  const desk = document.getElementById("desk");
  if (!desk || actsOf(person).some((each) => each.to === act.to)) return;
  if (answer.onward && !answer.said) location.assign(answer.onward);
  else if (act.to === desk.getAttribute("action")) show(answer.desk, answer.said);
  else if (act.to === undoneAt) answer.said ? say(answer.said) : location.assign(act.to); // of another topic
}

function token() {
  return document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

// What is not sent yet, and what to do about it.
function tell(result) {
  const acts = actsOf(person);
  const refused = acts.filter((act) => act.refused);
  const waiting = acts.length - refused.length;
  const lines = [];
  if (waiting && result) lines.push(`Not sent yet: ${waiting}. ${reason(result)}`);
  for (const act of refused) lines.push(`Not taken, topic ${act.topic}, document ${act.fields.doc_id || act.fields.last}: ${act.refused}`);
  unsent.hidden = lines.length === 0;
  unsent.replaceChildren(...lines.map((line) => {
    const part = document.createElement("span");
    part.textContent = `${line} `;
    return part;
  }));
  if (waiting && result === outcome.loggedOut) unsent.append(loginLink());
  if (refused.length) unsent.append(button("Forget these", () => {
    for (const act of refused) keep.forget(act);
    tell(result);
  }));
}

function reason(result) {
  if (result === outcome.loggedOut) return "You are logged out; it is kept on this device.";
  if (result === outcome.broken) return "The site has trouble; it is kept on this device and sent again.";
  return "It is kept on this device and sent when the connection is back.";
}

function loginLink() {
  const link = document.createElement("a");
  link.href = `/accounts/login/?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Log in again";
  return link;
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "link";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

// --- the desk --------------------------------------------------------------------------------

let waiting = 0;

function show(html, words = "") {
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("desk");
  if (!next) return;
  document.getElementById("desk").replaceWith(next);
  prepare(next);
  window.scrollTo(0, 0);
  // Where nothing is left here, Enter goes on with the next topic.
  next.querySelector(".document, .acts .main")?.focus({ preventScroll: true });
  const title = next.querySelector(".document h2")?.textContent.trim();
  said.textContent = title ? `Next: ${title}` : "";
  if (words) say(words);
}

function say(words) {
  said.textContent = words;
  const line = document.createElement("p");
  line.className = "notice";
  line.textContent = words;
  document.getElementById("desk").prepend(line);
}

async function look() {
  const desk = document.getElementById("desk");
  if (!desk) return;
  if (isSending || actsOf(person).length) return plan();
  try {
    const response = await fetch(desk.getAttribute("action"), { headers: { Accept: "text/html" } });
    if (response.redirected && new URL(response.url).searchParams.has("all")) return location.assign(response.url);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.getElementById("desk");
    if (next && "waits" in desk.dataset && told(next) !== told(desk)) show(next.outerHTML);
  } catch {
    // Away: the next look will tell.
  }
  plan();
}

// What a desk without a document says, and where it leads.
const told = (desk) => desk.dataset.doc + [...desk.querySelectorAll(".say, .acts a")].map((part) => part.textContent.trim()).join();

function plan() {
  clearTimeout(waiting);
  const desk = document.getElementById("desk");
  if (!desk || "again" in desk.dataset) return;
  waiting = setTimeout(() => (document.hidden ? plan() : look()), "waits" in desk.dataset ? LOOK_AGAIN : STAY);
}

function prepare(desk) {
  const { note, is_unsure: unsure } = desk.elements;
  if (note && !("again" in desk.dataset)) {
    const draft = JSON.parse(sessionStorage.getItem(draftKey(desk)) ?? "null");
    if (draft) {
      note.value = draft.note;
      unsure.checked = draft.isUnsure;
      document.getElementById("note").open = Boolean(draft.note);
    }
    const save = () => sessionStorage.setItem(draftKey(desk), JSON.stringify({ note: note.value, isUnsure: unsure.checked }));
    note.addEventListener("input", save);
    unsure.addEventListener("change", save);
  }
  desk.addEventListener("submit", (event) => {
    event.preventDefault();
    act(desk, event.submitter);
  });
  mark(desk);
  plan();
}

const draftKey = (desk) => `trackside draft ${person} ${desk.getAttribute("action")} ${desk.dataset.doc}`;

// Shows what was pressed and has not been answered yet.
function mark(desk) {
  const last = actsOf(person).filter((each) => !each.refused && each.to === desk.getAttribute("action")
    && (each.fields.act === "undo" ? each.fields.last : each.fields.doc_id) === desk.dataset.doc).at(-1);
  if (!last && !desk.querySelector("[data-pending]")) return;
  for (const key of desk.querySelectorAll("[name=grade], [value=skip]")) {
    const is = Boolean(last) && (key.name === "grade" ? last.fields.grade === key.value : last.fields.act === "skip");
    key.classList.toggle("chosen", is);
    key.toggleAttribute("data-pending", is);
  }
}

function act(desk, pressed) {
  if (isSending || !pressed?.name) return; // the answer brings the next document
  const fields = { act: pressed.name === "grade" ? "judge" : pressed.value, doc_id: desk.dataset.doc };
  const pending = desk.querySelector("[data-pending]");
  if (fields.act === "undo") fields.last = pending ? desk.dataset.doc : desk.elements.last.value;
  if (fields.act === "judge") {
    fields.grade = pressed.value;
    fields.note = desk.elements.note.value;
    if (desk.elements.is_unsure.checked) fields.is_unsure = "on";
  }
  if (pending && pending === pressed) return; // pressed twice
  sessionStorage.removeItem(draftKey(desk));
  const to = (!pending && pressed.getAttribute?.("formaction")) || desk.getAttribute("action");
  if (fields.act === "undo") undoneAt = to;
  keep.add(person, { to, topic: document.querySelector(".asked .code").textContent, fields });
  mark(desk);
  send();
}

document.addEventListener("keydown", (event) => {
  const desk = document.getElementById("desk");
  const isTyping = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && isTyping) event.target.blur();
  if (!desk || isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const pressed = /^[0-9]$/.test(event.key)
    ? desk.querySelector(`[name=grade][value="${event.key}"]`)
    : desk.querySelector({ s: "[value=skip]", z: "[value=undo]" }[event.key] ?? "#none");
  if (pressed) pressed.click();
  else if (event.key === "z" && desk.querySelector("[data-pending]")) act(desk, { name: "act", value: "undo" });
  else if (event.key === "u") desk.querySelector("#unsure")?.click();
  else if (event.key === "n" && desk.querySelector("#note")) {
    event.preventDefault();
    desk.querySelector("#note").open = true;
    desk.elements.note.focus();
  }
});

window.addEventListener("online", send);
window.addEventListener("storage", () => tell(isSending ? null : outcome.away));
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // what is shown is of another moment
});

const desk = document.getElementById("desk");
if (desk) prepare(desk);
send();
