// The sensors of the house: which of them is shown, and what its newest sample says.

import { stateOf } from "./elements.js";

const kindOf = (id) => id.split(".")[0];
const instanceOf = (id) => id.slice(kindOf(id).length + 1);

const KINDS = { indoor: ["temperature", "climate"], humidity: ["humidity"], lock: ["lock", "door"] };

const isReadable = ({ available, access }) => available && access === "granted";

/** The sensors that can be shown in a tile, those that can be read first. */
export function candidates(tile, sensors) {
  const fitting = sensors.filter(({ id }) => KINDS[tile].includes(kindOf(id)));
  return [...fitting.filter(isReadable), ...fitting.filter((sensor) => !isReadable(sensor) && sensor.available)];
}

/** The sensor of a tile: the one that was set, otherwise the first; undefined if there is none. */
export function choose(tile, sensors, set) {
  const all = candidates(tile, sensors);
  return all.find(({ id }) => id === set) ?? all[0];
}

const textOf = ({ title, id }) => (instanceOf(id) === "" ? title : instanceOf(id).replaceAll(/[-.]/g, " "));

/** Whether its newest sample is too old: the host says so, or does not know. */
const age = ({ stale, t }) => ({ isStale: stale === true, t });

const isTemperature = ({ name, unit }) => name === "temperature" || unit === "Cel";
const present = (value) => typeof value === "number" && Number.isFinite(value);

/** Temperature in °C and humidity in % indoors, or `{ problem }`. */
export async function indoor(sensors, set) {
  const sensor = choose("indoor", sensors, set);
  if (sensor === undefined) return missing("thermometer");
  try {
    const sample = await nervous.sensor(sensor.id).latest();
    const field = sensor.fields.find(isTemperature)?.name;
    if (!present(sample[field])) {
      return { problem: { kind: "empty", title: "No value", text: `${sensor.id} has no temperature.` } };
    }
    const percent = present(sample.humidity) ? sample.humidity : await humidity(sensors, sensor.id);
    return { name: textOf(sensor), celsius: sample[field], humidity: percent, ...age(sample) };
  } catch (error) {
    return { problem: stateOf(error) };
  }
}

/** The humidity of the hygrometer with the same name, or of the only one. */
async function humidity(sensors, beside) {
  const all = candidates("humidity", sensors).filter(isReadable);
  const sensor = all.find(({ id }) => instanceOf(id) === instanceOf(beside)) ?? (all.length === 1 ? all[0] : undefined);
  if (sensor === undefined) return null;
  try {
    const sample = await nervous.sensor(sensor.id).latest();
    return present(sample.humidity) && sample.stale !== true ? sample.humidity : null;
  } catch {
    return null;
  }
}

/** What a sample of a door says: `locked`, `unlocked` or `unknown`, whether it is open, and its battery. */
export function lockOf({ lock, door, state, battery }) {
  const known = (value, values) => (values.includes(value) ? value : "unknown");
  return {
    lock: known(lock ?? state, ["locked", "unlocked"]), door: known(door ?? state, ["open", "closed"]),
    battery: present(battery) && battery >= 0 ? battery : null };
}

export async function lock(sensors, set) {
  const sensor = choose("lock", sensors, set);
  if (sensor === undefined) return missing("lock");
  try {
    const sample = await nervous.sensor(sensor.id).latest();
    return { name: textOf(sensor), ...lockOf(sample), ...age(sample) };
  } catch (error) {
    return { problem: stateOf(error) };
  }
}

/** One request of the position: `{ latitude, longitude }`, or an error whose message begins with "Location error: ". */
export async function locationOnce() {
  try {
    const { latitude, longitude } = await nervous.sensor("location").latest();
    if (present(latitude) && present(longitude)) return { latitude, longitude };
    throw new Error("The newest sample has no position.");
  } catch (error) {
    throw new Error(`Location error: ${error.message}`, { cause: error });
  }
}

// The host lists only sensors that exist and that the owner has decided about.
function missing(thing) {
  return { problem: {
    kind: "undecided", title: `No ${thing}`, text: `There is no ${thing}, or you have not allowed one. To allow one:`,
    fix: "nervous permissions wall" } };
}
