// Numbers, times and units as people write them, in the language of the browser.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const NNBSP = "\u202f";
const formats = new Map();

function numberFormat(digits, isFixed) {
  const key = `${digits}${isFixed}`;
  let made = formats.get(key);
  if (!made) {
    made = new Intl.NumberFormat(undefined, {
      maximumFractionDigits: digits, minimumFractionDigits: isFixed ? digits : 0, useGrouping: "min2",
      signDisplay: "negative", // zero has none
    });
    formats.set(key, made);
  }
  return made;
}

/** Writes times in the language of the browser; the format is made when it is used first, because that takes time. */
function timeFormat(options) {
  let made;
  return (t) => (made ??= new Intl.DateTimeFormat(undefined, options)).format(t);
}

const clockFormat = timeFormat({ timeStyle: "short" });
const secondFormat = timeFormat({ timeStyle: "medium" });
const fractionFormat = timeFormat(
  { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
const dayFormat = timeFormat({ day: "numeric", month: "short" });
const dateFormat = timeFormat({ day: "numeric", month: "short", year: "numeric" });
const momentFormat = timeFormat({ dateStyle: "medium", timeStyle: "medium" });
const longDateFormat = timeFormat({ weekday: "long", day: "numeric", month: "long" });

// UCUM, as the API has it, to what people write.
const UNITS = {
  1: "", Cel: "°C", K: "K", deg: "°", "rad/s": "rad/s", "m/s2": "m/s²", uT: "µT", us: "µs",
  "mm/s": "mm/s", "/s": "/s", "/min": "/min", "{step}": "", "{satellite}": "", "{packet}": "",
  "{process}": "", "{inode}": "", "{cycle}": "", "kW.h": "kWh", "W.h": "Wh", "mg/m3": "mg/m³",
  "ug/m3": "µg/m³", m3: "m³", m2: "m²", "dB[SPL]": "dB", "dB[mW]": "dBm", "A.h": "Ah",
  "[ppm]": "ppm", "[ppb]": "ppb",
};
const PREFIXES = ["", "k", "M", "G", "T", "P"];
const isBytes = (unit) => unit === "By" || unit === "By/s";

function unitText(unit) {
  if (unit === undefined || unit === null) return "";
  return UNITS[unit] ?? (unit.startsWith("{") ? unit.slice(1, unit.indexOf("}")) : plain(unit));
}

/** Digits after the point so that a number has about `significant` of them. */
function digitsFor(value, significant = 3) {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(size)) return 0;
  return Math.min(6, Math.max(0, significant - 1 - Math.floor(Math.log10(size))));
}

function scaledBytes(value) {
  const power = Math.min(5, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)));
  return { scaled: value / 1000 ** power, prefix: PREFIXES[power] };
}

