// charts.js: charts of time series on a canvas, for the owner's pages and for apps (/lib/charts.js).
//
//     import { Chart, Points } from "/lib/charts.js";
//     const points = new Points(600);
//     const chart = new Chart(canvas, {
//       label: "Processor load", follow: 600_000, floor: 0, ceiling: 100,
//       series: [{ name: "busy", unit: "%", points, area: true }],
//     });
//     for await (const { t, busy } of nervous.sensor("cpu").stream()) {
//       points.push(t, busy);
//       chart.update();
//     }
//
// A line is drawn sample by sample while there is room; with more than two samples a pixel each column
// is drawn from its least to its greatest value. docs/charts.md describes options, keys and gestures.
// This file knows nothing of where samples come from and imports nothing.

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const GAP = 4; // so many usual intervals without a sample are a gap
const BOTTOM = 20, TOP = 8; // room for the labels of times, and above the highest line
const DRAG = 4; // pixels before a press becomes a drag
const SETTLE_MS = 180; // after the last turn of the wheel the new range is reported

const COLORS = {
  "--series-1": ["#2057c4", "#5590f2"], "--series-2": ["#ad3502", "#cf7524"],
  "--series-3": ["#1f9d77", "#7fd3a6"], "--series-4": ["#59294d", "#fea6da"],
  "--series-5": ["#a6880c", "#ebd569"], "--series-6": ["#7b8295", "#80868a"],
  "--grid": ["#e6eae8", "#212a28"], "--hatch": ["#c3cbc7", "#3d4946"],
  "--ink-2": ["#46524e", "#b4beba"], "--ink-3": ["#5b6763", "#93a09b"],
  "--edge": ["#7d8783", "#6f7c77"], "--surface": ["#ffffff", "#141a19"],
};

/** The sentences that charts say; pass `texts` to a chart to translate them. */
const TEXTS = {
  noData: "no data",
  value: (name, value) => `${name} ${value}`,
  window: (name, mean, least, greatest) => `${name} mean ${mean} (${least} to ${greatest})`,
  summary: (name, newest, least, greatest) =>
    `${name}: newest ${newest}, from ${least} to ${greatest} in this range`,
  empty: "No data in this range",
  keys: "Arrow keys read a moment, plus and minus zoom",
};

/**
 * A series of a chart. Times are milliseconds since 1970, in ascending order; a value that is NaN or
 * null is a gap.
 * @typedef {object} Series
 * @property {string} name shown in the readout and in tables
 * @property {ArrayLike<number>} [t] times, of windows their beginnings
 * @property {ArrayLike<number|null>} [v] values, of windows their means
 * @property {Points} [points] instead of `t` and `v`: samples that arrive
 * @property {number} [every] the length of the windows; without it the series has samples
 * @property {ArrayLike<number|null>} [deviation] of windows: a band around the mean
 * @property {ArrayLike<number|null>} [min] of windows: a pale band
 * @property {ArrayLike<number|null>} [max] of windows
 * @property {string} [unit] series of a second unit get an axis at the left
 * @property {string} [color] a CSS variable such as "--series-2", or a colour
 * @property {boolean} [area] fills the area below the line; only for a single series that begins at 0
 * @property {number} [gap] a longer time between two points is a gap; by default four times the usual interval
 * @property {boolean} [live] marks the newest value with a dot
 * @property {boolean} [hidden]
 */

/**
 * @typedef {object} ChartOptions
 * @property {Series[]} series
 * @property {string} [label] what the chart shows, for screen readers
 * @property {number} [from] the range shown
 * @property {number} [to]
 * @property {number} [follow] instead of `from` and `to`: the length of a range that ends now
 * @property {number} [floor] the lowest value of the axis; without it what was seen
 * @property {number} [ceiling] the highest value of the axis
 * @property {{from: number, to: number}[]} [damaged] time ranges that are hatched
 * @property {(value: number, unit: string|undefined, step?: number) => string} [format] `step` is the
 *   distance between two labels of the axis; it is missing for a value in a sentence
 * @property {{format: (x: number, step?: number) => string}} [axis] x is not time but a number
 * @property {boolean} [bare] a sparkline: no axes, no input, hidden from screen readers
 * @property {boolean} [fixed] the person cannot change the range
 * @property {ChartGroup} [group] charts that share the crosshair
 * @property {Element} [readout] shows the values under the crosshair
 * @property {(at: number|null) => void} [onread] the crosshair moved, or is hidden
 * @property {boolean} [brief] the readout shows only the time of day and the values
 * @property {string} [rest] the text of the readout while there is no crosshair
 * @property {{from?: number, to?: number, shortest?: number, longest?: number}} [limits] of the range
 * @property {(range: {from: number, to: number, follow: number|null}) => void} [onrange] the person
 *   chose another range
 * @property {Partial<typeof TEXTS>} [texts]
 */

// --- Data -------------------------------------------------------------------------------------

/** Samples that arrive one by one: the newest ones, in two typed arrays. */
export class Points {
  #t; #v; #first = 0; #end = 0; #capacity;

  /** @param {number} capacity how many samples are kept */
  constructor(capacity = 3600) {
    this.#capacity = capacity;
    const size = Math.min(capacity * 2, 1024);
    this.#t = new Float64Array(size);
    this.#v = new Float64Array(size);
  }

