// The week: the workouts of the last seven days, the newest first, and how long each day was active.

const WEEK_MS = 604_800_000, MOST = 10;

const byNewest = (left, right) => right.start - left.start || (left.id < right.id ? 1 : -1);

/** At most ten workouts that began in the last 604 800 s, the boundary included, the newest first. */
export function lastWeek(workouts, now, most = MOST) {
  return workouts.filter(({ start }) => start >= now - WEEK_MS && start <= now).sort(byNewest).slice(0, most);
}

/** The next workouts after those that are shown, the newest first, whatever their age. */
export function older(workouts, shown, most = MOST) {
  const ids = new Set(shown.map(({ id }) => id));
  return [...workouts].sort(byNewest).filter(({ id }) => !ids.has(id)).slice(0, most);
}

/** The workout that ended last; undefined if there is none. */
export const latest = (workouts) => [...workouts].sort(byNewest)[0];

/** Seven local days, today last: `{ day, minutes, metres, count }`. */
export function days(workouts, now) {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  return Array.from({ length: 7 }, (_, at) => {
    // Days of a calendar: one is an hour shorter or longer when the clocks change.
    const from = new Date(midnight), to = new Date(midnight);
    from.setDate(from.getDate() + at - 6);
    to.setDate(to.getDate() + at - 5);
    const begun = workouts.filter(({ start }) => start >= from.getTime() && start < to.getTime());
    const sum = (field) => begun.reduce((all, one) => all + (one[field] ?? 0), 0);
    return { day: from.getTime(), minutes: sum("duration") / 60_000, metres: sum("distance"), count: begun.length };
  });
}
