// The units of the published format: acceleration in thousandths of g as integers, and dates in seconds since
// 2001. The host has m/s² and milliseconds since 1970. Both conversions are here and nowhere else.

/** Standard gravity in m/s², by definition (3rd CGPM, 1901). */
export const GRAVITY = 9.80665;

/** m/s² in thousandths of g, rounded to the nearest integer. */
export const milliG = (acceleration) => Math.round((acceleration / GRAVITY) * 1000) + 0;

/** Thousandths of g in m/s²: within half a thousandth of g of the original. */
export const fromMilliG = (number) => (number / 1000) * GRAVITY;

const EPOCH = Date.UTC(2001, 0, 1);

/** Seconds since 2001-01-01T00:00:00Z, to the microsecond, of milliseconds since 1970. */
export const since2001 = (milliseconds) => Math.round((milliseconds - EPOCH) * 1000) / 1_000_000;

/** Milliseconds since 1970 of seconds since 2001. */
export const from2001 = (seconds) => Math.round(seconds * 1_000_000) / 1000 + EPOCH;

/** A sample that has all three axes; others are neither drawn nor sent. */
export const isComplete = ({ x, y, z }) => Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z);
