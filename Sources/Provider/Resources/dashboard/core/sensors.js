// What every page knows of a sensor.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const kindOf = (id) => id.split(".", 1)[0];
export const isNumeric = (field) => field.kind === "number" || field.kind === "integer";
const sensorLink = (id) => `/sensors/${encodeURIComponent(id)}`;

/** The field that a sensor is shown by; undefined if it has no numbers. */
export function mainField(sensor) {
  return sensor.fields.find(({ name }) => name === sensor.mainField);
}

/** Bounds of the axis of a field: percentages from 0 to 100, amounts from 0, others as seen. */
export function boundsOf(field, sensor) {
  if (field.unit === "%") return { floor: 0, ceiling: 100 };
  const isAmount = isBytes(field.unit) || field.unit === "/s" || field.unit?.startsWith("{")
    || ["load", "light", "location", "noise"].includes(kindOf(sensor.id));
  return isAmount ? { floor: 0 } : {};
}

/** Whether a sensor's newest sample is so old that another should have come. */
export const isLate = (newest, interval) =>
  newest !== undefined && Date.now() - newest > Math.max(10_000, 3 * (interval ?? 60_000));
