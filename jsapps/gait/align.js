// Samples of several sensors at the same moments, and how fast and how late samples arrive.

/** The usual time between two samples: the median, in milliseconds; null of fewer than two. */
export function usualInterval(times) {
  if (times.length < 2) return null;
  const lengths = times.slice(1).map((t, at) => t - times[at]).sort((a, b) => a - b);
  return lengths[lengths.length >> 1];
}

/** A value of x, y and z at a moment on the line between its neighbours; null where there is a gap. */
function reader(samples, longest) {
  let at = 0;
  return (t) => {
    while (at + 1 < samples.length && samples[at + 1].t <= t) at++;
    const [before, next] = [samples[at], samples[at + 1]];
    if (before === undefined || before.t > t) return null;
    if (before.t === t) return [before.x, before.y, before.z];
    if (next === undefined || next.t - before.t > longest) return null;
    const share = (t - before.t) / (next.t - before.t);
    return ["x", "y", "z"].map((axis) => before[axis] + share * (next[axis] - before[axis]));
  };
}

/**
 * Samples of several sensors at common moments, every `step` milliseconds, from the first moment to the last
 * that any has. Values are interpolated linearly; in a gap of more than four usual intervals, and before the
 * first and after the last sample of a sensor, its value is null.
 *
 * @param limbs arrays of samples in the order of time
 * @returns `[{ t, values: [[x, y, z] | null, …] }]`
 */
export function align(limbs, step) {
  const present = limbs.filter((samples) => samples.length > 0);
  if (present.length === 0) return [];
  const start = Math.ceil(Math.min(...present.map((samples) => samples[0].t)) / step) * step;
  const end = Math.max(...present.map((samples) => samples.at(-1).t));
  const readers = limbs.map((samples) => reader(samples, 4 * (usualInterval(samples.map(({ t }) => t)) ?? 0)));
  const moments = [];
  for (let index = 0; start + index * step <= end; index++) {
    const t = start + index * step;
    moments.push({ t, values: readers.map((read) => read(t)) });
  }
  return moments;
}

/**
 * Milliseconds by which the times of a sensor are too late, of `clock` in its description. A clock that is ahead is
 * ahead for certain; one that is behind may as well send late, unless the host says that it is wrong.
 */
export const correctionOf = (clock) => (clock !== undefined && (clock.offset > 0 || clock.wrong) ? clock.offset : 0);

/** Samples with the times of the host's clock. */
export const corrected = (samples, correction) =>
  (correction === 0 ? samples : samples.map((sample) => ({ ...sample, t: sample.t - correction })));

/** Aligned samples as CSV: `t`, then x, y and z of each sensor in m/s². An empty cell is a gap. */
export function csvOf(names, moments) {
  const head = ["t", ...names.flatMap((name) => ["x", "y", "z"].map((axis) => `${name}.${axis}`))];
  const lines = moments.map(({ t, values }) =>
    [t, ...values.flatMap((value) => (value ?? ["", "", ""]).map((number) => (number === "" ? "" : Number(number.toFixed(6)))))]);
  return [head, ...lines].map((cells) => `${cells.join(",")}\n`).join("");
}

/** How many samples a second arrive, and how late: over the last two seconds. */
export class Meter {
  #arrivals = [];

  /** A sample of the time `t` arrived `now`; both in milliseconds. */
  push(t, now) {
    this.#arrivals.push({ t, late: now - t });
    while (t - this.#arrivals[0].t > 2000) this.#arrivals.shift();
  }

  /** `{ rate, late }`: samples a second, and the largest delay in milliseconds; null before two samples. */
  get reading() {
    if (this.#arrivals.length < 2) return null;
    const length = this.#arrivals.at(-1).t - this.#arrivals[0].t;
    if (length <= 0) return null;
    return {
      rate: ((this.#arrivals.length - 1) / length) * 1000, late: Math.max(...this.#arrivals.map(({ late }) => late)) };
  }
}