export const format = {
  /**
   * A number and its unit as two texts: `{ number: "6.1", unit: "GB" }`. Among values as large as
   * `scale` it has no more digits than these.
   */
  parts(value, unit, scale) {
    const { number, unit: name } = format.signed(value, unit, scale);
    return { number: number.replace("-", "−"), unit: name };
  },

  signed(value, unit, scale) {
    if (value === null || value === undefined || Number.isNaN(value)) return { number: "–", unit: "" };
    if (isBytes(unit)) {
      const { scaled, prefix } = scaledBytes(value);
      const digits = prefix === "" || Math.abs(scaled) >= 100 ? 0 : 1;
      return { number: numberFormat(digits, digits > 0).format(scaled), unit: `${prefix}B${unit.slice(2)}` };
    }
    if (unit === "%") return { number: numberFormat(1, true).format(value), unit: "%" };
    if (unit === "Cel") return { number: numberFormat(1, true).format(value), unit: "°C" };
    if (unit === "hPa") return { number: numberFormat(1, true).format(value), unit: "hPa" };
    if (unit === "deg" && Math.abs(value) <= 180) {
      return { number: numberFormat(5, false).format(value), unit: "°" };
    }
    const digits = Number.isInteger(value) ? 0 : digitsFor(scale ?? value);
    return { number: numberFormat(digits, false).format(value), unit: unitText(unit) };
  },

  /** A number with its UCUM unit, as people write it: "6.1 GB", "21.0 °C"; "–" where there is none. */
  number(value, unit, scale) {
    const parts = format.parts(value, unit, scale);
    return parts.unit === "" ? parts.number
      : parts.number + (parts.unit === "°" || parts.unit.startsWith("/") ? "" : NNBSP) + parts.unit;
  },

  /** A value at an axis whose values are `step` apart, as short as possible. */
  tick(value, unit, step) {
    if (isBytes(unit)) {
      const { scaled, prefix } = scaledBytes(value);
      return `${numberFormat(2, false).format(scaled)}${NNBSP}${prefix}B${unit.slice(2)}`;
    }
    const shown = unitText(unit);
    // 2.5 needs a digit more than 2.
    const power = Math.floor(Math.log10(step) + 1e-9);
    const digits = Math.min(6, Math.max(0, -power + (Math.round((step / 10 ** power) * 10) % 10 === 0 ? 0 : 1)));
    const number = numberFormat(digits, false).format(value).replace("-", "−");
    return shown === "" ? number : number + (shown === "°" || shown.startsWith("/") ? "" : NNBSP) + shown;
  },

  /** A value of a field of a sensor: numbers with unit, states and texts as they are. */
  value(value, field) {
    if (value === null || value === undefined) return "–";
    if (typeof value === "number") return format.number(value, field?.unit);
    return plain(value);
  },

  unit: unitText,
  count: (value) => numberFormat(0, false).format(value),
  percent: (share) => numberFormat(share > 0 && share < 0.1 ? 1 : 0, false).format(share * 100) + `${NNBSP}%`,
  bytes: (value) => format.number(value, "By"),

  /** A length of time in its two largest units: "12 min", "6 h 4 min". */
  duration(ms) {
    if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
    const abs = Math.abs(ms);
    if (abs < 1000) return numberFormat(abs < 10 ? 1 : 0, false).format(ms) + `${NNBSP}ms`;
    if (abs < 10_000 && abs % 1000 !== 0) return numberFormat(1, false).format(ms / 1000) + `${NNBSP}s`;
    const units = [[864e5, "d"], [36e5, "h"], [6e4, "min"], [1e3, "s"]];
    let at = units.findIndex(([size]) => abs >= size);
    const [size, name] = units[at];
    const first = Math.floor(abs / size);
    let said = `${first}${NNBSP}${name}`;
    const next = units[++at];
    if (next && first < 10 && name !== "min") {
      const rest = Math.floor((abs - first * size) / next[0]);
      if (rest > 0) said += ` ${rest}${NNBSP}${next[1]}`;
    }
    return said;
  },

  /** A duration of the API, such as "30d", as people write it: "30 d". */
  period(code) {
    const match = /^(\d+)(us|ms|s|m|h|d|w|mo)$/.exec(String(code));
    if (match?.[2] === "d" && match[1] % 365 === 0) return `${match[1] / 365}${NNBSP}y`;
    return match ? `${match[1]}${NNBSP}${match[2] === "m" ? "min" : match[2]}` : plain(code);
  },

  /** How long ago, up to an hour: "14 min ago"; the clock time after. */
  age(t, now = Date.now()) {
    const age = Math.max(0, now - t);
    if (age < 36e5) return text.shell.ago(format.duration(Math.max(1, Math.round(age / 1000)) * 1000));
    return format.time(t, now);
  },

  /** A time in its shortest form: today the time of day, earlier the date and the time of day. */
  time(t, now = Date.now()) {
    const date = new Date(t);
    if (date.toDateString() === new Date(now).toDateString()) return clockFormat(date);
    if (Math.abs(now - t) > 300 * 864e5) return dateFormat(date);
    return `${dayFormat(date)}, ${clockFormat(date)}`;
  },

  clock: secondFormat,
  exactClock: fractionFormat,
  moment: momentFormat,
  date: dateFormat,
  longDate: longDateFormat,
};

/** A `<time>` element with the exact moment as its title. */
export function timeOf(t, shown = format.time(t)) {
  return h("time", { datetime: new Date(t).toISOString(), title: format.moment(t) }, shown);
}
