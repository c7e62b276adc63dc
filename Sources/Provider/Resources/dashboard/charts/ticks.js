
// Round times and values for axes.
// A part of charts.js, which CResources/dashboard.c concatenates.

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((n) => n * SECOND), [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  [1, 2, 3, 6, 12].map((n) => n * HOUR), [1, 2, 7, 14].map((n) => n * DAY));
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120]; // about 30.44 days each

let axisFormats = null;
function timeFormats() {
  const made = (options) => new Intl.DateTimeFormat(undefined, options);
  return axisFormats ??= {
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
  const maximum = Math.max(1, width / room);
  const step = STEPS.find((s) => (to - from) / s <= maximum);
  const start = new Date(from);
  if (step === undefined) {
    const months = MONTHS.find((n) => (to - from) / (n * 30.44 * DAY) <= maximum) ?? MONTHS.at(-1);
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
