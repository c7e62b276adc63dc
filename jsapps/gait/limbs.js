// The accelerometers, one a limb: which there are, and a live chart of x, y and z of each.

import { Meter } from "./align.js";
import { el, fill, hasLayout, notice, stateOf, timeText } from "./elements.js";
import { isComplete } from "./units.js";

const LENGTH_MS = 10_000, MOST_POINTS = 4000, STALE_MS = 3000, MOST_SAMPLES = 10_000;
// Figures change four times a second, so that they can be read. Where nothing is drawn, once a second is enough.
const FIGURES_MS = 250, POLL_MS = 1000, SHORTEST_PAUSE_MS = 20;
/** What the study records at, and what this app calls slow. */
const RATE = 50, SLOW = 45;
export const AXES = ["x", "y", "z"];

/** The name of a limb: "left ankle" of `accelerometer.left-ankle`; null if there is only the plain sensor. */
export function limbName(id) {
  const [, instance] = id.split(/\.(.*)/s);
  return instance === undefined ? null : instance.replaceAll("-", " ");
}

/** The accelerometers among the sensors that the owner has decided about. */
export const accelerometersOf = (sensors) => sensors.filter(({ id }) => id.split(".")[0] === "accelerometer");

/** Whether samples of it can be drawn and recorded. */
export const isReadable = ({ available, access, level }) => available && access === "granted" && level !== "off";

/** What is to be done about a sensor that cannot be read, or null. */
export function obstacle({ id, available, unavailable, access, level }) {
  if (!available) return { kind: "missing", title: "Not on this machine", text: unavailable?.reason, fix: unavailable?.remedy };
  if (access === "granted" && level !== "off") return null;
  const fix = `nervous permissions grant gait sensor:${id}`;
  if (access === "statistics") return { kind: "denied", title: "Statistics only", text: `Gait needs every sample of ${id}.`, fix };
  if (access === "denied") return { kind: "denied", title: "Denied", text: `Gait may not read ${id}.`, fix };
  if (access !== "granted") return { kind: "undecided", title: "Not decided yet", text: `Gait may not read ${id}.`, fix };
  return { kind: "empty", title: "Off", text: `${id} is switched off.`, fix: `nervous sensors set ${id} 20ms` };
}

/** Live samples of a sensor as they arrive: `(onSample, onError) => stop`. */
export const arriving = (id) => (take, fail) => nervous.sensor(id).watch(take, { onError: fail });

/** The same once a second, for a run without a browser. */
export const polled = (id) => (take, fail) => {
  let after = Date.now(), timer;
  const poll = async () => {
    try {
      const samples = await nervous.sensor(id).samples({ from: after, limit: MOST_SAMPLES });
      samples.forEach(take);
      // Microseconds are the fraction of the time.
      if (samples.length > 0) after = samples.at(-1).t + 0.001;
      timer = setTimeout(poll, POLL_MS);
    } catch (error) {
      fail(error);
    }
  };
  timer = setTimeout(poll, POLL_MS);
  return () => clearTimeout(timer);
};

const waiting = new Map();
let isDrawing = false;

/**
 * Draws a chart soon, together with the others that wait, and then calls `drawn`. After a drawing there is a pause twice
 * as long: charts that are drawn with each frame would delay the samples that they draw.
 */
function draw(chart, drawn) {
  waiting.set(chart, drawn);
  if (!isDrawing) drawAll();
}

function drawAll() {
  isDrawing = true;
  const all = [...waiting];
  waiting.clear();
  for (const [chart] of all) chart.update();
  // The charts have asked for this frame before, so they have been drawn in it.
  requestAnimationFrame((began) => {
    for (const [, drawn] of all) drawn();
    setTimeout(() => {
      isDrawing = false;
      if (waiting.size > 0) drawAll();
    }, Math.max(SHORTEST_PAUSE_MS, 2 * (performance.now() - began)));
  });
}

