// Values as the person reads them, the same in every locale.

import { activityText } from "./activity.js";
import { dateText } from "./elements.js";
import { durationText } from "./stopwatch.js";

/** "512.30m | 700 steps | 2 floors", without what is unknown. */
export function totalsText({ distance, steps, floors }) {
  return [
    distance === null ? null : `${distance.toFixed(2)}m`,
    steps === null ? null : `${steps} steps`,
    floors === null ? null : `${floors} floors`,
  ].filter((text) => text !== null).join(" | ");
}

/** Seconds a metre as minutes a kilometre: "11:54 min/km". */
export function paceText(pace) {
  if (pace === null) return "–";
  const seconds = Math.round(pace * 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min/km`;
}

/** "11:54 min/km, walking"; a dash without both. */
export function motionText({ pace, activity }) {
  const parts = [pace === null ? null : paceText(pace), activity === null ? null : activityText(activity)];
  return parts.filter((text) => text !== null).join(", ") || "–";
}

/** "+12.3 m", above the start. */
export const altitudeText = (metres) =>
  (metres === null ? "–" : `${metres < 0 ? "−" : "+"}${Math.abs(metres).toFixed(1)} m`);

/** "2026-11-22 10:24 | running | 35 min 2 secs". */
export const titleText = ({ start, label, duration }) =>
  `${dateText(start).slice(0, 16)} | ${label} | ${durationText(duration)}`;

/** "5200 m | 12 floors", with 0 for what is missing. */
export const detailText = ({ distance, floors }) => `${(distance ?? 0).toFixed(0)} m | ${(floors ?? 0).toFixed(0)} floors`;
