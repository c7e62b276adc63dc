
// A histogram as bars.
// A part of charts.js, which CResources/dashboard.c concatenates.

/**
 * A histogram as bars.
 * @param {HTMLCanvasElement} canvas
 * @param {{bins: {from: number, to: number, count: number|null}[], unit?: string, label?: string,
 *   format?: ChartOptions["format"]}} options
 */
export function drawHistogram(canvas, { bins, unit, label, format = defaultFormat }) {
  const c = canvas.getContext("2d"), ratio = devicePixelRatio || 1;
  canvas.setAttribute("role", "img");
  if (label) canvas.ariaLabel = label;
  const color = (name) => {
    canvas.style.color = `var(${name}, light-dark(${COLORS[name]}))`;
    const computed = getComputedStyle(canvas).color;
    canvas.style.color = "";
    return computed;
  };
  const paint = () => {
    const width = canvas.clientWidth, height = canvas.clientHeight, baseline = height - BOTTOM;
    if (width === 0 || bins.length === 0) return;
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [low, high] = [bins[0].from, bins.at(-1).to];
    const greatest = Math.max(1, ...bins.map((bin) => bin.count ?? 0));
    const x = (v) => ((v - low) / (high - low || 1)) * width;
    c.fillStyle = color("--series-1");
    for (const { from, to, count } of bins) {
      if (!count) continue;
      const tall = Math.max(1.5, (count / greatest) * (baseline - 4));
      c.fillRect(x(from) + 0.5, baseline - tall, Math.max(1, x(to) - x(from) - 1), tall);
    }
    c.fillStyle = color("--edge");
    c.fillRect(0, baseline, width, 1);
    c.fillStyle = color("--ink-3");
    c.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    const step = (high - low) / 5;
    for (const [share, align] of [[0, "left"], [0.5, "center"], [1, "right"]]) {
      c.textAlign = align;
      c.fillText(format(low + share * (high - low), unit, step), share * width, height - 4);
    }
  };
  const observer = new ResizeObserver(paint);
  observer.observe(canvas);
  const theme = new MutationObserver(paint);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => (observer.disconnect(), theme.disconnect());
}
