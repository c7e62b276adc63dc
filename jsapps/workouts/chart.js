// The week as bars: minutes of each of the last seven days.

import { shape } from "./drawing.js";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** "Mon 30 min", for those who do not see the bars. */
export const daysText = (days) => days.map(({ day, minutes }) => `${DAYS[new Date(day).getDay()]} ${Math.round(minutes)} min`).join(", ");

/** Draws the bars into an `svg`, instead of what it shows. */
export function drawDays(svg, days, { width = 640, height = 140 } = {}) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", `Minutes of workouts on each of the last seven days: ${daysText(days)}`);
  const top = 20, bottom = height - 22, most = Math.max(...days.map(({ minutes }) => minutes), 1), slot = width / days.length;
  svg.replaceChildren(
    shape("line", { class: "net", x1: 0, x2: width, y1: bottom, y2: bottom }),
    ...days.flatMap(({ day, minutes }, at) => {
      const middle = (at + 0.5) * slot, bar = Math.min(slot * 0.6, 56);
      const tall = minutes === 0 ? 0 : Math.max(2, ((bottom - top) * minutes) / most);
      const text = (y, value, name) => shape("text", { class: name, x: middle, y, "text-anchor": "middle" }, value);
      return [
        shape("rect", { class: "bar", x: middle - bar / 2, y: bottom - tall, width: bar, height: tall }),
        ...(minutes > 0 ? [text(bottom - tall - 5, `${Math.round(minutes)}`, "value")] : []),
        text(height - 6, DAYS[new Date(day).getDay()], at === days.length - 1 ? "today" : "day"),
      ];
    }));
}
