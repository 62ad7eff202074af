// Adds the reader's own clock to every date on the page, if it differs from those that are there.

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const SHOWN = ["UTC", "Etc/GMT+12"]; // on every page, besides the campaign's zone

if (here) document.querySelectorAll("time.moment").forEach(addClock);

// A clock that reads the same as one on the page is left out: Berlin beside Rome.
function addClock(moment) {
  const clocks = moment.querySelector(".clocks");
  const own = textIn(here, moment.dateTime);
  if (!clocks || [moment.dataset.zone, ...SHOWN].some((zone) => textIn(zone, moment.dateTime) === own)) return;
  const clock = document.createElement("span");
  clock.textContent = `${own} your time (${here})`;
  clocks.append(" · ", clock);
}

function textIn(timeZone, moment) {
  const form = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone };
  const part = {};
  const parts = new Intl.DateTimeFormat("en-GB", form).formatToParts(new Date(moment));
  for (const { type, value } of parts) part[type] = value;
  return `${part.day} ${part.month}, ${part.hour}:${part.minute}`;
}
