// Keys for the assessment page, and a queue of actions that survives a lost connection.
//
// Each action is stored in this browser with a key of its own until the site confirms it. Sent
// twice, it counts once. Without this script the page is a plain form.

import { actionsOf, outcome, sendAll, storage } from "./unsent.js";

const REFRESH = 5_000;
const RETRY = 5_000;
const RENEW = 5 * 60_000; // a request for the page renews the lease

const unsent = document.getElementById("unsent");
const statusLine = document.getElementById("status");
const person = unsent.dataset.person;
let isSending = false;
let retryTimer = 0;
let undoUrl = ""; // of the last undo

// --- sending ---------------------------------------------------------------------------------

async function send() {
  if (isSending) return;
  isSending = true;
  clearTimeout(retryTimer);
  try {
    const result = await sendAll(person, token, handleResponse);
    showUnsent(result);
    if (result === outcome.offline) retryTimer = setTimeout(send, RETRY);
  } finally {
    isSending = false;
  }
}

function handleResponse(data, action) {
  const form = currentForm();
  if (!form || actionsOf(person).some((each) => each.to === action.to)) return;
  if (data.next_url && !data.message) location.assign(data.next_url);
  else if (action.to === form.getAttribute("action")) show(data.page, data.message);
  else if (action.to === undoUrl) data.message ? showMessage(data.message) : location.assign(action.to); // of another topic
}

