// Suggests an address while the name is typed, until somebody types an address.

const name = document.getElementById("id_name");
const address = document.getElementById("id_slug");
let isOurs = address.value === "";

const suggested = (text) =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 55)
    .replace(/^-+|-+$/g, "");

name.addEventListener("input", () => {
  if (isOurs) address.value = suggested(name.value);
});
address.addEventListener("input", () => {
  isOurs = address.value === "";
});
