// A viewer for each kind of sensor, found by its name: `viz-` and the kind. A kind without one is shown as
// a table. A viewer takes the place to draw in and the description, and returns `take(sample, more)`; `more`
// says that another sample follows at once.

import { el, fill, hasLayout, unitText, valueText } from "./elements.js";

const LENGTH_MS = 10 * 60_000, MOST_POINTS = 36_000, SVG = "http://www.w3.org/2000/svg";
const isNumeric = ({ kind }) => kind === "number" || kind === "integer";

/** The kind of a sensor: `accelerometer` of `accelerometer.phone`. */
export const kindOf = (id) => id.split(".")[0];

/** The viewer of a sensor, and the name by which it was found. */
export function viewerOf({ id }) {
  const name = `viz-${kindOf(id)}`;
  return Object.hasOwn(viewers, name) ? { name, show: viewers[name] } : { name: "table", show: table };
}

/** The newest values as a table: what each sensor has that no viewer knows. */
function table(place, { fields }) {
  const cells = fields.map(({ name }) => [name, el("td", { class: "number" }, "–")]);
  fill(place, el("table", {}, el("caption", { class: "note" }, "Newest values"), el("tbody", {},
    cells.map(([name, cell]) => el("tr", {}, el("th", { scope: "row" }, name), cell)))));
  return (sample) => cells.forEach(([name, cell], at) => fill(cell, valueText(sample[name], fields[at].unit)));
}

/** Curves of the numeric fields that `chosen` names, over the newest value of each. */
const curves = (chosen, bounds = {}) => (place, { title, fields }) => {
  const drawn = fields.filter(({ name, ...field }) => isNumeric(field) && (chosen === null || chosen.includes(name)));
  const values = drawn.map(() => el("dd", {}, "–"));
  const canvas = el("canvas", {}), readout = el("output", {});
  fill(place,
    el("dl", { class: "figures" }, drawn.map(({ name }, at) => el("div", {}, el("dt", {}, name), values[at]))),
    hasLayout() ? el("figure", {}, canvas, readout) : null);
  let push = null;
  const before = [];
  if (hasLayout()) {
    import("/lib/charts.js").then(({ Chart, Points }) => {
      const series = drawn.map(({ name, unit }) => ({ name, unit: unitText(unit), points: new Points(MOST_POINTS) }));
      const chart = new Chart(canvas, {
        label: `${title}, the last 10 minutes`, series, follow: LENGTH_MS, readout,
        placeholder: "Move over the chart to read its values.", ...bounds });
      push = (sample) => {
        for (const { name, points } of series) points.push(sample.t, sample[name] ?? NaN);
        chart.update();
      };
      before.splice(0).forEach(push);
      remove.set(place, () => chart.remove());
    });
  }
  return (sample) => {
    drawn.forEach(({ name, unit }, at) => fill(values[at], valueText(sample[name], unit)));
    if (push !== null) push(sample);
    else if (hasLayout()) before.push(sample);
  };
};

const remove = new WeakMap();

/** Ends what the viewer of a place draws. */
export function clear(place) {
  remove.get(place)?.();
  remove.delete(place);
  fill(place);
}

const BATTERY_STATES = new Map(Object.entries({
  charging: "Charging", discharging: "Unplugged", full: "Full", "not-charging": "Plugged in, not charging",
}));

/** The name of the state of a battery. */
export const batteryState = (state) => BATTERY_STATES.get(`${state}`.toLowerCase()) ?? "Unknown";

function battery(place) {
  const level = el("dd", {}, "–"), state = el("dd", {}, "–");
  const bar = el("meter", { min: 0, max: 100, low: 20, high: 30, optimum: 100, "aria-label": "Charge" });
  fill(place, el("div", { class: "battery" },
    el("dl", { class: "figures" }, el("div", {}, el("dt", {}, "Charge"), level), el("div", {}, el("dt", {}, "State"), state)),
    bar));
  return (sample) => {
    fill(level, valueText(sample.level, "%"));
    fill(state, batteryState(sample.state));
    if (typeof sample.level === "number") bar.setAttribute("value", `${sample.level}`);
  };
}

const METRES_PER_DEGREE = 111_195, WIDTH = 640, HEIGHT = 280, NET_M = 250;

