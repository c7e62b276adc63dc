
// One frame for all charts.
// A part of charts.js, which CResources/dashboard.c concatenates.

const dirty = new Set(), following = new Set(), byCanvas = new WeakMap();
let frame = null, ticker = null, colors = new Map(), sight = null, sizes = null;

function flush() {
  frame = null;
  const charts = [...dirty];
  dirty.clear();
  for (const chart of charts) chart.draw();
}

function observe() {
  sight = new IntersectionObserver((entries) => {
    for (const entry of entries) byCanvas.get(entry.target)?.seen(entry.isIntersecting);
  }, { rootMargin: "100px" });
  sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) byCanvas.get(target)?.sized(contentRect);
  });
  const forget = () => {
    colors = new Map();
    for (const chart of Chart.all) chart.update();
  };
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", forget);
  }
  new MutationObserver(forget).observe(document.documentElement,
    { attributes: true, attributeFilter: ["class", "data-theme", "style"] });
}
