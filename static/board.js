// The board's chart, and the switches above tables. The table and the form do without either.

import { axisLook, giveUp, offerPictures, pageLook, redrawOnChange, tokens, whenPlotlyIsHere } from "./plotting.js";

const PARTS = ["#finding", "#chart-data", "#chart-rows", "#board-table", ".controls .export-links"];
const PAUSE = 150; // milliseconds without a key or a move before the server is asked
const HIGHEST_P = 0.999;
const chart = document.getElementById("chart");
let redraw = () => {}; // once there is something to draw

switchOnChange();
slide();
const fold = chart?.closest("details");
if (fold) unfold();

// The chart is folded, so that the first rows are on the first screen. Once somebody opens it, it stays
// open on this device (chart-fold.js). Plotly is loaded when it is open for the first time.
function unfold() {
  fold.addEventListener("toggle", () => {
    keepOpen(fold.open);
    if (fold.open) redraw();
  });
  whenOpen(() => whenPlotlyIsHere(chart.dataset.plotly, () => whenOpen(() => show(chart)), () => giveUp(chart)));
}

function whenOpen(act) {
  if (fold.open) act();
  else fold.addEventListener("toggle", () => whenOpen(act), { once: true });
}

function keepOpen(isOpen) {
  try {
    if (isOpen) localStorage.setItem("chart", "open");
    else localStorage.removeItem("chart");
  } catch {
    // then it holds for this page
  }
}

function switchOnChange() {
  const form = document.getElementById("controls");
  if (!form) return;
  document.getElementById("apply").hidden = true;
  const switches = [...form.elements].filter((each) => each.matches("select, [name=ties], input[name=topic]"));
  for (const select of switches) {
    select.addEventListener("change", () => {
      sessionStorage.setItem("focus", select.id); // who chooses by keyboard goes on choosing
      if (select.id === "measure") form.querySelector("[name=p]")?.remove(); // it has a p of its own
      form.requestSubmit();
    });
  }
  const last = document.getElementById(sessionStorage.getItem("focus"));
  sessionStorage.removeItem("focus");
  if (last && last.form === form) last.focus({ preventScroll: true });
}

// p moves and the board follows: what the server makes of it takes the place of what is shown.
function slide() {
  const slider = document.getElementById("p");
  if (!slider) return;
  document.getElementById("slide").hidden = false;
  let asked = null;
  let pause = 0;
  slider.addEventListener("input", () => {
    const p = Math.min(slider.value, HIGHEST_P).toFixed(3).replace(/0$/, ""); // the last step is no 1
    document.getElementById("p-shown").textContent = p;
    asked?.abort();
    clearTimeout(pause);
    pause = setTimeout(() => ask(p), PAUSE);
  });

  async function ask(p) {
    asked = new AbortController();
    const url = new URL(location);
    url.searchParams.set("p", p);
    try {
      const answer = await fetch(url, { signal: asked.signal });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const again = Number(answer.headers.get("Refresh"));
      if (again) { // a worker computes the scores: what is shown stays until they are there
        replaceParts(page, ["#finding"]);
        pause = setTimeout(() => ask(p), 1000 * again);
        return;
      }
      replaceParts(page, PARTS);
      keep(slider.form, p);
      history.replaceState(null, "", url);
      redraw();
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }
}

// The other choices are sent with it.
function keep(form, p) {
  const kept = form.querySelector("[name=p]") ?? document.createElement("input");
  Object.assign(kept, { type: "hidden", name: "p", value: p });
  form.append(kept);
}

function replaceParts(page, parts) {
  const ticked = new Set(Array.from(document.querySelectorAll(".board [name=run]:checked"), (box) => box.value));
  for (const box of page.querySelectorAll(".board [name=run]")) box.checked = ticked.has(box.value);
  for (const part of parts) {
    const fresh = page.querySelector(part);
    if (fresh) document.querySelector(part)?.replaceWith(document.adoptNode(fresh));
  }
}

function show(figure) {
  const canvas = document.getElementById("canvas");
  const draw = async () => {
    if (!fold.open) return; // it is drawn again when it opens
    const given = JSON.parse(document.getElementById("chart-data").textContent);
    const { data, layout } = dressed(given, canvas, rowsInPlace());
    await window.Plotly.react(canvas, data, layout, { displayModeBar: false });
    canvas.querySelector(".sketch")?.remove();
    canvas.dataset.drawn = given.data[0].x.length;
  };
  draw().then(() => {
    redraw = draw;
    canvas.on("plotly_click", ({ points }) => rowsInPlace()[points[0].pointNumber]?.querySelector("a").click());
    offerPictures(document.getElementById("caption"), canvas, figure.dataset.name);
    redrawOnChange(canvas, draw);
  });
}

// The figure with the page's colours and font, its marks as wide as their places allow.
function dressed(given, canvas, rows) {
  const { data, layout } = structuredClone(given);
  const page = tokens();
  const { token } = page;
  const points = data.at(-1);
  const count = points.x.length;
  const place = (canvas.clientWidth - 56) / count;
  for (const trace of data) {
    trace.marker = { opacity: 0 };
    trace.cliponaxis = false; // a mark at 0 is whole
    trace.error_y = {
      ...trace.error_y,
      color: token(trace.meta?.bar ?? "could"),
      thickness: Math.min(Math.max(place * 0.55, 1.5), 16),
    };
  }
  points.marker = {
    symbol: "line-ew",
    size: Math.min(Math.max(place * 0.56, 2), 18), // Plotly draws it 1.4 times as wide
    line: { width: 2.5, color: rows.map((row) => token(row?.classList.contains("own") ? "own" : "known")) },
  };

  const axis = axisLook(token);
  Object.assign(layout, pageLook(page, canvas), {
    margin: { l: 48, r: 8, t: 8, b: 40 },
    hovermode: "closest",
    hoverdistance: -1, // from anywhere in the chart to the nearest run
  });
  Object.assign(layout.xaxis, axis, {
    range: [0.5, count + 0.5],
    showgrid: false,
    tickmode: "array",
    tickvals: places(count),
  });
  Object.assign(layout.yaxis, axis, { dtick: 0.2 });
  layout.xaxis.title.standoff = 6;
  layout.yaxis.title.standoff = 6;
  return { data, layout };
}

// 1 and the round places after it, at most eleven of them.
function places(count) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => count / each <= 10) ?? 1000;
  const round = Array.from({ length: Math.floor(count / step) }, (_, n) => (n + 1) * step);
  return [...new Set([1, ...round])];
}

// The table's row of each mark, however the table is sorted; undefined if it is on another page.
function rowsInPlace() {
  const indexes = JSON.parse(document.getElementById("chart-rows").textContent);
  const rows = document.querySelectorAll(".board tbody tr");
  return indexes.map((index) => rows[index]);
}
