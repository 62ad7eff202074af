// Acts that the site has not answered yet, kept in this browser: one entry each, so that two tabs
// never write over one another's.

const PREFIX = "trackside unsent";
let added = 0;

export const outcome = { sent: "sent", away: "away", broken: "broken", loggedOut: "logged out" };

export const keep = {
  add(person, act) {
    const moment = String(Date.now()).padStart(15, "0");
    const count = String((added += 1)).padStart(8, "0"); // within one millisecond
    const key = newKey();
    localStorage.setItem(`${PREFIX} ${person} ${moment} ${count} ${key}`, JSON.stringify({ ...act, key }));
  },
  refuse(act, why) {
    const { name, ...rest } = act;
    localStorage.setItem(name, JSON.stringify({ ...rest, refused: why || "it was refused." }));
  },
  forget: (act) => localStorage.removeItem(act.name),
};

// In the order in which they were done.
export function actsOf(person) {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(`${PREFIX} ${person} `))
    .sort()
    .map((name) => ({ ...JSON.parse(localStorage.getItem(name)), name }));
}

// Sends one after the other; stops at the first that does not come through.
export async function flushed(person, token, answered) {
  let fresh = "";
  for (;;) {
    const act = actsOf(person).find((each) => !each.refused);
    if (!act) return outcome.sent;
    let response;
    try {
      response = await post(act, fresh || token());
      if (response.status === 403) {
        fresh = await freshToken(); // somebody logged in since this page was made
        if (!fresh) return outcome.loggedOut;
        response = await post(act, fresh);
      }
    } catch {
      return outcome.away;
    }
    if (response.type === "opaqueredirect" || response.status === 403) return outcome.loggedOut;
    if (response.status >= 500 || response.status === 429) return outcome.broken;
    const answer = await answerOf(response);
    if (response.ok && answer) keep.forget(act);
    else keep.refuse(act, answer?.said || "this topic is not yours any more.");
    if (answer) answered(answer, act);
  }
}

function post(act, token) {
  return fetch(act.to, {
    method: "POST",
    redirect: "manual",
    headers: { Accept: "application/json", "X-CSRFToken": token },
    body: new URLSearchParams({ ...act.fields, key: act.key }),
  });
}

async function freshToken() {
  const response = await fetch(location.pathname, { redirect: "manual", headers: { Accept: "text/html" } });
  if (!response.ok) return "";
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

async function answerOf(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
