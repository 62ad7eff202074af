// The board's chart, and the switches above tables. The table and the form do without either.

// Plotly's maps, which no page here draws, put a style element of this id into every page that has
// no such element. The page's policy would refuse it and say so in the console.
const MAP_STYLE = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";

const chart = document.getElementById("chart");

switchOnChange();
if (chart) {
  afterPaint(() => loadPlotly(chart.dataset.plotly).then(() => show(chart), () => giveUp(chart)));
}

function switchOnChange() {
  const form = document.getElementById("controls");
  if (!form) return;
  document.getElementById("show").hidden = true;
  for (const select of form.querySelectorAll("select")) {
    select.addEventListener("change", () => {
      sessionStorage.setItem("focus", select.id); // who chooses by keyboard goes on choosing
      form.requestSubmit();
    });
  }
  const last = document.getElementById(sessionStorage.getItem("focus"));
  sessionStorage.removeItem("focus");
  if (last && form.contains(last)) last.focus({ preventScroll: true });
}

// Plotly is large: the page is read before it is asked for.
function afterPaint(act) {
  const soon = () => (window.requestIdleCallback ?? setTimeout)(act);
  if (document.readyState === "complete") soon();
  else addEventListener("load", soon, { once: true });
}

function loadPlotly(address) {
  document.head.append(Object.assign(document.createElement("meta"), { id: MAP_STYLE }));
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

function giveUp(figure) {
  figure.replaceChildren("The chart could not be loaded. The table holds the same figures.");
}

function show(figure) {
  const canvas = document.getElementById("canvas");
  const given = JSON.parse(document.getElementById("chart-data").textContent);
  const rows = rowsInPlace();
  const draw = () => {
    const { data, layout } = dressed(given, canvas, rows);
    return window.Plotly.react(canvas, data, layout, { displayModeBar: false });
  };
  draw().then(() => {
    canvas.dataset.drawn = given.data[0].x.length;
    canvas.on("plotly_click", ({ points }) => rows[points[0].pointNumber].querySelector("a").click());
    offerPictures(canvas, figure.dataset.name);
    redrawOnChange(canvas, draw);
  });
}

function redrawOnChange(canvas, draw) {
  let width = canvas.clientWidth;
  new ResizeObserver(() => {
    if (canvas.clientWidth === width) return;
    width = canvas.clientWidth;
    draw();
  }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw);
}

// The figure with the page's colours and font, its marks as wide as their places allow.
function dressed(given, canvas, rows) {
  const { data, layout } = structuredClone(given);
  const page = getComputedStyle(document.body);
  const token = (name) => page.getPropertyValue(`--${name}`).trim();
  const [trace] = data;
  const count = trace.x.length;
  const place = (canvas.clientWidth - 56) / count;
  trace.marker = {
    symbol: "line-ew",
    size: Math.min(Math.max(place * 0.56, 2), 18), // Plotly draws it 1.4 times as wide
    line: { width: 2.5, color: rows.map((row) => token(row.classList.contains("own") ? "own" : "known")) },
  };
  trace.cliponaxis = false; // a mark at 0 is whole
  trace.error_y = { ...trace.error_y, color: token("could"), thickness: Math.min(Math.max(place * 0.55, 1.5), 16) };

  const axis = {
    color: token("soft"),
    gridcolor: token("line"),
    linecolor: token("line"),
    fixedrange: true,
    ticks: "",
  };
  Object.assign(layout, {
    font: { family: page.fontFamily, size: 12, color: token("soft") },
    paper_bgcolor: token("paper"),
    plot_bgcolor: token("paper"),
    margin: { l: 48, r: 8, t: 8, b: 40 },
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    dragmode: false,
    hovermode: "closest",
    hoverdistance: -1, // from anywhere in the chart to the nearest run
    hoverlabel: {
      bgcolor: token("card"),
      bordercolor: token("edge"),
      font: { family: page.fontFamily, size: 13, color: token("ink") },
      align: "left",
    },
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
  if (canvas.clientWidth < 480) { // no room for what the measure switch says as well
    layout.yaxis.title.text = "";
    layout.margin.l = 28;
  }
  return { data, layout };
}

// 1 and the round places after it, at most eleven of them.
function places(count) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => count / each <= 10) ?? 1000;
  const round = Array.from({ length: Math.floor(count / step) }, (_, n) => (n + 1) * step);
  return [...new Set([1, ...round])];
}

// The table's row of each mark, however the table is sorted.
function rowsInPlace() {
  const runs = JSON.parse(document.getElementById("chart-runs").textContent);
  const links = document.querySelectorAll(".board tbody th a");
  const rows = new Map(Array.from(links, (link) => [link.pathname.split("/").at(-2), link.closest("tr")]));
  return runs.map((run) => rows.get(run));
}

function offerPictures(canvas, filename) {
  const buttons = ["PNG", "SVG"].map((format) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = format;
    button.setAttribute("aria-label", `Save the chart as ${format}`);
    button.addEventListener("click", () => window.Plotly.downloadImage(canvas, {
      format: format.toLowerCase(), filename, width: canvas.clientWidth, height: canvas.clientHeight, scale: 2,
    }));
    return button;
  });
  document.getElementById("caption").replaceChildren("Save this picture:", ...buttons);
}
