// The values of `input` elements: their sanitization, and as numbers and dates; see
// https://html.spec.whatwg.org/#the-input-element.

const day = 86400000;
const pad = (number, digits = 2) => String(number).padStart(digits, "0");
const trim = (text) => text.replace(/^[ \t\n\f\r]+|[ \t\n\f\r]+$/g, "");

export function parseNumber(text) {
    return /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(+text) ? +text : NaN;
}

function parseDate(text) {
    const found = /^(\d{4,})-(\d\d)-(\d\d)$/.exec(text);
    if (found === null || +found[1] === 0) return NaN;
    const time = new Date(0).setUTCFullYear(+found[1], found[2] - 1, +found[3]);
    return new Date(time).getUTCMonth() === found[2] - 1 && new Date(time).getUTCDate() === +found[3] ? time : NaN;
}

function parseTime(text) {
    const found = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/.exec(text);
    if (found === null || found[1] > 23 || found[2] > 59 || (found[3] ?? 0) > 59) return NaN;
    return ((+found[1] * 60 + +found[2]) * 60 + +(found[3] ?? 0)) * 1000 + +(found[4] ?? "0").padEnd(3, "0");
}

function parseMonth(text) {
    const found = /^(\d{4,})-(\d\d)$/.exec(text);
    if (found === null || +found[1] === 0 || found[2] < 1 || found[2] > 12) return NaN;
    return (found[1] - 1970) * 12 + (found[2] - 1);
}

// The Monday of the first week, which contains the 4th of January.
const firstMonday = (year) => {
    const fourth = new Date(0).setUTCFullYear(year, 0, 4);
    return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * day;
};

function parseWeek(text) {
    const found = /^(\d{4,})-W(\d\d)$/.exec(text);
    if (found === null || +found[1] === 0 || +found[2] < 1) return NaN;
    const time = firstMonday(+found[1]) + (found[2] - 1) * 7 * day;
    return time < firstMonday(+found[1] + 1) ? time : NaN;
}

function parseLocal(text) {
    const found = /^(.+)[T ](.+)$/.exec(text);
    return found === null ? NaN : parseDate(found[1]) + parseTime(found[2]);
}

const year = (date) => pad(date.getUTCFullYear(), 4);
const writeDate = (time) => `${year(new Date(time))}-${pad(new Date(time).getUTCMonth() + 1)}-${pad(new Date(time).getUTCDate())}`;
function writeTime(time) {
    const rest = ((time % day) + day) % day, date = new Date(rest);
    const seconds = date.getUTCSeconds(), milliseconds = date.getUTCMilliseconds();
    return `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`
        + (seconds + milliseconds > 0 ? `:${pad(seconds)}` : "")
        + (milliseconds > 0 ? `.${pad(milliseconds, 3)}` : "");
}
const writeMonth = (months) => `${pad(1970 + Math.floor(months / 12), 4)}-${pad(((months % 12) + 12) % 12 + 1)}`;
function writeWeek(time) {
    const thursday = time + (3 - (new Date(time).getUTCDay() + 6) % 7) * day;
    const of = new Date(thursday).getUTCFullYear();
    return `${pad(of, 4)}-W${pad(Math.round((time - firstMonday(of)) / (7 * day)) + 1)}`;
}

/**
 * Types whose values are numbers. `parse` returns the number of a text. `step` is the default of the
 * attribute `step`, `unit` the number that a `step` of 1 stands for, and `base` the number at which steps
 * begin, 0 if missing.
 */
export const numeric = {
    number: { parse: parseNumber, write: String, step: 1, unit: 1 },
    range: { parse: parseNumber, write: String, step: 1, unit: 1 },
    date: { parse: parseDate, write: writeDate, step: 1, unit: day, isDate: true },
    month: { parse: parseMonth, write: writeMonth, step: 1, unit: 1, isDate: true },
    week: { parse: parseWeek, write: writeWeek, step: 1, unit: 7 * day, base: -259200000, isDate: true },
    time: { parse: parseTime, write: writeTime, step: 60, unit: 1000, isDate: true },
    "datetime-local": { parse: parseLocal, write: (time) => `${writeDate(time)}T${writeTime(time)}`, step: 60, unit: 1000 },
};

/** The value that a control of a type shows for a text. */
export function sanitize(input, type, text) {
    switch (type) {
    case "text": case "search": case "tel": case "password": return text.replace(/[\n\r]/g, "");
    case "url": return trim(text.replace(/[\n\r]/g, ""));
    case "email":
        return input.hasAttribute("multiple") ? text.split(",").map(trim).join(",") : trim(text.replace(/[\n\r]/g, ""));
    case "color": return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : "#000000";
    case "range": {
        const min = orElse(parseNumber(input.getAttribute("min") ?? ""), 0);
        const max = orElse(parseNumber(input.getAttribute("max") ?? ""), 100);
        const number = parseNumber(text);
        if (Number.isNaN(number)) return String(max < min ? min : min + (max - min) / 2);
        if (number > max && max >= min) return String(max);
        return number < min ? String(min) : text;
    }
    case "datetime-local": {
        const time = parseLocal(text);
        return Number.isNaN(time) ? "" : numeric[type].write(time);
    }
    default: return type in numeric && Number.isNaN(numeric[type].parse(text)) ? "" : text;
    }
}

export const orElse = (number, otherwise) => (Number.isNaN(number) ? otherwise : number);
