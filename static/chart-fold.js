// Opens the chart of the leaderboard if it was left open on this device, before the table below it is
// painted, so that nothing moves.

try {
  document.getElementById("chart-fold").open = localStorage.getItem("chart") === "open";
} catch {
  // nothing may be kept here
}
