// Steps, floors and altitude of a workout, from the totals and pressures that sensors report.

const FLOOR_M = 3, DESCENT_M = 1;
const PRESSURES_HPA = [200, 1200];
const EXPONENT = (8.31432 * 0.0065) / (9.80665 * 0.0289644);

/** Steps: the growth of a counter. Plain data; `total` is null before the first sample. */
export const steps = () => ({ total: null, last: null });

/** The next total is a new base: what the counter grew since, such as in a pause, does not count. */
export function rebase(steps) {
  steps.last = null;
}

/** Takes the total of a counter. A total below the last one is that of a counter that began again. */
export function takeSteps(steps, count) {
  if (!Number.isFinite(count) || count < 0) return;
  const grown = steps.last === null ? 0 : Math.max(0, count - steps.last);
  steps.last = count;
  // Steps are whole, whatever the counter reports.
  steps.total = (steps.total ?? 0) + Math.round(grown);
}

/** The altitude in metres at which the U.S. Standard Atmosphere of 1976 has a pressure in hPa. */
export const altitudeAt = (pressure) => (288.15 / 0.0065) * (1 - (pressure / 1013.25) ** EXPONENT);

/** The climb: altitude above the start of the workout, and floors of three metres. Plain data. */
export const climb = () => ({ first: null, now: null, floors: null, low: null, high: null });

/** Ends an ascent; what is climbed during a pause counts no floor. */
export function breakAscent(climb) {
  climb.low = climb.high = null;
}

/** Takes a pressure in hPa; one that cannot be that of air on the ground is dropped. */
export function takePressure(climb, pressure) {
  if (!Number.isFinite(pressure) || pressure < PRESSURES_HPA[0] || pressure > PRESSURES_HPA[1]) return;
  const metres = altitudeAt(pressure);
  climb.first ??= metres;
  climb.now = metres;
  climb.floors ??= 0;
  climb.low ??= metres;
  climb.high = Math.max(climb.high ?? metres, metres);
  // A descent of a metre ends an ascent; smaller ones are the noise of the sensor.
  if (metres < climb.high - DESCENT_M || metres < climb.low) climb.low = climb.high = metres;
  const count = Math.floor((metres - climb.low) / FLOOR_M);
  if (count < 1) return;
  climb.floors += count;
  climb.low += count * FLOOR_M;
}

/** Metres above the start; null before the first pressure. */
export const ascent = (climb) => (climb.first === null ? null : climb.now - climb.first);
