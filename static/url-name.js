// Suggests a URL name while the name is typed, until somebody types a URL name.

const name = document.getElementById("id_name");
const urlName = document.getElementById("id_slug");
let isOurs = urlName.value === "";

const suggested = (text) =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 55)
    .replace(/^-+|-+$/g, "");

name.addEventListener("input", () => {
  if (isOurs) urlName.value = suggested(name.value);
});
urlName.addEventListener("input", () => {
  isOurs = urlName.value === "";
});