function token() {
  return document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

function showUnsent(result) {
  const actions = actionsOf(person);
  const refused = actions.filter((action) => action.refused);
  const waiting = actions.length - refused.length;
  const lines = [];
  if (waiting && result) lines.push(`Not sent yet: ${waiting}. ${reason(result)}`);
  for (const action of refused) lines.push(`Not saved, topic ${action.topic}, document ${action.fields.doc_id || action.fields.last}: ${action.refused}`);
  unsent.hidden = lines.length === 0;
  unsent.replaceChildren(...lines.map((line) => {
    const part = document.createElement("span");
    part.textContent = `${line} `;
    return part;
  }));
  if (waiting && result === outcome.loggedOut) unsent.append(loginLink());
  if (refused.length) unsent.append(button("Discard these judgments", () => {
    for (const action of refused) storage.remove(action);
    showUnsent(result);
  }));
}

function reason(result) {
  if (result === outcome.loggedOut) return "You are logged out. Your judgments are stored on this device.";
  if (result === outcome.broken) return "The site has an error. Your judgments are stored on this device and will be sent again.";
  return "Your judgments are stored on this device and will be sent when the connection is back.";
}

function loginLink() {
  const link = document.createElement("a");
  link.href = `/accounts/login/?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Log in again";
  return link;
}

function button(text, onClick) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "link";
  element.textContent = text;
  element.addEventListener("click", onClick);
  return element;
}

// --- the form --------------------------------------------------------------------------------

let refreshTimer = 0;

const currentForm = () => document.getElementById("assessment");

function show(html, message = "") {
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("assessment");
  if (!next) return;
  currentForm().replaceWith(next);
  prepare(next);
  window.scrollTo(0, 0);
  // If no document is left, Enter opens the next topic.
  next.querySelector(".document, .actions .main")?.focus({ preventScroll: true });
  const title = next.querySelector(".document h2")?.textContent.trim();
  statusLine.textContent = title ? `Next: ${title}` : "";
  if (message) showMessage(message);
}

function showMessage(message) {
  statusLine.textContent = message;
  const line = document.createElement("p");
  line.className = "notice";
  line.textContent = message;
  currentForm().prepend(line);
}

async function refresh() {
  const form = currentForm();
  if (!form) return;
  if (isSending || actionsOf(person).length) return scheduleRefresh();
  try {
    const response = await fetch(form.getAttribute("action"), { headers: { Accept: "text/html" } });
    if (response.redirected && new URL(response.url).searchParams.has("all")) return location.assign(response.url);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.getElementById("assessment");
    if (next && "waits" in form.dataset && textOf(next) !== textOf(form)) show(next.outerHTML);
  } catch {
    // No connection: try again later.
  }
  scheduleRefresh();
}

// The document, or the text and links of a form without one.
const textOf = (form) => form.dataset.doc + [...form.querySelectorAll(".lead, .actions a")].map((part) => part.textContent.trim()).join();

function scheduleRefresh() {
  clearTimeout(refreshTimer);
  const form = currentForm();
  if (!form || "again" in form.dataset) return;
  refreshTimer = setTimeout(() => (document.hidden ? scheduleRefresh() : refresh()), "waits" in form.dataset ? REFRESH : RENEW);
}

function prepare(form) {
  const { note, is_unsure: unsure } = form.elements;
  if (note && !("again" in form.dataset)) {
    const draft = JSON.parse(sessionStorage.getItem(draftKey(form)) ?? "null");
    if (draft) {
      note.value = draft.note;
      unsure.checked = draft.isUnsure;
      document.getElementById("note").open = Boolean(draft.note);
    }
    const save = () => sessionStorage.setItem(draftKey(form), JSON.stringify({ note: note.value, isUnsure: unsure.checked }));
    note.addEventListener("input", save);
    unsure.addEventListener("change", save);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    perform(form, event.submitter);
  });
  markPending(form);
  scheduleRefresh();
}

const draftKey = (form) => `trackside draft ${person} ${form.getAttribute("action")} ${form.dataset.doc}`;

// Highlights the button of an action that the site has not confirmed yet.
function markPending(form) {
  const last = actionsOf(person).filter((each) => !each.refused && each.to === form.getAttribute("action")
    && (each.fields.act === "undo" ? each.fields.last : each.fields.doc_id) === form.dataset.doc).at(-1);
  if (!last && !form.querySelector("[data-pending]")) return;
  for (const key of form.querySelectorAll("[name=grade], [value=skip]")) {
    const isPending = Boolean(last) && (key.name === "grade" ? last.fields.grade === key.value : last.fields.act === "skip");
    key.classList.toggle("chosen", isPending);
    key.toggleAttribute("data-pending", isPending);
  }
}

function perform(form, pressed) {
  if (isSending || !pressed?.name) return; // the response shows the next document
  const fields = { act: pressed.name === "grade" ? "judge" : pressed.value, doc_id: form.dataset.doc };
  const pending = form.querySelector("[data-pending]");
  if (fields.act === "undo") fields.last = pending ? form.dataset.doc : form.elements.last.value;
  if (fields.act === "judge") {
    fields.grade = pressed.value;
    fields.note = form.elements.note.value;
    if (form.elements.is_unsure.checked) fields.is_unsure = "on";
  }
  if (pending && pending === pressed) return; // pressed twice
  sessionStorage.removeItem(draftKey(form));
  const to = (!pending && pressed.getAttribute?.("formaction")) || form.getAttribute("action");
  if (fields.act === "undo") undoUrl = to;
  storage.add(person, { to, topic: document.querySelector(".topic-title .code").textContent, fields });
  markPending(form);
  send();
}

document.addEventListener("keydown", (event) => {
  const form = currentForm();
  const isTyping = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && isTyping) event.target.blur();
  if (!form || isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const pressed = /^[0-9]$/.test(event.key)
    ? form.querySelector(`[name=grade][value="${event.key}"]`)
    : form.querySelector({ s: "[value=skip]", z: "[value=undo]" }[event.key] ?? "#none");
  if (pressed) pressed.click();
  else if (event.key === "z" && form.querySelector("[data-pending]")) perform(form, { name: "act", value: "undo" });
  else if (event.key === "u") form.querySelector("#unsure")?.click();
  else if (event.key === "n" && form.querySelector("#note")) {
    event.preventDefault();
    form.querySelector("#note").open = true;
    form.elements.note.focus();
  }
});

window.addEventListener("online", send);
window.addEventListener("storage", () => showUnsent(isSending ? null : outcome.offline));
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // the browser restored an old page
});

const form = currentForm();
if (form) prepare(form);
send();
