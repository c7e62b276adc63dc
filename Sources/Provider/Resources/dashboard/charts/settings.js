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
  keys: "Arrow keys move along the time axis, plus and minus zoom",
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
 * @property {string} [placeholder] the text of the readout while there is no crosshair
 * @property {{from?: number, to?: number, shortest?: number, longest?: number}} [limits] of the range
 * @property {(range: {from: number, to: number, follow: number|null}) => void} [onrange] the person
 *   chose another range
 * @property {Partial<typeof TEXTS>} [texts]
 */
