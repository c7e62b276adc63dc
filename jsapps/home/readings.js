// What the fields of a sensor mean for a home: the state of a lock or a door, temperature, humidity, battery.

/** The kinds of sensors that the app shows. */
export const KINDS = ["door", "lock", "climate", "temperature", "humidity"];

export const kindOf = (id) => id.split(".")[0];

/** Whether a device is one that is connected to and released: what reports a door or a lock. */
export const isEntrance = (id) => kindOf(id) === "door" || kindOf(id) === "lock";

const NAMES = { lock: "lock", door: "door", battery: "battery", temperature: "temperature", humidity: "humidity" };

/** The quantities of a sensor, in the order in which they are shown: `{ quantity, field, unit }`. */
export function quantitiesOf({ id, fields }) {
  const kind = kindOf(id);
  const found = fields.flatMap(({ name, unit }) => {
    // A contact that was announced over MQTT has a field `state`, and its kind says what it is.
    const quantity = NAMES[name] ?? (name === "state" && isEntrance(id) ? kind : undefined);
    return quantity === undefined ? [] : [{ quantity, field: name, unit }];
  });
  const order = Object.keys(NAMES);
  return found.sort((a, b) => order.indexOf(a.quantity) - order.indexOf(b.quantity));
}

/**
 * The state of a lock: "locked", "unlocked" or "unknown".
 *
 * The byte 1 and the text "1" are locked, 0 and "0" unlocked. A device that sends anything else has not said that
 * it is locked, but neither that it is not.
 */
export function lockState(value) {
  if (value === "locked" || value === "1" || value === "\u0001" || value === 1) return "locked";
  if (value === "unlocked" || value === "0" || value === "\u0000" || value === 0) return "unlocked";
  return "unknown";
}

/** The state of a contact: "closed", "open" or "unknown". Its level is low while the door is open. */
export function doorState(value) {
  if (value === "closed" || value === "1" || value === 1) return "closed";
  if (value === "open" || value === "0" || value === 0) return "open";
  return "unknown";
}

/** The divisor of the published sketch; its text says 4.2. */
export const BATTERY_DIVISOR = 4.3;

/**
 * The charge in percent, 0 to 100, of what an analog-to-digital converter of 12 bits counts behind a divider of
 * two equal resistors: `(counts / 4095 · 2 · 3.3 V · 1.1) · 100 / divisor`.
 */
export function chargeOf(counts, divisor = BATTERY_DIVISOR) {
  return clamped((counts / 4095) * 2 * 3.3 * 1.1 * 100 / divisor);
}

const clamped = (percent) => Math.min(100, Math.max(0, percent));

/** The charge in percent; undefined if it is unknown, which devices write as -1. Without the unit % it is counts. */
export function batteryLevel(value, unit, divisor) {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return undefined;
  return unit === "%" ? clamped(value) : chargeOf(value, divisor);
}

const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

/** The value of a quantity in a sample: a state, or a number; undefined if it is unknown. */
export function valueOf({ quantity, field, unit }, sample, { divisor } = {}) {
  const value = sample?.[field];
  switch (quantity) {
    case "lock": return lockState(value);
    case "door": return doorState(value);
    case "battery": return batteryLevel(value, unit, divisor);
    default: return number(value);
  }
}

const UNITS = { temperature: "°C", humidity: "%", battery: "%" };
const WORDS = { locked: "Locked", unlocked: "Unlocked", open: "Open", closed: "Closed", unknown: "Unknown" };

/** A value as people read it: "21.4 °C", "Locked"; a dash for an unknown number. */
export function quantityText(quantity, value) {
  if (typeof value === "string") return WORDS[value] ?? value;
  if (value === undefined) return "–";
  return `${quantity === "battery" ? Math.round(value) : value.toFixed(1)} ${UNITS[quantity]}`;
}

export const TITLES = {
  lock: "Lock", door: "Door", battery: "Battery", temperature: "Temperature", humidity: "Humidity",
};