  /** Adds a sample; one that is not newer than the last is left out. */
  push(t, v) {
    if (this.#end > this.#first && t <= this.#t[this.#end - 1]) return false;
    if (this.#end === this.#t.length) this.#makeRoom();
    this.#t[this.#end] = t;
    this.#v[this.#end++] = v ?? NaN;
    if (this.#end - this.#first > this.#capacity) this.#first++;
    return true;
  }

  clear() { this.#first = this.#end = 0; }
  get length() { return this.#end - this.#first; }
  get t() { return this.#t.subarray(this.#first, this.#end); }
  get v() { return this.#v.subarray(this.#first, this.#end); }

  #makeRoom() {
    const { t, v } = this;
    const size = t.length * 2 > this.#t.length ? Math.min(this.#t.length * 2, this.#capacity * 2) : this.#t.length;
    const [newT, newV] = [new Float64Array(size), new Float64Array(size)];
    newT.set(t);
    newV.set(v);
    [this.#t, this.#v, this.#first, this.#end] = [newT, newV, 0, t.length];
  }
}

/** Charts of a page that share the crosshair, and with `range` the range too. */
export class ChartGroup {
  /** @type {Set<Chart>} */ charts = new Set();
  /** The time under the crosshair, or null. */ at = null;
  constructor({ range = false } = {}) { this.range = range; }
}

const isNumber = (v) => v !== null && v === v;

/** The first index whose time is at least `at`. */
function indexOf(t, at) {
  let low = 0, high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle] < at) low = middle + 1; else high = middle;
  }
  return low;
}

/** The usual interval: the median of some of the intervals. */
export function usualInterval(t) {
  if (t.length < 2) return Infinity;
  const some = Math.min(t.length - 1, 101), found = [];
  for (let k = 0; k < some; k++) {
    const i = 1 + Math.floor((k * (t.length - 1)) / some);
    found.push(t[i] - t[i - 1]);
  }
  return found.sort((a, b) => a - b)[found.length >> 1];
}

// --- Ticks ------------------------------------------------------------------------------------

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((n) => n * SECOND), [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  [1, 2, 3, 6, 12].map((n) => n * HOUR), [1, 2, 7, 14].map((n) => n * DAY));
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120]; // about 30.44 days each

let formats = null;
function timeFormats() {
  const made = (options) => new Intl.DateTimeFormat(undefined, options);
  return formats ??= {
    fraction: made({ minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 }),
    second: made({ timeStyle: "medium" }),
    minute: made({ timeStyle: "short" }),
    day: made({ day: "numeric", month: "short" }),
    month: made({ month: "short" }),
    year: made({ year: "numeric" }),
    moment: made({ dateStyle: "medium", timeStyle: "medium" }),
    exact: made({ year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit",
      second: "2-digit", fractionalSecondDigits: 3 }),
  };
}

/**
 * Ticks at round local times, about one each `room` pixels; `strong` at a midnight or a new year.
 * @returns {{t: number, label: string, strong: boolean}[]}
 */
export function timeTicks(from, to, width, room = 84) {
  const named = timeFormats(), ticks = [];
  const most = Math.max(1, width / room);
  const step = STEPS.find((s) => (to - from) / s <= most);
  const start = new Date(from);
  if (step === undefined) {
    const months = MONTHS.find((n) => (to - from) / (n * 30.44 * DAY) <= most) ?? MONTHS.at(-1);
    const month = Math.floor(start.getMonth() / months) * months;
    for (let n = 0; n < 400; n++) {
      const date = new Date(start.getFullYear(), month + n * months, 1);
      if (date > to) break;
      const isYear = date.getMonth() === 0;
      if (date >= from) {
        ticks.push({ t: +date, label: (isYear ? named.year : named.month).format(date), strong: isYear });
      }
    }
    return ticks;
  }
  if (step >= DAY) {
    // Counted from a Monday, so that the ticks do not jump when the range moves.
    const days = step / DAY, monday = new Date(2024, 0, 1);
    const passed = Math.floor((from - monday) / DAY / days) * days;
    for (let n = 0; n < 400; n++) {
      const date = new Date(2024, 0, 1 + passed + n * days);
      if (date > to) break;
      if (date >= from) ticks.push({ t: +date, label: named.day.format(date), strong: date.getDate() === 1 });
    }
    return ticks;
  }
  const format = step < SECOND ? named.fraction : step < MINUTE ? named.second : named.minute;
  for (let day = 0; day < 40; day++) {
    const midnight = new Date(start.getFullYear(), start.getMonth(), start.getDate() + day);
    if (midnight > to) break;
    const next = +new Date(start.getFullYear(), start.getMonth(), start.getDate() + day + 1);
    // From step to step of the clock; an hour that is skipped or repeated shifts what follows.
    const shift = (t) => (new Date(t).getTimezoneOffset() - midnight.getTimezoneOffset()) * MINUTE;
    for (let k = Math.max(0, Math.floor((from - midnight - HOUR) / step)); ; k++) {
      const plain = +midnight + k * step, t = plain + shift(plain);
      if (t >= next || t > to) break;
      // A time that the clock skips has no tick.
      if (t - midnight - shift(t) !== k * step || t < from || ticks.at(-1)?.t >= t) continue;
      ticks.push({ t, label: (k === 0 ? named.day : format).format(t), strong: k === 0 });
    }
  }
  return ticks;
}

/** Round values that cover `low` to `high` in about `count` steps. */
export function valueTicks(low, high, count) {
  const rough = (high - low) / Math.max(1, count) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999) * power;
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  const values = [];
  for (let n = first; n <= Math.max(last, first + 1); n++) values.push(n * step);
  return { values, step };
}

/** Ticks in exactly `count` steps, for a second axis on the lines of the first. */
function sameTicks(low, high, count) {
  const power = 10 ** Math.floor(Math.log10((high - low) / count));
  for (const m of [1, 2, 2.5, 5, 10, 20, 25, 50]) {
    const step = m * power, first = Math.floor(low / step + 1e-9);
    if ((first + count) * step < high - step * 1e-9) continue;
    return { values: Array.from({ length: count + 1 }, (_, n) => (first + n) * step), step };
  }
  return { values: [low, high], step: high - low };
}

/** A number and a unit, with digits after the point as `step` needs them. */
function defaultFormat(value, unit, step) {
  const size = Math.abs(step ?? value);
  const power = size === 0 ? 2 : Math.floor(Math.log10(size) + 1e-9);
  // Of a label as many as its step has, of a value about four significant ones.
  const extra = step ? (Math.round((size / 10 ** power) * 10) % 10 === 0 ? 0 : 1) : 3;
  const digits = Math.min(6, Math.max(0, extra - power));
  const units = { 1: "", Cel: "°C", "m/s2": "m/s²" };
  const name = unit === undefined || unit.startsWith("{") ? "" : units[unit] ?? unit;
  return value.toLocaleString(undefined, { maximumFractionDigits: digits, signDisplay: "negative" }).replace("-", "−") + (name && `\u202f${name}`);
}

// --- One frame for all charts -----------------------------------------------------------------

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

// --- The chart --------------------------------------------------------------------------------

/** A chart of one or several time series on a canvas. */
export class Chart {
  /** All charts that are not removed. @type {Set<Chart>} */
  static all = new Set();

  #canvas; #context; #options; #texts; #group;
  #width = 0; #height = 0; #isSeen = true; #isPaused = false; #pausedAt = 0;
  #range = { from: 0, to: 1, follow: null };
  #past = []; // ranges before, for a double click
  #plot = { left: 0, right: 0, top: 0, bottom: 0 };
  #axes = [];
  #kx = 0; // pixels a millisecond
  #base = null; // the picture without crosshair, while there is one
  #pointers = new Map(); #press = null; #selection = null; #settle = null;
  #stop = new AbortController();
  #lastX = null; // where the pointer is

  /**
   * @param {HTMLCanvasElement} canvas its size comes from CSS
   * @param {ChartOptions} options
   */
  constructor(canvas, options) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#options = { series: [], ...options };
    this.#texts = { ...TEXTS, ...options.texts };
    this.#group = options.group ?? new ChartGroup();
    this.#group.charts.add(this);
    if (sight === null) observe();
    byCanvas.set(canvas, this);
    Chart.all.add(this);
    this.#takeRange(options);
    if (!options.bare) this.#listen();
    if (options.readout && options.rest) options.readout.textContent = options.rest;
    sizes.observe(canvas);
    sight.observe(canvas);
  }

  get options() { return this.#options; }
  get canvas() { return this.#canvas; }

  /** The range shown; `follow` is its length if it ends now. */
  get range() {
    const { from, to, follow } = this.#range;
    if (follow === null) return { from, to, follow };
    const now = this.#isPaused ? this.#pausedAt : Date.now();
    return { from: now - follow, to: now, follow };
  }

  /** Changes options and redraws. @param {Partial<ChartOptions>} changes */
  set(changes) {
    Object.assign(this.#options, changes);
    if ("from" in changes || "to" in changes || "follow" in changes) this.#takeRange(changes);
    if ("texts" in changes) this.#texts = { ...TEXTS, ...changes.texts };
    if ("label" in changes) this.#canvas.ariaLabel = changes.label;
    this.update();
  }

  /** Draws with the next frame; call it when samples have arrived. */
  update() {
    dirty.add(this);
    frame ??= requestAnimationFrame(flush);
  }

  /** Stops a chart with `follow` at the present time, or lets it go on. */
  pause(isPaused = true) {
    this.#pausedAt = Date.now();
    this.#isPaused = isPaused;
    this.#tick();
    this.update();
  }

  get isPaused() { return this.#isPaused; }

  /** Shows another range as if the person had chosen it; double click and Backspace go back. */
  zoom(from, to) { this.#choose(from, to, true); }

  /** Shows the range before the last that was chosen by hand. */
  back() {
    const before = this.#past.pop();
    if (before === undefined) return false;
    this.#range = before;
    this.#tick();
    this.#chosen();
    return true;
  }

  /** Ends all work for this chart. */
  remove() {
    this.#stop.abort();
    clearTimeout(this.#settle);
    following.delete(this);
    dirty.delete(this);
    Chart.all.delete(this);
    this.#group.charts.delete(this);
    byCanvas.delete(this.#canvas);
    sight.unobserve(this.#canvas);
    sizes.unobserve(this.#canvas);
    if (following.size === 0) ticker = clearInterval(ticker) ?? null;
  }

  seen(isSeen) {
    this.#isSeen = isSeen;
    if (isSeen) this.update();
  }

  sized({ width, height }) {
    if (width === this.#width && height === this.#height) return;
    [this.#width, this.#height] = [width, height];
    // At once: a canvas whose size changes is empty until it is drawn.
    if (width > 0) this.draw();
  }

  #takeRange({ from, to, follow }) {
    if (follow !== undefined && follow !== null) this.#range = { from: 0, to: 0, follow };
    else if (from !== undefined && to !== undefined) this.#range = { from, to, follow: null };
    this.#past = [];
    this.#tick();
  }

  /** Following charts move once a second. */
  #tick() {
    if (this.#range.follow === null || this.#isPaused) following.delete(this);
    else following.add(this);
    if (following.size > 0) ticker ??= setInterval(() => following.forEach((chart) => chart.update()), SECOND);
    else ticker = clearInterval(ticker) ?? null;
  }

  #shown() { return this.#options.series.filter((s) => !s.hidden); }

  /** The times and values of a series, and how far a window's point is from its beginning. */
  #data(series) {
    const { t = [], v = [] } = series.points ?? series;
    return { t, v, shift: (series.every ?? 0) / 2 };
  }

  // --- Painting

  /** Draws now. */
  draw() {
    dirty.delete(this);
    if (!this.#isSeen || this.#width === 0) return;
    const c = this.#context, ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(this.#width * ratio), Math.round(this.#height * ratio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      [this.#canvas.width, this.#canvas.height] = [width, height];
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.#width, this.#height);
    c.lineJoin = "round";
    c.font = `11px ${Chart.#fontOf(this.#canvas)}`;
    const { from, to } = this.range, { bare } = this.#options;
    this.#plot = bare
      ? { left: 1, right: this.#width - 4, top: 4, bottom: this.#height - 4 }
      : { left: 0, right: this.#width, top: TOP, bottom: this.#height - BOTTOM };
    this.#scale(from, to);
    this.#kx = (this.#plot.right - this.#plot.left) / (to - from);
    if (!bare) this.#grid(from, to);
    c.save();
    c.beginPath();
    c.rect(this.#plot.left - 1, this.#plot.top - 5, this.#plot.right - this.#plot.left + 6, this.#plot.bottom - this.#plot.top + 10);
    c.clip();
    for (const stretch of this.#options.damaged ?? []) this.#hatch(stretch);
    if (!bare) this.#gaps(from, to);
    this.#shown().forEach((series, i) => this.#series(series, i, from, to));
    c.restore();
    this.#base = null;
    if (!bare) this.#over();
    if (!bare && !this.#canvas.hasAttribute("aria-valuetext")) this.#describe();
  }

  static #font = new WeakMap();
  static #fontOf(canvas) {
    let font = Chart.#font.get(canvas);
    if (font === undefined) Chart.#font.set(canvas, font = getComputedStyle(canvas).fontFamily);
    return font;
  }

  /** A colour of the theme, as the canvas understands it. */
  #color(name) {
    if (!name.startsWith("--")) return name;
    let color = colors.get(name);
    if (color === undefined) {
      const [light, dark] = COLORS[name] ?? ["#777", "#888"];
      this.#canvas.style.color = `var(${name}, light-dark(${light}, ${dark}))`;
      color = getComputedStyle(this.#canvas).color;
      this.#canvas.style.color = "";
      colors.set(name, color);
    }
    return color;
  }

  #colorOf(series) {
    return this.#color(series.color ?? `--series-${1 + (this.#options.series.indexOf(series) % 6)}`);
  }

  #x(t) { return this.#plot.left + (t - this.range.from) * this.#kx; }

  /** A series of a third unit has none, and is not drawn. */
  #axisOf(series) { return this.#axes.find((axis) => axis.unit === series.unit); }

  #y(axis, v) {
    const { top, bottom } = this.#plot;
    return bottom - ((v - axis.low) / (axis.high - axis.low)) * (bottom - top);
  }

  /** One axis for each of at most two units, over what the range contains. */
  #scale(from, to) {
    const { bare, floor, ceiling } = this.#options;
    this.#axes = [];
    for (const series of this.#shown()) {
      let axis = this.#axes.find(({ unit }) => unit === series.unit);
      if (axis === undefined) {
        if (this.#axes.length === 2) continue;
        this.#axes.push(axis = { unit: series.unit, low: Infinity, high: -Infinity });
      }
      const { t, v } = this.#data(series);
      const first = Math.max(0, indexOf(t, from - (series.every ?? 0)) - 1);
      const end = Math.min(t.length, indexOf(t, to) + 1);
      [axis.low, axis.high] = extent(series.min ?? v, first, end, axis.low, axis.high);
      [axis.low, axis.high] = extent(series.max ?? v, first, end, axis.low, axis.high);
    }
    if (this.#axes.length === 0) this.#axes.push({ low: Infinity, high: -Infinity });
    this.#axes.forEach((axis, i) => {
      if (i === 0) {
        axis.low = Math.min(axis.low, floor ?? axis.low);
        axis.high = Math.max(axis.high, ceiling ?? axis.high);
      }
      if (axis.low > axis.high) [axis.low, axis.high, axis.isEmpty] = [floor ?? 0, ceiling ?? 1, true];
      if (axis.low === axis.high) {
        const pad = Math.abs(axis.low) * 0.05 || 1;
        axis.high += pad;
        if (axis.low !== (floor ?? NaN)) axis.low -= pad;
      }
      if (bare) return;
      const { values, step } = i === 0 ? valueTicks(axis.low, axis.high, (this.#plot.bottom - this.#plot.top) / 52)
        : sameTicks(axis.low, axis.high, this.#axes[0].ticks.length - 1);
      Object.assign(axis, { ticks: values, step, low: values[0], high: values.at(-1) });
      axis.labels = values.map((v) => (axis.isEmpty ? "" : this.#format(v, axis.unit, step)));
      const room = Math.ceil(Math.max(...axis.labels.map((l) => this.#context.measureText(l).width))) + 16;
      if (i === 0) this.#plot.right -= room; else this.#plot.left += room;
    });
  }

  #format(value, unit, step) {
    return isNumber(value) ? (this.#options.format ?? defaultFormat)(value, unit, step) : this.#texts.noData;
  }

  #grid(from, to) {
    const c = this.#context, { left, right, top, bottom } = this.#plot;
    const grid = this.#color("--grid"), ink = this.#color("--ink-3"), strong = this.#color("--ink-2");
    c.textBaseline = "middle";
    this.#axes.forEach((axis, i) => {
      c.textAlign = i === 0 ? "left" : "right";
      axis.ticks.forEach((v, k) => {
        const y = Math.round(this.#y(axis, v));
        c.fillStyle = grid;
        if (i === 0) c.fillRect(left, y, right - left, 1);
        c.fillStyle = ink;
        c.fillText(axis.labels[k], i === 0 ? right + 8 : left - 8, Math.max(y + 0.5, 6));
      });
    });
    c.textAlign = "center";
    let end = -Infinity;
    for (const { t, label, strong: isStrong } of this.#ticks(from, to, right - left)) {
      const x = Math.round(this.#x(t)), half = c.measureText(label).width / 2;
      c.fillStyle = isStrong ? this.#color("--hatch") : grid;
      c.fillRect(x, top, 1, bottom - top + 4);
      if (x - half < left || x + half > this.#width || x - half < end + 8) continue;
      c.fillStyle = isStrong ? strong : ink;
      c.fillText(label, x, bottom + 12);
      end = x + half;
    }
    c.textAlign = "left";
  }

  #ticks(from, to, width) {
    const { axis } = this.#options;
    if (axis === undefined) return timeTicks(from, to, width);
    const { values, step } = valueTicks(from, to, width / 84);
    return values.filter((x) => x >= from && x <= to)
      .map((x) => ({ t: x, label: axis.format(x, step), strong: false }));
  }

  #series(series, index, from, to) {
    const c = this.#context, { t, v, shift } = this.#data(series), axis = this.#axisOf(series);
    if (t.length === 0 || !axis) return;
    const first = Math.max(0, indexOf(t, from - 2 * shift) - 1);
    const end = Math.min(t.length, indexOf(t, to) + 1);
    const color = this.#colorOf(series);
    const most = gapOf(series, t);
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = series.width ?? 1.5;
    const isBanded = index === 0 && series.every !== undefined;
    if (isBanded || series.area) {
      const ground = { length: 0 }, band = isBanded && series.deviation ? bandOf(series) : null;
      for (const [i, j] of stretches(t, v, first, end, most)) {
        if (series.area) this.#ribbon(t, shift, v, ground, i, j, axis, 0.1);
        if (isBanded && series.min) this.#ribbon(t, shift, series.max, series.min, i, j, axis, 0.12);
        if (band) this.#ribbon(t, shift, band.upper, band.lower, i, j, axis, 0.22);
      }
    }
    const scale = (this.#plot.bottom - this.#plot.top) / (axis.high - axis.low);
    line(c, t, v, first, end, most, this.#x(0) + shift * this.#kx, this.#kx,
      this.#plot.bottom + axis.low * scale, -scale, devicePixelRatio || 1);
    if (!series.live) return;
    for (let i = t.length - 1; i >= first; i--) {
      if (!isNumber(v[i])) continue;
      if (t[i] >= from && t[i] <= to) this.#dot(this.#x(t[i] + shift), this.#y(axis, v[i]), color);
      break;
    }
  }

  /** Fills between two columns; without a lower one down to the floor of the axis. */
  #ribbon(t, shift, upper, lower, first, last, axis, alpha) {
    const c = this.#context, isGround = lower.length === 0;
    const dense = Math.max(1, Math.floor((last - first) / (2 * this.#width * (devicePixelRatio || 1))));
    c.globalAlpha = alpha;
    c.beginPath();
    if (dense > 1) {
      // A column of pixels at a time, at its greatest and its least value.
      for (let i = first; i <= last; i += dense) {
        const [, high] = extent(upper, i, Math.min(last + 1, i + dense), Infinity, -Infinity);
        c.lineTo(this.#x(t[i] + shift), this.#y(axis, high));
      }
      for (let i = first + Math.floor((last - first) / dense) * dense; i >= first; i -= dense) {
        const [low] = isGround ? [axis.low]
          : extent(lower, i, Math.min(last + 1, i + dense), Infinity, -Infinity);
        c.lineTo(this.#x(t[i] + shift), this.#y(axis, low));
      }
    } else {
      for (let i = first; i <= last; i++) c.lineTo(this.#x(t[i] + shift), this.#y(axis, upper[i] ?? NaN));
      if (isGround) {
        c.lineTo(this.#x(t[last] + shift), this.#plot.bottom);
        c.lineTo(this.#x(t[first] + shift), this.#plot.bottom);
      } else for (let i = last; i >= first; i--) c.lineTo(this.#x(t[i] + shift), this.#y(axis, lower[i] ?? NaN));
    }
    c.fill();
    c.globalAlpha = 1;
  }

  #dot(x, y, color) {
    const c = this.#context;
    for (const [radius, fill] of [[4.5, this.#color("--surface")], [3, color]]) {
      c.fillStyle = fill;
      c.beginPath();
      c.arc(x, y, radius, 0, 7);
      c.fill();
    }
  }

  /** Names each gap of the first series that has room for a word; what is damaged is hatched. */
  #gaps(from, to) {
    const [series] = this.#shown();
    const c = this.#context, { t, v, shift } = series ? this.#data(series) : { t: [], v: [], shift: 0 };
    const isDamaged = (a, b) => this.#options.damaged?.some((s) => s.from < b && s.to > a);
    const first = Math.max(0, indexOf(t, from - 2 * shift) - 1), end = Math.min(t.length, indexOf(t, to) + 1);
    const most = series ? gapOf(series, t) : Infinity;
    const name = (a, b) => {
      const [left, right] = [this.#x(Math.max(a, from)), this.#x(Math.min(b, to))];
      if (right - left < 72 || isDamaged(a, b)) return;
      c.fillText(this.#texts.noData, (left + right) / 2, this.#plot.bottom - 10);
    };
    c.fillStyle = this.#color("--ink-3");
    c.textAlign = "center";
    let last = null;
    for (const [i, j] of stretches(t, v, first, end, most)) {
      if (last !== null || t[i] > from) name(last ?? from, t[i]);
      last = t[j] + 2 * shift;
    }
    const now = this.#options.axis === undefined ? Math.min(to, Date.now()) : to;
    if (last === null) name(from, now);
    else if (now - last > Math.max(most === Infinity ? 0 : most, 2 * shift)) name(last, now);
    c.textAlign = "left";
  }

  #hatch({ from, to }) {
    const c = this.#context, { top, bottom } = this.#plot;
    const left = Math.max(this.#plot.left, this.#x(from ?? this.range.from));
    const right = Math.min(this.#plot.right, Math.max(this.#x(to ?? this.range.to), left + 2));
    if (right <= left) return;
    c.save();
    c.beginPath();
    c.rect(left, top, right - left, bottom - top);
    c.clip();
    c.strokeStyle = this.#color("--hatch");
    c.lineWidth = 1;
    c.beginPath();
    for (let x = left - (bottom - top); x < right; x += 6) {
      c.moveTo(x, bottom);
      c.lineTo(x + bottom - top, top);
    }
    c.stroke();
    c.restore();
  }

  // --- Crosshair and selection, over a copy of the picture

  #over() {
    const { at } = this.#group, c = this.#context;
    if (at === null && this.#selection === null) {
      if (this.#base !== null) this.#restore();
      this.#base = null;
      return;
    }
    if (this.#base === null) {
      this.#base = document.createElement("canvas");
      [this.#base.width, this.#base.height] = [this.#canvas.width, this.#canvas.height];
      this.#base.getContext("2d").drawImage(this.#canvas, 0, 0);
    } else this.#restore();
    const { left, right, top, bottom } = this.#plot;
    if (this.#selection !== null) {
      const [a, b] = this.#selection.map((t) => Math.min(right, Math.max(left, this.#x(t))));
      c.fillStyle = this.#color("--series-1");
      c.globalAlpha = 0.12;
      c.fillRect(Math.min(a, b), top, Math.abs(b - a), bottom - top);
      c.globalAlpha = 1;
      for (const x of [a, b]) c.fillRect(Math.round(x), top, 1, bottom - top);
      return;
    }
    const x = this.#x(at);
    if (x < left - 1 || x > right + 1) return;
    c.fillStyle = this.#color("--edge");
    c.fillRect(Math.round(x), top, 1, bottom - top);
    for (const { series, i } of this.#under(at)) {
      if (i === null) continue;
      const { t, v, shift } = this.#data(series), axis = this.#axisOf(series);
      if (axis) this.#dot(this.#x(t[i] + shift), this.#y(axis, v[i]), this.#colorOf(series));
    }
  }

  #restore() {
    const c = this.#context;
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    c.drawImage(this.#base, 0, 0);
    c.restore();
  }

  /** The sample of each series that is closest to a time; null in a gap. */
  #under(at) {
    return this.#shown().map((series) => {
      const { t, v, shift } = this.#data(series);
      if (t.length === 0) return { series, i: null };
      let i = Math.min(t.length - 1, indexOf(t, at - shift));
      if (i > 0 && at - shift - t[i - 1] < t[i] - (at - shift)) i--;
      const most = series.every ?? gapOf(series, t);
      const isFar = t.length > 1 && Math.abs(t[i] + shift - at) > most;
      return { series, i: isFar || !isNumber(v[i]) ? null : i };
    });
  }

  /** Moves the crosshair of all charts of the group; null takes it away. */
  #read(at) {
    if (at === this.#group.at) return;
    this.#group.at = at;
    for (const chart of this.#group.charts) {
      chart.#over();
      chart.#say(chart === this);
      chart.#options.onread?.(at);
    }
  }

  #say(isMine) {
    const { at } = this.#group, { readout, rest = "" } = this.#options;
    const text = at === null ? rest : this.#sentence(at);
    if (readout && readout.textContent !== text) readout.textContent = text;
    if (!isMine) return;
    if (at === null) return this.#describe();
    this.#canvas.setAttribute("aria-valuenow", String(Math.round(at)));
    this.#canvas.setAttribute("aria-valuetext", text);
  }

  #sentence(at) {
    const under = this.#under(at), { axis } = this.#options;
    // The time of the sample itself, where one series has one.
    const own = under.length === 1 && under[0].i !== null ? this.#data(under[0].series).t[under[0].i] : at;
    const { from, to } = this.range, named = timeFormats();
    if (this.#options.brief) {
      return [axis ? axis.format(own) : named.second.format(own), ...under.map(({ series, i }) =>
        this.#format(i === null ? null : this.#data(series).v[i], series.unit))].join(" · ");
    }
    const when = axis ? axis.format(own) : (to - from < MINUTE ? named.exact : named.moment).format(own);
    const said = under.map(({ series, i }) => {
      const { v } = this.#data(series);
      if (i === null) return this.#texts.value(series.name, this.#texts.noData);
      const say = (value) => this.#format(value, series.unit);
      return series.every && series.min
        ? this.#texts.window(series.name, say(v[i]), say(series.min[i]), say(series.max[i]))
        : this.#texts.value(series.name, say(v[i]));
    });
    return [when, ...said].join(" · ");
  }

  /** Describes the chart to screen readers while there is no crosshair. */
  #describe() {
    const { from, to } = this.range;
    const said = this.#shown().map((series) => {
      const { t, v } = this.#data(series);
      const [first, end] = [indexOf(t, from - (series.every ?? 0)), indexOf(t, to)];
      const [low] = extent(series.min ?? v, first, end, Infinity, -Infinity);
      const [, high] = extent(series.max ?? v, first, end, Infinity, -Infinity);
      let last = end - 1;
      while (last >= first && !isNumber(v[last])) last--;
      return last < first ? null : this.#texts.summary(series.name, this.#format(v[last], series.unit),
        this.#format(low, series.unit), this.#format(high, series.unit));
    }).filter(Boolean);
    const canvas = this.#canvas;
    canvas.setAttribute("aria-valuemin", String(Math.round(from)));
    canvas.setAttribute("aria-valuemax", String(Math.round(to)));
    canvas.setAttribute("aria-valuenow", String(Math.round(to)));
    canvas.setAttribute("aria-valuetext",
      `${said.length > 0 ? said.join("; ") : this.#texts.empty}. ${this.#texts.keys}.`);
  }

  // --- Pointer, wheel and keys

  #listen() {
    const canvas = this.#canvas, { signal } = this.#stop;
    canvas.setAttribute("role", "slider");
    canvas.tabIndex = 0;
    if (this.#options.label) canvas.ariaLabel = this.#options.label;
    canvas.setAttribute("aria-valuenow", "0");
    canvas.style.touchAction = "pan-y";
    const on = (name, handler, more) => canvas.addEventListener(name, handler.bind(this), { signal, ...more });
    on("pointermove", this.#moved);
    on("pointerdown", this.#pressed);
    on("pointerup", this.#released);
    on("pointercancel", this.#cancelled);
    on("pointerleave", () => {
      this.#lastX = null;
      if (this.#press === null) this.#read(null);
    });
    on("focus", () => this.#group.at === null && this.#describe());
    on("blur", () => this.#read(null));
    on("keydown", this.#keyed);
    if (this.#options.fixed) return;
    on("wheel", this.#wheeled, { passive: false });
    on("dblclick", () => this.back());
  }

  #timeAt(x) {
    const { left, right } = this.#plot;
    return this.range.from + (Math.min(right, Math.max(left, x)) - left) / this.#kx;
  }

  #pressed(event) {
    this.#pointers.set(event.pointerId, event.offsetX);
    if (event.button !== 0) return;
    const isTouch = event.pointerType === "touch";
    if (isTouch && this.#pointers.size === 2) {
      const [a, b] = this.#pointers.values();
      this.#press = { kind: "pinch", range: this.range, apart: Math.max(8, Math.abs(a - b)),
        middle: this.#timeAt((a + b) / 2) };
      return;
    }
    this.#canvas.setPointerCapture(event.pointerId);
    const kind = isTouch || this.#options.fixed ? "read" : event.shiftKey ? "move" : "select";
    this.#press = { kind, x: event.offsetX, t: this.#timeAt(event.offsetX), range: this.range, isDrag: false };
    if (isTouch) this.#read(this.#press.t);
  }

  #moved(event) {
    const press = this.#press, x = event.offsetX;
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, x);
    this.#lastX = x;
    if (press?.kind === "pinch" && this.#pointers.size === 2) {
      const [a, b] = this.#pointers.values(), { from, to } = press.range;
      const length = (to - from) * press.apart / Math.max(8, Math.abs(a - b));
      const share = ((a + b) / 2 - this.#plot.left) / (this.#plot.right - this.#plot.left);
      return this.#choose(press.middle - share * length, press.middle + (1 - share) * length, false);
    }
    if (press === null || press.kind === "read") return this.#read(this.#timeAt(x));
    if (!press.isDrag && Math.abs(x - press.x) < DRAG) return;
    press.isDrag = true;
    if (press.kind === "move") {
      const by = (press.x - x) / this.#kx;
      return this.#choose(press.range.from + by, press.range.to + by, false);
    }
    this.#selection = [press.t, this.#timeAt(x)];
    this.#over();
    const { readout } = this.#options;
    if (readout) {
      const [a, b] = this.#selection.toSorted((p, q) => p - q), { axis } = this.#options;
      const format = axis ? axis.format : timeFormats().moment.format;
      readout.textContent = `${format(a)} – ${format(b)}`;
    }
  }

  #released(event) {
    const press = this.#press;
    this.#pointers.delete(event.pointerId);
    this.#press = null;
    if (press === null) return;
    if (press.kind === "select" && press.isDrag) {
      const [a, b] = this.#selection.toSorted((p, q) => p - q);
      this.#selection = null;
      this.#group.at = null;
      this.#choose(a, b, true);
    } else if ((press.kind === "move" && press.isDrag) || press.kind === "pinch") {
      this.#past.push(press.range);
      this.#settled();
    }
    if (event.pointerType === "touch" && this.#pointers.size === 0) {
      this.#lastX = null;
      this.#read(null);
    }
  }

  #cancelled(event) {
    this.#pointers.delete(event.pointerId);
    this.#press = this.#selection = null;
    this.#read(null);
    this.#over();
  }

  #wheeled(event) {
    if (event.deltaY === 0 && event.deltaX === 0) return;
    event.preventDefault();
    const { from, to } = this.range, unit = event.deltaMode === 1 ? 30 : 1;
    this.#remember();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const by = ((event.deltaX || event.deltaY) * unit) / this.#kx;
      return this.#choose(from + by, to + by, false);
    }
    this.#zoomBy(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.002))), this.#timeAt(event.offsetX));
  }

  #zoomBy(factor, about) {
    const { from, to, follow } = this.range;
    // About the end of a following chart it goes on following.
    if (follow !== null && about >= to - (to - from) * 0.02) about = to;
    this.#choose(about - (about - from) * factor, about + (to - about) * factor, false);
  }

  #keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { left, right } = this.#plot, { from, to } = this.range, isFixed = this.#options.fixed;
    const at = this.#group.at === null ? right : this.#x(this.#group.at);
    const length = to - from;
    const moves = { ArrowLeft: -length / 10, ArrowRight: length / 10, PageUp: -length, PageDown: length };
    const places = { ArrowLeft: at - 4, ArrowRight: at + 4, PageUp: at - 40, PageDown: at + 40, Home: left, End: right };
    const { key } = event;
    if (key === "Escape") {
      if (this.#group.at === null && this.#selection === null) return;
      this.#selection = null;
      this.#read(null);
    } else if (event.shiftKey && key in moves && !isFixed) {
      this.#remember();
      this.#choose(from + moves[key], to + moves[key], false);
    } else if (key in places) {
      this.#read(this.#timeAt(Math.min(right, Math.max(left, places[key]))));
    } else if ((key === "+" || key === "=" || key === "-") && !isFixed) {
      this.#remember();
      this.#zoomBy(key === "-" ? 1.5 : 1 / 1.5, this.#group.at ?? to);
    } else if (key === "Backspace" && !isFixed) this.back();
    else return;
    event.preventDefault();
  }

  // --- Ranges chosen by hand

  /** Puts the range before a series of turns or keys where `back` finds it. */
  #remember() {
    if (this.#settle === null) this.#past.push({ ...this.#range });
  }

  #choose(from, to, isFinal) {
    if (isFinal) this.#past.push({ ...this.#range });
    const { shortest = 10, longest = 100 * 365 * DAY, from: first = -Infinity, to: last }
      = this.#options.limits ?? {};
    const end = last ?? (this.#options.axis ? Infinity : Date.now());
    let length = Math.min(longest, Math.max(shortest, to - from), end - first);
    const middle = (from + to) / 2;
    [from, to] = to - from === length ? [from, to] : [middle - length / 2, middle + length / 2];
    if (to > end) [from, to] = [end - length, end];
    if (from < first) [from, to] = [first, first + length];
    const isNow = this.#range.follow !== null && end - to < length * 0.001 && last === undefined;
    const range = isNow ? { from: 0, to: 0, follow: length } : { from, to, follow: null };
    for (const chart of this.#group.range ? this.#group.charts : [this]) {
      chart.#range = { ...range };
      chart.#tick();
      chart.update();
    }
    if (this.#lastX !== null) {
      // The crosshair stays below the pointer.
      this.draw();
      this.#read(this.#timeAt(this.#lastX));
    }
    if (isFinal) this.#chosen(); else this.#settled();
  }

  #settled() {
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => {
      this.#settle = null;
      this.#chosen();
    }, SETTLE_MS);
  }

  #chosen() {
    for (const chart of this.#group.range ? this.#group.charts : [this]) {
      if (chart !== this) chart.#range = { ...this.#range };
      chart.update();
    }
    this.#options.onrange?.(this.range);
  }

  // --- What is shown, as a table

  /**
   * The visible samples or windows, newest first.
   * @param {{limit?: number}} [options]
   * @returns {{columns: {name: string, unit?: string, series: string, statistic?: string}[],
   *   rows: {t: number, to?: number, values: (number|null)[]}[], total: number}}
   */
  table({ limit = Infinity } = {}) {
    const { from, to } = this.range, columns = [], sources = [];
    for (const series of this.#shown()) {
      const { t, v } = this.#data(series), { name, unit } = series;
      const lists = series.every === undefined ? [[undefined, v]]
        : [["mean", v], ["deviation", series.deviation], ["min", series.min], ["max", series.max]]
          .filter(([, list]) => list !== undefined);
      for (const [statistic] of lists) {
        columns.push({ name: statistic ? `${name} ${statistic}` : name, unit, series: name, statistic });
      }
      const first = indexOf(t, from - (series.every ?? 0));
      const end = indexOf(t, to + 1e-6);
      sources.push({ t, lists: lists.map(([, list]) => list), first, at: end - 1, every: series.every });
    }
    const rows = [];
    let total = 0;
    for (;;) {
      let t = -Infinity;
      for (const s of sources) if (s.at >= s.first && s.t[s.at] > t) t = s.t[s.at];
      if (t === -Infinity) break;
      const isShown = total++ < limit, values = [];
      let every;
      for (const source of sources) {
        const isHere = source.at >= source.first && source.t[source.at] === t;
        if (isShown) {
          for (const list of source.lists) values.push(isHere && isNumber(list[source.at]) ? list[source.at] : null);
        }
        if (isHere) {
          source.at--;
          every ??= source.every;
        }
      }
      if (isShown) rows.push(every === undefined ? { t, values } : { t, to: t + every, values });
    }
    return { columns, rows, total };
  }

  /** The visible samples or windows as CSV (RFC 4180), oldest first, with times in RFC 3339. */
  csv() {
    const { columns, rows } = this.table();
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const isWindows = rows.some((row) => row.to !== undefined);
    const head = ["from", ...(isWindows ? ["to"] : []),
      ...columns.map(({ name, unit }) => (unit && unit !== "1" ? `${name} [${unit}]` : name))];
    if (!isWindows) head[0] = this.#options.axis ? "x" : "time";
    const time = (t) => (this.#options.axis ? String(t) : new Date(t).toISOString());
    const lines = rows.reverse().map(({ t, to, values }) => [time(t), ...(isWindows ? [to === undefined ? "" : time(to)] : []),
      ...values.map((v) => (v === null ? "" : String(v)))].map(quoted).join(","));
    return [head.map(quoted).join(","), ...lines, ""].join("\r\n");
  }
}

/** The least and the greatest of values, continuing from `low` and `high`. */
function extent(values, first, end, low, high) {
  for (let i = first; i < end; i++) {
    const v = values[i];
    if (v === null) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

const bands = new WeakMap();

/** Mean ± deviation of each window, but not beyond its least and greatest value. */
function bandOf({ v, deviation, min, max }) {
  let band = bands.get(deviation);
  if (band === undefined) {
    band = {
      lower: Array.from(v, (mean, i) => Math.max(min?.[i] ?? -Infinity, mean - (deviation[i] || 0))),
      upper: Array.from(v, (mean, i) => Math.min(max?.[i] ?? Infinity, mean + (deviation[i] || 0))),
    };
    bands.set(deviation, band);
  }
  return band;
}

/** A longer time than this between two points of a series is a gap. */
const gapOf = (series, t) => series.gap ?? (series.every ? series.every * 1.5 : GAP * usualInterval(t));

/** First and last index of each stretch without a gap. */
function* stretches(t, v, first, end, most) {
  let start = -1;
  for (let i = first; i < end; i++) {
    if (!isNumber(v[i])) {
      if (start >= 0) yield [start, i - 1];
      start = -1;
    } else if (start < 0) start = i;
    else if (t[i] - t[i - 1] > most) {
      yield [start, i - 1];
      start = i;
    }
  }
  if (start >= 0) yield [start, end - 1];
}

/**
 * Strokes a line: x = x0 + t·kx, y = y0 + v·ky. With more than two samples a column of device pixels
 * each column is filled from its least to its greatest value.
 */
function line(c, t, v, first, end, most, x0, kx, y0, ky, ratio) {
  if (end <= first) return;
  const column = 1 / ratio; // in CSS pixels
  const columns = Math.max(1, (t[end - 1] - t[first]) * kx * ratio);
  if (end - first <= 2 * columns) {
    c.beginPath();
    // A sample alone between two gaps.
    const point = (i) => c.fillRect(x0 + t[i] * kx - 1.5, y0 + v[i] * ky - 1.5, 3, 3);
    let isDown = false, isSingle = false;
    for (let i = first; i < end; i++) {
      const value = v[i];
      if (value === null || value !== value) {
        if (isSingle) point(i - 1);
        isDown = isSingle = false;
        continue;
      }
      const x = x0 + t[i] * kx, y = y0 + value * ky;
      if (isDown && t[i] - t[i - 1] > most) {
        if (isSingle) point(i - 1);
        isDown = false;
      }
      if (isDown) c.lineTo(x, y); else c.moveTo(x, y);
      isSingle = !isDown;
      isDown = true;
    }
    if (isSingle) point(end - 1);
    return c.stroke();
  }
  // A rectangle a column: software rasterizers fill thousands of them in the time of one long path.
  const thick = c.lineWidth;
  let before = NaN, i = first;
  while (i < end) {
    const x = Math.floor((x0 + t[i] * kx) * ratio);
    const next = ((x + 1) / ratio - x0) / kx; // the time at which the next column begins
    let low = Infinity, high = -Infinity, last = NaN, isBroken = false;
    do {
      const value = v[i];
      if (value !== null && value === value) {
        if (value < low) low = value;
        if (value > high) high = value;
        last = value;
      }
      i++;
      if (i < end && t[i] - t[i - 1] > most) { isBroken = true; break; }
    } while (i < end && t[i] < next);
    if (last !== last) { before = NaN; continue; }
    // From where the column before ended, so that the line has no holes.
    if (before < low) low = before;
    if (before > high) high = before;
    const top = y0 + high * ky, tall = (low - high) * ky;
    c.fillRect((x - 0.25) * column, top - thick / 2, 1.5 * column, tall + thick);
    before = isBroken ? NaN : last;
  }
}

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
    const width = canvas.clientWidth, height = canvas.clientHeight, ground = height - BOTTOM;
    if (width === 0 || bins.length === 0) return;
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [low, high] = [bins[0].from, bins.at(-1).to];
    const most = Math.max(1, ...bins.map((bin) => bin.count ?? 0));
    const x = (v) => ((v - low) / (high - low || 1)) * width;
    c.fillStyle = color("--series-1");
    for (const { from, to, count } of bins) {
      if (!count) continue;
      const tall = Math.max(1.5, (count / most) * (ground - 4));
      c.fillRect(x(from) + 0.5, ground - tall, Math.max(1, x(to) - x(from) - 1), tall);
    }
    c.fillStyle = color("--edge");
    c.fillRect(0, ground, width, 1);
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
