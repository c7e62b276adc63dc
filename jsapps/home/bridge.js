// The published configuration of a bridge, `config.json`: a bridge with name, username, port and PIN, and its
// accessories, alone in `accessories` or as those of a plugin in `platforms`. Names of accessories are those of
// plugins; a plugin that is not known here is skipped with a warning.

import { parse } from "./strict-json.js";

const USERNAME = /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/i, PIN = /^\d{3}-\d{2}-\d{3}$/;
const MOST_ACCESSORIES = 149;

/** Codes that everyone would guess: HomeKit Accessory Protocol, section "Setup codes". */
const GUESSABLE = new Set(["123-45-678", "876-54-321", ..."0123456789"].map((code) =>
  code.length === 1 ? `${code.repeat(3)}-${code.repeat(2)}-${code.repeat(3)}` : code));

/** Whether a setup code has the form 031-45-154 and is not one that everyone would guess. */
export const isSetupCode = (code) => PIN.test(code) && !GUESSABLE.has(code);

/** The quantities of a service, by its type in the HomeKit Accessory Protocol. */
const SERVICES = new Map(Object.entries({
  LockMechanism: "lock", ContactSensor: "door", Door: "door", TemperatureSensor: "temperature",
  HumiditySensor: "humidity", Battery: "battery", BatteryService: "battery",
}));

const text = (value, fallback = "") => (typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 64) : fallback);

const single = (...quantities) => (config, warn) => {
  const name = text(config.name);
  if (name === "") {
    warn(`An accessory of type “${config.accessory}” has no name and was skipped.`);
    return [];
  }
  const parts = quantities.map((quantity) => ({ quantity, name: text(config[`name_${quantity}`], name) }));
  return [{ name, room: text(config.room), parts, divisor: divisorOf(config, warn) }];
};

function divisorOf({ batteryDivisor, name }, warn) {
  if (batteryDivisor === undefined) return undefined;
  if (typeof batteryDivisor === "number" && batteryDivisor > 0) return batteryDivisor;
  warn(`batteryDivisor of “${name}” must be a number above 0; 4.3 is used.`);
  return undefined;
}

/** The accessories of a plugin that has a list of Bluetooth devices, each with its services. */
function bluetooth({ accessories }, warn) {
  if (!Array.isArray(accessories)) {
    warn("The platform “Bluetooth” has no list of accessories and was skipped.");
    return [];
  }
  return accessories.flatMap((device) => {
    const name = text(device?.name), services = Array.isArray(device?.services) ? device.services : [];
    if (name === "") {
      warn("A device of the platform “Bluetooth” has no name and was skipped.");
      return [];
    }
    const parts = services.flatMap((service) => {
      const quantity = SERVICES.get(service?.type);
      if (quantity !== undefined) return [{ quantity, name: text(service.name, name) }];
      warn(`The service “${text(service?.type, "without a type")}” of “${name}” is not supported and was skipped.`);
      return [];
    });
    if (parts.length === 0) {
      warn(`“${name}” has no service that is supported and was skipped.`);
      return [];
    }
    return [{ name, room: text(device.room), parts, divisor: divisorOf(device, warn) }];
  });
}

/** The factories by the type of an accessory or platform, in lower case. */
const ACCESSORIES = new Map(Object.entries({
  dht: single("temperature", "humidity"), dht11: single("temperature", "humidity"), dht22: single("temperature", "humidity"),
  iotdoor: single("lock", "battery"), contact: single("door"), lock: single("lock"), thermometer: single("temperature"),
}));
const PLATFORMS = new Map(Object.entries({ bluetooth }));

/** A document that is JSON but no configuration of a bridge. */
export class BridgeError extends Error {
  name = "BridgeError";
}

/**
 * Reads a configuration.
 *
 * @returns {{ name, username, port, pin, accessories: { key, type, name, room, parts, divisor }[], warnings: string[] }}
 *   `parts` are `{ quantity, name }`.
 * @throws {DocumentError} for what is not strict JSON, with its place
 * @throws {BridgeError} for a bridge whose members are missing or wrong
 */
export function readBridge(document) {
  const config = parse(document);
  if (config === null || typeof config !== "object" || Array.isArray(config)) {
    throw new BridgeError("The configuration must be an object with the key “bridge”.");
  }
  const { bridge } = config;
  if (bridge === null || typeof bridge !== "object" || Array.isArray(bridge)) {
    throw new BridgeError("The configuration has no object “bridge”.");
  }
  const name = text(bridge.name);
  if (name === "") throw new BridgeError("The bridge has no “name”.");
  if (!USERNAME.test(bridge.username)) {
    throw new BridgeError("“username” of the bridge must be six bytes such as CC:22:3D:E3:CE:30.");
  }
  if (!Number.isInteger(bridge.port) || bridge.port < 1 || bridge.port > 65_535) {
    throw new BridgeError("“port” of the bridge must be a number from 1 to 65535.");
  }
  if (!isSetupCode(bridge.pin)) {
    throw new BridgeError("“pin” of the bridge must have the form 031-45-154, and not be one that everyone would guess.");
  }
  const warnings = [], accessories = [], names = new Set();
  const take = (type, list) => {
    for (const accessory of list) {
      if (names.has(accessory.name)) {
        warnings.push(`There are two accessories named “${accessory.name}”. The second was skipped.`);
      } else if (accessories.length === MOST_ACCESSORIES) {
        warnings.push(`“${accessory.name}” was skipped: a bridge has at most ${MOST_ACCESSORIES} accessories.`);
      } else {
        names.add(accessory.name);
        accessories.push({ key: `bridge:${type}/${accessory.name}`, type, ...accessory });
      }
    }
  };
  const each = (member, typeKey, factories) => {
    if (config[member] !== undefined && !Array.isArray(config[member])) {
      throw new BridgeError(`“${member}” must be a list.`);
    }
    for (const one of config[member] ?? []) {
      const type = text(one?.[typeKey]), create = factories.get(type.toLowerCase());
      if (create !== undefined) take(type, create(one, (warning) => warnings.push(warning)));
      else warnings.push(`The ${typeKey} “${type || "without a type"}” is not known and was skipped.`);
    }
  };
  each("accessories", "accessory", ACCESSORIES);
  each("platforms", "platform", PLATFORMS);
  return { name, username: bridge.username.toUpperCase(), port: bridge.port, pin: bridge.pin, accessories, warnings };
}
