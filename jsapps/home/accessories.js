// What is shown: a device with a name, in a room. An accessory of the paired bridge is bound to a sensor; a sensor
// that no accessory is bound to is an accessory by itself.

import { isEntrance, kindOf, quantitiesOf } from "./readings.js";

const KEY = "names", LONGEST = 40;
/** Instances that say how a device is connected, not where it is. */
const NO_ROOMS = new Set(["ble", "bthome", "contact", "dht", "station", "sensor"]);

const titled = (words) => words.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());

function placeOf(id) {
  const instance = id.split(".").slice(1).join(" ");
  return instance === "" || NO_ROOMS.has(instance) ? "" : titled(instance);
}

/** The room that a sensor is in, as far as its name says so; a door named "front" is no room. */
export function defaultRoom(id) {
  return isEntrance(id) || placeOf(id) === "" ? "Home" : placeOf(id);
}

export function defaultName({ id, title }) {
  if (!isEntrance(id)) return title;
  const place = placeOf(id);
  return place === "" ? title : `${place} ${kindOf(id)}`;
}

const tidy = (text, fallback) => text.trim().replace(/\s+/g, " ").slice(0, LONGEST) || fallback;

/** Names, rooms and sensors that the person chose, by the key of an accessory. */
export class Names {
  key = KEY;
  #storage;
  #chosen = {};

  constructor(storage) {
    this.#storage = storage;
  }

  async load() {
    const stored = await this.#storage.get(KEY);
    this.#chosen = stored !== null && typeof stored === "object" ? stored : {};
  }

  of(key) {
    return Object.hasOwn(this.#chosen, key) ? this.#chosen[key] : {};
  }

  /** Sets the name, the room and the sensor of an accessory; an empty text is the default again. */
  async set(key, { name, room, sensor }) {
    const chosen = { ...this.#chosen, [key]: { name: tidy(name, ""), room: tidy(room, ""), sensor: sensor ?? "" } };
    await this.#storage.set(KEY, chosen);
    this.#chosen = chosen;
  }

  /** Forgets the names of accessories of the bridge. */
  async forgetBridge() {
    const chosen = Object.fromEntries(Object.entries(this.#chosen).filter(([key]) => !key.startsWith("bridge:")));
    await this.#storage.set(KEY, chosen);
    this.#chosen = chosen;
  }
}

/**
 * The accessories: `{ key, name, room, sensor, isBridged, wanted, quantities, divisor }`. `sensor` is undefined
 * while none fits, and `quantities` are those of the sensor that the accessory shows.
 *
 * @param descriptions of the sensors, by id
 */
export function accessoriesOf(descriptions, bridged, names) {
  const free = new Set(descriptions.keys()), found = [];
  // What the person chose is not given to another accessory.
  for (const { key } of bridged) free.delete(names.of(key).sensor);
  for (const { key, name, room, parts, divisor } of bridged) {
    const chosen = names.of(key), wanted = parts.map(({ quantity }) => quantity);
    const fits = (id) => descriptions.has(id)
      && wanted.every((quantity) => quantitiesOf(descriptions.get(id)).some((one) => one.quantity === quantity));
    const sensor = chosen.sensor ? (descriptions.has(chosen.sensor) ? chosen.sensor : undefined) : [...free].find(fits);
    free.delete(sensor);
    const all = sensor === undefined ? [] : quantitiesOf(descriptions.get(sensor));
    found.push({
      key, sensor, isBridged: true, wanted, divisor, name: chosen.name || name, room: chosen.room || room || "Home",
      quantities: all.filter(({ quantity }) => wanted.includes(quantity)),
    });
  }
  for (const id of free) {
    const key = `sensor:${id}`, chosen = names.of(key), description = descriptions.get(id);
    found.push({
      key, sensor: id, isBridged: false, wanted: [], name: chosen.name || defaultName(description),
      room: chosen.room || defaultRoom(id), quantities: quantitiesOf(description),
    });
  }
  return found;
}

/** Accessories by room, both in the order of their names; doors and locks first, and the rooms that have some. */
export function roomsOf(accessories) {
  const rooms = new Map();
  const rank = ({ sensor }) => (sensor !== undefined && isEntrance(sensor) ? 0 : 1);
  const entered = new Set(accessories.filter((one) => rank(one) === 0).map(({ room }) => room));
  const sorted = [...accessories].sort((a, b) => entered.has(b.room) - entered.has(a.room)
    || a.room.localeCompare(b.room) || rank(a) - rank(b) || a.name.localeCompare(b.name));
  for (const accessory of sorted) rooms.set(accessory.room, [...(rooms.get(accessory.room) ?? []), accessory]);
  return rooms;
}
