// How long a workout has been active.
//
// The time is the difference of two readings of the wall clock, so that it is right after the page was
// asleep, the machine suspended or the page loaded again. Where the wall clock goes back, the monotonic one
// says how long it was.

const SLACK_MS = 1000;

/** A stopwatch at zero; plain data, which survives a reload as JSON. */
export const stopwatch = () => ({ active: 0, wall: null, monotonic: null });

/** Lets it run from now on. */
export function run(watch, { wall, monotonic }) {
  Object.assign(watch, { wall, monotonic });
}

/** Adds the time since the last reading if it runs, and returns the active milliseconds. */
export function read(watch, { wall, monotonic }) {
  if (watch.wall === null) return watch.active;
  const byWall = wall - watch.wall;
  // After a reload the monotonic clock has another origin.
  const byMonotonic = watch.monotonic === null ? 0 : monotonic - watch.monotonic;
  watch.active += Math.max(0, byWall < byMonotonic - SLACK_MS ? byMonotonic : byWall);
  Object.assign(watch, { wall, monotonic });
  return watch.active;
}

/** Stops it, and returns the active milliseconds. */
export function stop(watch, now) {
  read(watch, now);
  Object.assign(watch, { wall: null, monotonic: null });
  return watch.active;
}

/** A stopwatch that was stored: its monotonic reading was that of another page. */
export const restored = (stored) => ({ ...stored, monotonic: null });

/** "1 hrs 2 mins 3 secs" from an hour on, otherwise "2 min 3 secs". */
export function durationText(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  return hours > 0
    ? `${hours} hrs ${minutes % 60} mins ${seconds % 60} secs`
    : `${minutes} min ${seconds % 60} secs`;
}
