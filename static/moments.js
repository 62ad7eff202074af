// Adds the reader's own clock to every moment that the page tells in UTC.

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

if (here && !["UTC", "Etc/UTC", "GMT"].includes(here)) {
  for (const moment of document.querySelectorAll("time.moment")) addClock(moment);
}

function addClock(moment) {
  const clocks = moment.querySelector(".clocks");
  if (!clocks || clocks.textContent.includes(` ${here}`)) return; // the campaign's zone is theirs
  const part = {};
  for (const { type, value } of clock.formatToParts(new Date(moment.dateTime))) part[type] = value;
  const own = document.createElement("span");
  own.textContent = `${part.day} ${part.month}, ${part.hour}:${part.minute} your time (${here})`;
  clocks.append(" · ", own);
}
