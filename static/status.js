// Says a run's state once, when it changes; the seconds tick in silence.

const announced = document.getElementById("announced");

document.body.addEventListener("htmx:afterSettle", () => {
  const sentence = document.querySelector("[data-announce]")?.textContent ?? "";
  const said = sentence.trim().replace(/\s+/g, " ");
  if (said !== announced.textContent) announced.textContent = said;
});
