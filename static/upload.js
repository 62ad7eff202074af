// The upload form with a progress bar and a drop area. Without this file it is a plain form.

const form = document.getElementById("upload");
if (form) improve(form);

function improve(form) {
  const part = (id) => document.getElementById(id);
  const input = form.elements.file;
  const rule = part("chosen").textContent;

  input.addEventListener("change", () => {
    const [file] = input.files;
    part("chosen").textContent = file ? `${file.name}, ${readable(file.size)}` : rule;
    say([]);
  });
  listenToDrops(part("drop"), (files) => {
    input.files = files;
    input.dispatchEvent(new Event("change"));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [file] = input.files;
    const limit = Number(form.dataset.maxBytes);
    if (limit && file?.size > limit) {
      say([`The file is too large: it has ${readable(file.size)}, and at most ${readable(limit)} are taken. Gzip it.`]);
      return;
    }
    send();
  });

  // Every try carries the same idempotency key: however often it is sent, it is one run. Once it is
  // taken, what comes next from this page is another upload.
  function renew() {
    const random = crypto.getRandomValues(new Uint8Array(16));
    form.elements.idempotency_key.value = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // Whoever comes back to this page by the browser's button finds it ready for another file.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) busy(false);
  });

  // A login in another tab gave the site's forms a new token; this page still holds the old one.
  async function takeNewToken() {
    const page = await fetch(location.href).catch(() => null);
    if (!page?.ok || page.url.includes("/login/")) return false;
    const found = new DOMParser().parseFromString(await page.text(), "text/html");
    const token = found.querySelector("#upload [name=csrfmiddlewaretoken]")?.value;
    if (token) form.elements.csrfmiddlewaretoken.value = token;
    return Boolean(token);
  }

  async function knockAgain(isSecond) {
    if (!isSecond && (await takeNewToken())) send(true);
    else failed("You are logged out, or this page is too old.", "Log in in another tab, then hand it in again here.");
  }

  function send(isSecond = false) {
    say([]);
    busy(true);
    progress(0);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    });
    request.addEventListener("load", () => answered(request, isSecond));
    request.addEventListener("error", () => failed(
      "The connection broke before the file was taken.",
      "Hand it in again: should it have arrived after all, it still counts once.",
    ));
    request.addEventListener("timeout", () => failed("There was no answer.", "Hand it in again: it counts once."));
    request.send(new FormData(form));
  }

  function answered(request, isSecond) {
    const answer = read(request);
    if (request.status === 202 && answer?.url) {
      part("sent").textContent = "Received";
      tell("Received");
      renew();
      location.assign(answer.url);
    } else if (request.status === 400 && answer?.problems) {
      form.elements.idempotency_key.value = answer.idempotency_key;
      failed(...answer.problems);
    } else if (request.status === 413) {
      failed("The file is too large for this site. Gzip it.");
    } else if (request.status === 403 || request.responseURL.includes("/login/")) {
      knockAgain(isSecond);
    } else if (request.status >= 500) {
      failed("Something broke on our side; the file was not taken.", "Hand it in again: it counts once.");
    } else {
      failed(`The file was not taken (answer ${request.status}).`, "Reload this page and try again.");
    }
  }

  function failed(...problems) {
    busy(false);
    say(problems);
  }

  function busy(is) {
    if (!is) tell("");
    part("send").disabled = is;
    part("sending").hidden = !is;
  }

  function progress(share) {
    part("progress").value = 100 * share;
    part("sent").textContent = share < 1 ? `Sending, ${Math.floor(100 * share)} %` : "Sent; waiting for the answer";
    tell(share < 1 ? "Sending the file" : "Sent; waiting for the answer");
  }

  // To who hears the page: each step once, and no per cents.
  function tell(step) {
    if (part("told").textContent !== step) part("told").textContent = step;
  }

  function say(problems) {
    const box = part("faults");
    box.hidden = problems.length === 0;
    box.replaceChildren(...problems.map((problem) => {
      const line = document.createElement("p");
      line.textContent = problem;
      return line;
    }));
  }
}

function listenToDrops(area, take) {
  const light = (is) => area.classList.toggle("over", is);
  const onDrag = (event) => {
    event.preventDefault();
    light(true);
  };
  area.addEventListener("dragenter", onDrag);
  area.addEventListener("dragover", onDrag);
  area.addEventListener("dragleave", () => light(false));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    light(false);
    if (event.dataTransfer.files.length) take(event.dataTransfer.files);
  });
}

function read(request) {
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