/** Positions in metres east and north of the first. Exact enough for some kilometres. */
export function plane(positions) {
  const [origin] = positions;
  const scale = Math.cos((origin.latitude * Math.PI) / 180);
  return positions.map(({ latitude, longitude }) => {
    const turn = ((longitude - origin.longitude + 540) % 360) - 180;
    return { x: turn * scale * METRES_PER_DEGREE, y: (latitude - origin.latitude) * METRES_PER_DEGREE };
  });
}

function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** The way as a line, without tiles: a net of 250 m, the start as a ring, the newest position and its accuracy. */
function map(place) {
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "map", "aria-label": "The way so far" });
  const words = el("p", { class: "note" }, "No position yet");
  fill(place, svg, words);
  const seen = [];
  return (sample, more = false) => {
    if (typeof sample.latitude !== "number" || typeof sample.longitude !== "number") return;
    seen.push(sample);
    if (seen.length > MOST_POINTS) seen.shift();
    if (more) return;
    const points = plane(seen), xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
    const bounds = (all) => all.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
    const [west, east] = bounds(xs), [south, north] = bounds(ys);
    const scale = Math.min((WIDTH - 40) / Math.max(east - west, 100), (HEIGHT - 40) / Math.max(north - south, 100));
    const at = ({ x, y }) => [
      WIDTH / 2 + (x - (west + east) / 2) * scale, HEIGHT / 2 - (y - (south + north) / 2) * scale];
    const net = [];
    const step = NET_M * scale < 12 ? NET_M * 10 : NET_M;
    for (let x = Math.ceil((west - 500) / step) * step; x <= east + 500; x += step) {
      const [left] = at({ x, y: 0 });
      net.push(shape("line", { class: "net", x1: left, x2: left, y1: 0, y2: HEIGHT }));
    }
    for (let y = Math.ceil((south - 500) / step) * step; y <= north + 500; y += step) {
      const [, top] = at({ x: 0, y });
      net.push(shape("line", { class: "net", x1: 0, x2: WIDTH, y1: top, y2: top }));
    }
    const [start, newest] = [at(points[0]), at(points.at(-1))];
    const way = points.map((point) => at(point).map((number) => number.toFixed(1)).join(",")).join(" ");
    fill(svg, ...net, shape("polyline", { class: "way", points: way }),
      typeof sample.accuracy === "number"
        ? shape("circle", { class: "accuracy", cx: newest[0], cy: newest[1], r: Math.max(sample.accuracy * scale, 1) }) : null,
      shape("circle", { class: "start", cx: start[0], cy: start[1], r: 5 }),
      shape("circle", { class: "newest", cx: newest[0], cy: newest[1], r: 5 }),
      shape("text", { x: 8, y: HEIGHT - 8 }, `Net: ${step} m`), shape("text", { x: WIDTH - 24, y: 20 }, "N ↑"));
    fill(words, `${seen.length} positions, the newest at ${sample.latitude.toFixed(5)}°, ${sample.longitude.toFixed(5)}°`
      + (typeof sample.accuracy === "number" ? `, ± ${Math.round(sample.accuracy)} m` : ""));
  };
}

/** The newest state, large, and the last changes. */
function states(place, { fields }) {
  const now = el("dd", {}, "–"), changes = el("ol", {});
  const [field] = fields.filter((one) => !isNumeric(one));
  fill(place, el("dl", { class: "figures" }, el("div", {}, el("dt", {}, field?.name ?? "state"), now)), changes);
  let last;
  return (sample) => {
    const value = sample[field?.name];
    if (value === last || value === undefined) return;
    last = value;
    fill(now, valueText(value));
    changes.prepend(el("li", {}, `${new Date(sample.t).toTimeString().slice(0, 8)} ${valueText(value)}`));
    while (changes.childElementCount > 8) changes.lastElementChild.remove();
  };
}

const PERCENT = { floor: 0, ceiling: 100 };

const viewers = {
  "viz-accelerometer": curves(["x", "y", "z"]),
  "viz-activity": states,
  "viz-barometer": curves(["pressure"]),
  "viz-battery": battery,
  "viz-cpu": curves(["busy"], PERCENT),
  "viz-gyroscope": curves(["x", "y", "z"]),
  "viz-humidity": curves(["humidity"], PERCENT),
  "viz-light": curves(null),
  "viz-load": curves(["load1", "load5", "load15"]),
  "viz-location": map,
  "viz-magnetometer": curves(["x", "y", "z"]),
  "viz-memory": curves(["usedPercent"], PERCENT),
  "viz-noise": curves(null),
  "viz-steps": curves(["steps"]),
  "viz-temperature": curves(null),
};
