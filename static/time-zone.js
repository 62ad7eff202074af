// Selects the reader's own time zone in the form of a new campaign.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const list = document.querySelector("select[data-own-zone]");

if (list && [...list.options].some((option) => option.value === zone)) list.value = zone;
