// On a guide, a link leads back to the page from which the reader opened the guides.
const KEY = "opened-guides-from";
const referrer = URL.canParse(document.referrer) ? new URL(document.referrer) : null;
const guides = location.pathname.replace(/guides\/.*$/, "guides/");
if (referrer?.origin === location.origin && !referrer.pathname.startsWith(guides)) {
  sessionStorage.setItem(KEY, referrer.pathname + referrer.search);
}
const link = document.getElementById("way-back");
const back = sessionStorage.getItem(KEY);
if (back) {
  link.href = back;
  link.hidden = false;
  link.parentElement.hidden = false;
}