/** The live view of one accelerometer: figures, and a chart of the last ten seconds. */
export class Limb {
  #meter = new Meter();
  #values = new Map(AXES.map((axis) => [axis, el("dd", {}, "–")]));
  #rate = el("dd", {}, "–");
  #late = el("dd", {}, "–");
  #note = el("p", { class: "note" });
  #chart = null;
  #series = null;
  #newest = null;
  /** The times of samples that the chart has, and has not yet drawn. */
  #undrawn = [];
  #timer;
  #stop;
  /** How many samples it has taken. */
  taken = 0;

  /**
   * @param sensor the description
   * @param watch starts the live samples: `(onSample, onError) => stop`
   * @param place is filled with the view
   */
  constructor({ id, title }, watch, place, group) {
    const figure = (name, value) => el("div", {}, el("dt", {}, name), value);
    const canvas = el("canvas", {}), readout = el("output", {});
    fill(place, el("h3", {}, limbName(id) ?? title),
      el("dl", { class: "figures" },
        AXES.map((axis) => figure(el("span", { class: `axis ${axis}` }, `${axis} (m/s²)`), this.#values.get(axis))),
        figure("Samples per second", this.#rate), figure("Behind (ms)", this.#late)),
      hasLayout() ? el("figure", {}, canvas, readout) : null, this.#note);
    if (hasLayout()) this.#draw(canvas, readout, `${limbName(id) ?? title}, the last 10 seconds`, group);
    this.#stop = watch((sample) => this.push(sample, Date.now()), (error) => fill(place, notice(stateOf(error))));
    this.#timer = setInterval(() => this.show(id), hasLayout() ? FIGURES_MS : POLL_MS);
  }

  async #draw(canvas, readout, label, group) {
    const { Chart, Points } = await import("/lib/charts.js");
    const series = AXES.map((name) => ({ name, unit: "m/s²", points: new Points(MOST_POINTS) }));
    this.#chart = new Chart(canvas, {
      label, series, follow: LENGTH_MS, group: group?.(), readout, placeholder: "Move over the chart to read its values." });
    this.#series = series;
  }

  /** Takes a sample that arrived `now`. Where there is a chart, it counts as late until it is drawn. */
  push(sample, now) {
    if (!isComplete(sample)) return;
    this.#newest = sample;
    this.taken += 1;
    if (this.#series === null) {
      this.#meter.push(sample.t, now);
      return;
    }
    for (const { name, points } of this.#series) points.push(sample.t, sample[name]);
    // Nothing is drawn in a hidden tab; the chart is when it is shown again.
    if (document.visibilityState === "hidden") {
      this.#meter.push(sample.t, now);
      return;
    }
    this.#undrawn.push(sample.t);
    draw(this.#chart, () => {
      const drawn = Date.now();
      for (const t of this.#undrawn.splice(0)) this.#meter.push(t, drawn);
    });
  }

  /** `{ rate, late }` of the last two seconds, or null. */
  get reading() {
    return this.#meter.reading;
  }

  /** Shows the figures. */
  show(id) {
    if (this.#newest === null) {
      fill(this.#note, "No sample yet.");
      return;
    }
    for (const [axis, cell] of this.#values) fill(cell, this.#newest[axis].toFixed(2).replace("-", "−"));
    const { reading } = this;
    fill(this.#rate, reading === null ? "–" : `${Math.round(reading.rate)}`);
    fill(this.#late, reading === null ? "–" : `${Math.max(0, Math.round(reading.late))}`);
    const isStale = Date.now() - this.#newest.t > STALE_MS;
    this.#note.className = isStale ? "state warn" : "note";
    fill(this.#note, ...(isStale ? [`Stale: newest ${timeText(this.#newest.t)}`]
      : reading !== null && reading.rate < SLOW
        ? [`Fewer than ${RATE} samples a second. To change it: `, el("code", {}, `nervous sensors set ${id} 20ms`)] : []));
  }

  /** Ends the stream and the chart. */
  stop() {
    this.#stop();
    clearInterval(this.#timer);
    waiting.delete(this.#chart);
    this.#chart?.remove();
  }
}
