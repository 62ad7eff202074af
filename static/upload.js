// Adds a progress bar and a drop area to the upload form, which works without this script too.

const form = document.getElementById("upload");
if (form) enhance(form);

function enhance(form) {
  const part = (id) => document.getElementById(id);
  const input = form.elements.file;
  const hint = part("chosen").textContent;

  input.addEventListener("change", () => {
    const [file] = input.files;
    part("chosen").textContent = file ? `${file.name}, ${readable(file.size)}` : hint;
    showErrors([]);
    suggestName();
  });
  form.elements.replaces.addEventListener("change", suggestName);
  listenToDrops(part("drop"), (files) => {
    input.files = files;
    input.dispatchEvent(new Event("change"));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [file] = input.files;
    const limit = Number(form.dataset.maxBytes);
    if (limit && file?.size > limit) {
      showErrors([`The file has ${readable(file.size)}. The limit is ${readable(limit)}. Compress it with gzip.`]);
      return;
    }
    send();
  });

  // The name of a run begins as the tag of its file, until the person types another one. A run that
  // replaces another keeps the name of that run if the field is empty.
  let suggested = "";
  async function suggestName() {
    const [file] = input.files;
    const { name, replaces } = form.elements;
    const tag = file && !replaces.value ? await tagOf(file) : "";
    if (file !== input.files[0] || name.value !== suggested) return;
    name.value = suggested = [...tag].length > name.maxLength ? "" : tag;
  }

  // Repeated attempts use the same idempotency key, so that they create one run. After a successful
  // submission the next upload from this page needs a new key.
  function renewKey() {
    const random = crypto.getRandomValues(new Uint8Array(16));
    form.elements.idempotency_key.value = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // The back button returns to a form that is ready for another file.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) setBusy(false);
  });

  // A login in another tab changes the CSRF token, and this page still has the old one.
  async function refreshToken() {
    const page = await fetch(location.href).catch(() => null);
    if (!page?.ok || page.url.includes("/login/")) return false;
    const parsed = new DOMParser().parseFromString(await page.text(), "text/html");
    const token = parsed.querySelector("#upload [name=csrfmiddlewaretoken]")?.value;
    if (token) form.elements.csrfmiddlewaretoken.value = token;
    return Boolean(token);
  }

  async function retryWithNewToken(isSecond) {
    if (!isSecond && (await refreshToken())) send(true);
    else failed("You are logged out, or this page is too old.", "Log in in another tab, then submit the run again here.");
  }

  function send(isSecond = false) {
    showErrors([]);
    setBusy(true);
    showProgress(0);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) showProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => handleResponse(request, isSecond));
    request.addEventListener("error", () => failed(
      "The connection broke during the upload.",
      "Submit the run again. If the file did arrive, it still counts once.",
    ));
    request.addEventListener("timeout", () => failed("The site did not respond.", "Submit the run again. It counts once."));
    request.send(new FormData(form));
  }

  function handleResponse(request, isSecond) {
    const data = parseJson(request);
    if (request.status === 202 && data?.url) {
      part("sent").textContent = "Received";
      announce("Received");
      renewKey();
      location.assign(data.url);
    } else if (request.status === 400 && data?.problems) {
      form.elements.idempotency_key.value = data.idempotency_key;
      failed(...data.problems);
    } else if (request.status === 413) {
      failed("The file is too large for this site. Compress it with gzip.");
    } else if (request.status === 403 || request.responseURL.includes("/login/")) {
      retryWithNewToken(isSecond);
    } else if (request.status >= 500) {
      failed("The site has an error. The run was not submitted.", "Submit the run again. It counts once.");
    } else {
      failed(`The run was not submitted (status ${request.status}).`, "Reload this page and try again.");
    }
  }

  function failed(...problems) {
    setBusy(false);
    showErrors(problems);
  }

  function setBusy(isBusy) {
    if (!isBusy) announce("");
    part("send").disabled = isBusy;
    part("sending").hidden = !isBusy;
  }

  function showProgress(share) {
    part("progress").value = 100 * share;
    part("sent").textContent = share < 1 ? `Uploading, ${Math.floor(100 * share)} %` : "Uploaded. Waiting for the response";
    announce(share < 1 ? "Uploading the file" : "Uploaded. Waiting for the response");
  }

  // For screen readers: each step once, without percentages.
  function announce(step) {
    if (part("status").textContent !== step) part("status").textContent = step;
  }

  function showErrors(problems) {
    const box = part("faults");
    box.hidden = problems.length === 0;
    box.replaceChildren(...problems.map((problem) => {
      const line = document.createElement("p");
      line.textContent = problem;
      return line;
    }));
  }
}

// The sixth column of the first line after comments and a header; empty if the file has another form.
async function tagOf(file) {
  for (const line of (await beginningOf(file)).split(/[\r\n]+/)) {
    const columns = line.trim().split(/[ \t]+/);
    const isRecord = columns.length === 6 && /^-?\d+$/.test(columns[3]);
    const isPassed = columns[0] === "" || columns[0].startsWith("#") || columns.length === 6;
    if (isRecord || !isPassed) return isRecord ? columns[5] : "";
  }
  return "";
}

// The whole lines of the first 64 KB, unpacked. A part of a gzipped file ends in an error, after its text.
async function beginningOf(file) {
  const limit = 65536;
  const decoder = new TextDecoder();
  let text = "";
  try {
    let start = file.slice(0, limit).stream();
    const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    if (first === 0x1f && second === 0x8b) start = start.pipeThrough(new DecompressionStream("gzip"));
    const reader = start.getReader();
    for (let part = await reader.read(); !part.done && text.length < limit; part = await reader.read())
      text += decoder.decode(part.value, { stream: true });
  } catch {}
  return file.size > limit || text.length >= limit ? text.replace(/[^\r\n]*$/, "") : text;
}

function listenToDrops(area, onFiles) {
  const highlight = (isOver) => area.classList.toggle("over", isOver);
  const onDrag = (event) => {
    event.preventDefault();
    highlight(true);
  };
  area.addEventListener("dragenter", onDrag);
  area.addEventListener("dragover", onDrag);
  area.addEventListener("dragleave", () => highlight(false));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    highlight(false);
    if (event.dataTransfer.files.length) onFiles(event.dataTransfer.files);
  });
}

function parseJson(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null;
  }
}

function readable(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 3);
  return `${(bytes / 1024 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
}
