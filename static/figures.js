// Draws every figure that the server put into the page as JSON, in the page's own colours. A trace
// says in `meta` what it means: a role is a token of the stylesheet, a scale one of those below.

import { axisLook, giveUp, offerPictures, pageLook, redrawOnChange, tokens, whenPlotlyIsHere } from "./plotting.js";

const LINE = 15; // pixels, of a name at an axis
const BESIDES = 80; // pixels of a chart that are not between its axes
const PANEL = 120; // pixels that the powers of ten need beside each other
const CELL = 50; // pixels of a map for each column, the names of its rows included

for (const figure of document.querySelectorAll("figure.chart[data-figure]")) {
  whenPlotlyIsHere(figure.dataset.plotly, () => show(figure), () => giveUp(figure));
}

function show(figure) {
  const canvas = figure.querySelector(".canvas");
  const given = JSON.parse(document.getElementById(figure.dataset.figure).textContent);
  const draw = () => {
    const { data, layout } = dressed(given, canvas);
    return window.Plotly.react(canvas, data, layout, { displayModeBar: false });
  };
  draw().then(() => {
    canvas.dataset.drawn = given.data.length;
    canvas.on("plotly_click", ({ points }) => follow(points[0]));
    offerPictures(figure.querySelector("figcaption"), canvas, figure.dataset.name);
    redrawOnChange(canvas, draw);
  });
}

// A point may carry the URL of what it stands for, in `meta.links`, which is always of this site.
function follow({ data, pointNumber }) {
  const link = data.meta?.links?.[pointNumber];
  if (typeof link === "string" && link.startsWith("/") && !link.startsWith("//")) location.assign(link);
}

function dressed(given, canvas) {
  const { data, layout } = structuredClone(given);
  const page = tokens();
  for (const trace of data) colour(trace, page.token);
  if (isCrowded(data, canvas)) {
    for (const part of [data[0], layout.xaxis, layout.yaxis]) for (const words of ["texttemplate", "title"]) delete part[words];
  }
  const legend = { orientation: "h", x: 0, y: 1, yanchor: "bottom", ...layout.legend };
  Object.assign(layout, { margin: { l: 48, r: 8, t: 8, b: 40, ...layout.margin } }, pageLook(page, canvas), { legend });
  for (const [name, axis] of Object.entries(layout)) {
    if (!/^[xy]axis\d*$/.test(name)) continue;
    Object.assign(axis, { ...axisLook(page.token), automargin: true });
    thin(axis, name.startsWith("x") ? canvas.clientWidth : canvas.clientHeight);
    if (axis.type === "log") thinPowers(axis, canvas.clientWidth);
  }
  for (const shape of layout.shapes ?? []) shape.line = { ...shape.line, color: page.token("edge") };
  for (const note of layout.annotations ?? []) note.font = { ...note.font, color: page.token("ink") };
  return { data, layout };
}

// As many of the named places as stand side by side without touching; turned, a name needs a line.
function thin(axis, room) {
  const step = Math.ceil((axis.tickvals?.length ?? 0) * LINE / (room - BESIDES));
  if (axis.type === "log" || step < 2) return;
  for (const names of ["tickvals", "ticktext"]) axis[names] = axis[names].filter((_, at) => at % step === 0);
}

// Of panels beside each other the last power of one would touch the first of the next.
function thinPowers(axis, room) {
  const [begins, ends] = axis.domain ?? [0, 1];
  if ((ends - begins) * (room - BESIDES) > PANEL) return;
  for (const names of ["tickvals", "ticktext"]) axis[names] = axis[names].filter((_, at) => at % 2 === 0);
}

// Whether the figures in a map's cells would be too small to be read; the table has them.
function isCrowded([first], canvas) {
  return Boolean(first?.texttemplate) && canvas.clientWidth / first.x.length < CELL;
}

function colour(trace, token) {
  const { role = "known", scale } = trace.meta ?? {};
  if (scale) {
    trace.colorscale = scale === "two"
      ? [[0, token("own")], [0.5, token("paper")], [1, token("known")]]
      : [[0, token("paper")], [1, token("known")]];
    trace.colorbar = { thickness: 10, outlinewidth: 0, tickfont: { color: token("soft") }, ...trace.colorbar };
    return;
  }
  const main = token(role);
  if (trace.type === "bar") trace.marker = { ...trace.marker, color: main };
  else {
    trace.marker = { ...trace.marker, color: main, line: { ...trace.marker?.line, color: main } };
    trace.line = { ...trace.line, color: main };
    if (trace.fill && trace.fill !== "none") trace.fillcolor = trace.meta?.fill ? `${token(trace.meta.fill)}40` : token("could");
  }
  for (const bars of ["error_x", "error_y"]) {
    if (trace[bars]) trace[bars] = { ...trace[bars], color: token("could") };
  }
}
