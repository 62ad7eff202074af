// Keeps what was typed into a form if the login has expired in the meantime: the form is not sent, and
// says so. Nothing is stored, so that the next person in this browser cannot read it.

const TYPED = "textarea, select, input:not([type=hidden], [type=submit], [type=button])";
const account = document.querySelector("nav.account a.name");
const checked = new WeakSet();
const pending = new WeakSet(); // a second click does not send a form twice

// After the scripts of the page, which send some forms themselves.
if (account) document.addEventListener("submit", check);

async function check(event) {
  const form = event.target;
  const isOfMain = form.matches("main form[method=post]") && form.querySelector(TYPED);
  if (event.defaultPrevented || checked.has(form) || !isOfMain) return;
  event.preventDefault();
  if (pending.has(form)) return;
  pending.add(form);
  const page = await currentPage();
  pending.delete(form);
  const token = page?.querySelector("form [name=csrfmiddlewaretoken]")?.value;
  const person = page?.querySelector("nav.account a.name")?.dataset.person;
  if (page && person !== account.dataset.person) {
    tell(form, person);
    return;
  }
  if (token) form.elements.csrfmiddlewaretoken.value = token; // another one after each login
  checked.add(form);
  form.requestSubmit(event.submitter);
  checked.delete(form);
}

// The page of the account, or of the login. null if the site does not respond: the browser says so
// when it sends the form.
async function currentPage() {
  const response = await fetch(account.href, { headers: { Accept: "text/html" } }).catch(() => null);
  return response?.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
}

function loginLink(other) {
  const link = document.createElement("a");
  link.href = other ? "/accounts/logout/?next=/accounts/login/" : "/accounts/login/";
  link.target = "_blank";
  link.textContent = "Log in in another tab";
  return link;
}

function tell(form, other) {
  const notice = form.querySelector("[data-logged-out]") ?? document.createElement("p");
  notice.dataset.loggedOut = "";
  notice.className = "notice warning";
  notice.setAttribute("role", "alert");
  notice.textContent = other
    ? "Another person is logged in now, so this form was not sent. "
    : "You are logged out, so this form was not sent. ";
  notice.append(loginLink(other), ", then submit the form again here.");
  form.append(notice);
  notice.scrollIntoView({ block: "nearest" });
}
