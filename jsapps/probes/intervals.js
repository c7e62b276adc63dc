// How often a sensor is shown. The host's level says how often it is read, and only the owner changes that;
// an interval that the person sets here beats it for this app.

const KEY = "intervals";
const SHORTEST_S = 0.1, LONGEST_S = 86_400;

/** Milliseconds of a typed text: null for none, `undefined` if it is no interval. */
export function parseInterval(text) {
  const trimmed = text.trim().replace(",", ".");
  if (trimmed === "") return null;
  if (!/^\d+(\.\d+)?$/.test(trimmed)) return undefined;
  const seconds = Number(trimmed);
  return seconds >= SHORTEST_S && seconds <= LONGEST_S ? seconds * 1000 : undefined;
}

/** The interval of a sensor: the one that was set, otherwise 0, which is each sample. */
export function intervalOf(intervals, sensor) {
  const set = intervals?.[sensor];
  return typeof set === "number" && Number.isFinite(set) && set >= SHORTEST_S * 1000 ? set : 0;
}

/** The intervals by sensor; none if the storage is not allowed. */
export async function load() {
  try {
    const stored = await nervous.storage.get(KEY);
    return stored !== null && typeof stored === "object" ? stored : {};
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    return {};
  }
}

export const store = (intervals) => nervous.storage.set(KEY, intervals);

/** A function that says whether a sample is due; a clock that goes back does not stop it. */
export function thinning(interval) {
  let last = null;
  return ({ t }) => {
    if (last !== null && t >= last && t - last < interval) return false;
    last = t;
    return true;
  };
}
