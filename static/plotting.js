// What all charts share: Plotly when the page has been read, the page's colours, pictures to save.

// Plotly's maps, which no page here draws, put a style element of this id into every page that has
// no such element. The page's policy would refuse it and say so in the console.
const MAP_STYLE = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";

let plotly;

// Plotly is large: the page is read before it is asked for, and once however many charts there are.
export function whenPlotlyIsHere(url, act, giveUp) {
  afterPaint(() => {
    plotly ??= loadPlotly(url);
    plotly.then(act, giveUp);
  });
}

function afterPaint(act) {
  const soon = () => (window.requestIdleCallback ?? setTimeout)(act);
  if (document.readyState === "complete") act(); // somebody opened the chart, and waits
  else addEventListener("load", soon, { once: true });
}

function loadPlotly(url) {
  document.head.append(Object.assign(document.createElement("meta"), { id: MAP_STYLE }));
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

export function giveUp(figure) {
  figure.replaceChildren("The chart could not be loaded. The table contains the same numbers.");
}

// Reads the tokens of the stylesheet as they are now, in this theme: what they come to on an element,
// as #rrggbb, since the property itself holds the colours of both.
export function tokens() {
  const probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  const token = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3);
    return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
  };
  return { token, font: getComputedStyle(document.body).fontFamily };
}

export function axisLook(token) {
  return {
    color: token("soft"),
    gridcolor: token("line"),
    linecolor: token("line"),
    zerolinecolor: token("line"),
    fixedrange: true,
    ticks: "",
  };
}

export function pageLook({ token, font }, canvas) {
  return {
    font: { family: font, size: 12, color: token("soft") },
    paper_bgcolor: token("paper"),
    plot_bgcolor: token("paper"),
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    dragmode: false,
    hoverlabel: {
      bgcolor: token("card"),
      bordercolor: token("edge"),
      font: { family: font, size: 13, color: token("ink") },
      align: "left",
    },
  };
}

export function redrawOnChange(canvas, draw) {
  let width = canvas.clientWidth;
  new ResizeObserver(() => {
    if (canvas.clientWidth === width) return;
    width = canvas.clientWidth;
    draw();
  }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw);
  document.addEventListener("theme", draw); // somebody chose another: theme.js
}

export function offerPictures(caption, canvas, filename) {
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
  caption.replaceChildren("Save this chart:", ...buttons);
}
