// Actions that the site has not confirmed yet, stored in this browser: one entry each, so that two
// tabs never overwrite each other's.

const PREFIX = "trackside unsent";
let added = 0;

export const outcome = { sent: "sent", offline: "offline", broken: "broken", loggedOut: "logged out" };

export const storage = {
  add(person, action) {
    const moment = String(Date.now()).padStart(15, "0");
    const count = String((added += 1)).padStart(8, "0"); // within one millisecond
    const key = newKey();
    localStorage.setItem(`${PREFIX} ${person} ${moment} ${count} ${key}`, JSON.stringify({ ...action, key }));
  },
  refuse(action, reason) {
    const { name, ...rest } = action;
    localStorage.setItem(name, JSON.stringify({ ...rest, refused: reason || "The site refused it." }));
  },
  remove: (action) => localStorage.removeItem(action.name),
};

// The oldest first.
export function actionsOf(person) {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(`${PREFIX} ${person} `))
    .sort()
    .map((name) => ({ ...JSON.parse(localStorage.getItem(name)), name }));
}

// Sends one action after the other, and stops at the first failure.
export async function sendAll(person, token, onResponse) {
  let newToken = "";
  for (;;) {
    const action = actionsOf(person).find((each) => !each.refused);
    if (!action) return outcome.sent;
    let response;
    try {
      response = await post(action, newToken || token());
      if (response.status === 403) {
        newToken = await fetchToken(); // the person logged in after this page was loaded
        if (!newToken) return outcome.loggedOut;
        response = await post(action, newToken);
      }
    } catch {
      return outcome.offline;
    }
    if (response.type === "opaqueredirect" || response.status === 403) return outcome.loggedOut;
    if (response.status >= 500 || response.status === 429) return outcome.broken;
    const data = await parseJson(response);
    if (response.ok && data) storage.remove(action);
    else storage.refuse(action, data?.message || "This topic is no longer assigned to you.");
    if (data) onResponse(data, action);
  }
}

function post(action, token) {
  return fetch(action.to, {
    method: "POST",
    redirect: "manual",
    headers: { Accept: "application/json", "X-CSRFToken": token },
    body: new URLSearchParams({ ...action.fields, key: action.key }),
  });
}

async function fetchToken() {
  const response = await fetch(location.pathname, { redirect: "manual", headers: { Accept: "text/html" } });
  if (!response.ok) return "";
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

async function parseJson(response) {
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
