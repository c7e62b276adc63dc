// Which day it is at a place, and a forecast in blocks of three hours reduced to days.

import { iconOf } from "./conditions.js";

const DAY_S = 86_400;

// A format takes long to make, and much memory.
const formats = new Map();

/** Seconds that clocks of an IANA time zone are ahead of UTC, as a function of the time in milliseconds. */
export function zoneOffset(zone) {
  if (!formats.has(zone)) formats.set(zone, new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
    hour: "numeric", minute: "numeric", second: "numeric" }));
  const format = formats.get(zone);
  return (t) => {
    const parts = Object.fromEntries(format.formatToParts(new Date(t)).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
    return Math.round((local - Math.floor(t / 1000) * 1000) / 1000);
  };
}

/**
 * The offset of a place whose server says how far it is ahead of UTC now. A time zone that agrees with it now also
 * knows when clocks change; without one the offset is constant.
 */
export function placeOffset(seconds, zone, now) {
  const known = zoneOffset(zone);
  return known(now) === seconds ? known : () => seconds;
}

/** The number of the day since 1970 by local clocks. A day on which clocks change has 23 or 25 hours. */
export const localDay = (t, offsetOf) => Math.floor((t / 1000 + offsetOf(t)) / DAY_S);

/** `YYYY-MM-DD` of a day. */
export const dateOf = (day) => new Date(day * DAY_S * 1000).toISOString().slice(0, 10);

const NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The name of a day of the week; 0 is Sunday. */
export const weekday = (number) => NAMES[number];

/** "Today", "Tomorrow", or the day of the week. */
export function dayName(day, today) {
  if (day === today) return "Today";
  return day === today + 1 ? "Tomorrow" : NAMES[new Date(day * DAY_S * 1000).getUTCDay()];
}

/**
 * The first days of a forecast, each from all of its blocks.
 *
 * @param blocks `[{ t, temperature, condition }]`, `t` in milliseconds, in any order; a temperature that is no number is left out
 * @param offsetOf seconds ahead of UTC at a time
 * @returns `[{ day, date, low, high, mean, icon, blocks }]`: `icon` is that of most blocks, the earliest of equals
 */
export function days(blocks, offsetOf, count = 3) {
  const groups = new Map();
  for (const block of [...blocks].sort((a, b) => a.t - b.t)) {
    if (!Number.isFinite(block.temperature)) continue;
    const day = localDay(block.t, offsetOf);
    groups.set(day, [...(groups.get(day) ?? []), block]);
  }
  return [...groups].slice(0, count).map(([day, all]) => {
    const values = all.map(({ temperature }) => temperature), icons = new Map();
    for (const { condition } of all) icons.set(iconOf(condition), (icons.get(iconOf(condition)) ?? 0) + 1);
    const most = Math.max(...icons.values());
    return {
      day, date: dateOf(day), low: Math.min(...values), high: Math.max(...values),
      mean: values.reduce((sum, value) => sum + value, 0) / values.length,
      icon: [...icons].find(([, number]) => number === most)[0], blocks: all.length,
    };
  });
}

/**
 * Three single blocks as an earlier dashboard showed them: the places 0, 7 and 15 of the list, which are now, 21 and
 * 45 hours later. Null of fewer than 16 blocks.
 */
export const sampled = (blocks) => (blocks.length > 15 ? [blocks[0], blocks[7], blocks[15]] : null);
