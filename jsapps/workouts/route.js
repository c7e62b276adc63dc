// The way of a workout: which positions become points, and how long the line through them is. The rules are
// those of the host's routes. Each active interval is a segment of its own, and a segment begins without a
// previous point, so a pause has neither a line nor a length.

const NEAREST_M = 10, WORST_M = 100, WARM_UP_MS = 5000, MOST_POINTS = 100_000;
const RADIUS_M = 6_378_137, FLATTENING = 1 / 298.257223563;
const SQUARED = FLATTENING * (2 - FLATTENING);
const radians = (degrees) => (degrees * Math.PI) / 180;

/**
 * Metres between two positions. Within some kilometres the ellipsoid WGS 84 is nearly a plane whose scales
 * are the radii of curvature at the middle latitude; beyond, its mean sphere is used.
 */
export function distance(from, to) {
  const north = radians(to.latitude - from.latitude);
  // The short way, also across the antimeridian.
  const east = radians(((to.longitude - from.longitude + 540) % 360) - 180);
  const middle = radians((from.latitude + to.latitude) / 2);
  if (Math.abs(north) < 0.02 && Math.abs(east) < 0.02) {
    const w = 1 - SQUARED * Math.sin(middle) ** 2;
    const meridian = (RADIUS_M * (1 - SQUARED)) / w ** 1.5, normal = RADIUS_M / Math.sqrt(w);
    return Math.hypot(north * meridian, east * normal * Math.cos(middle));
  }
  const half = Math.sin(north / 2) ** 2
    + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** The length of segments of points in metres; nothing between two segments. */
export function lengthOf(segments) {
  let metres = 0;
  for (const points of segments) {
    for (let at = 1; at < points.length; at++) metres += distance(points[at - 1], points[at]);
  }
  return metres;
}

/** A route without points; plain data. */
export const route = () => ({
  segments: [], metres: 0, began: null, newest: null, accuracy: null, shown: null, isKnown: false,
});

/** Begins a segment: at the start, and after each pause. */
export function begin(route) {
  route.segments.push([]);
  Object.assign(route, { began: null, newest: null, accuracy: null, shown: null });
}

const isPosition = ({ latitude, longitude }) =>
  Number.isFinite(latitude) && Number.isFinite(longitude) && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** The clock of the receiver went back: times from now on compare only with each other. */
export function restart(route) {
  Object.assign(route, { began: null, newest: null });
}

/** Takes a fix `{ t, latitude, longitude, altitude?, accuracy? }`: "kept", or why it is no point. */
export function take(route, fix) {
  if (!isPosition(fix)) return "invalid";
  if (route.newest !== null && fix.t <= route.newest) return "stale";
  route.newest = fix.t;
  // The first positions after a start are those of a receiver that still searches.
  route.began ??= fix.t;
  route.isKnown = true;
  const accuracy = route.shown = Number.isFinite(fix.accuracy) ? fix.accuracy : null;
  if (fix.t < route.began + WARM_UP_MS) return "warming-up";
  if (accuracy > WORST_M) return "inaccurate";
  const before = route.accuracy;
  route.accuracy = accuracy;
  if (before !== null && accuracy > before) return "worse-accuracy";
  const points = route.segments.at(-1);
  const last = points.at(-1);
  const metres = last === undefined ? 0 : distance(last, fix);
  if (last !== undefined && metres < NEAREST_M) return "too-near";
  if (last !== undefined && accuracy > metres) return "accuracy-beyond-distance";
  if (route.segments.reduce((sum, { length }) => sum + length, 0) >= MOST_POINTS) return "full";
  const { t, latitude, longitude, altitude } = fix;
  points.push(Number.isFinite(altitude) ? { t, latitude, longitude, altitude } : { t, latitude, longitude });
  route.metres += metres;
  return "kept";
}

/** The segments of a finished route: those with points; none if there is only one point. */
export function finished(route) {
  const segments = route.segments.filter((points) => points.length > 0);
  return segments.flat().length < 2 ? [] : segments;
}
