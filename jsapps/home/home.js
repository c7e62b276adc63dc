// The devices of a home and their links, without a page: the same in a browser and in a headless run.

import { accessoriesOf, Names, roomsOf } from "./accessories.js";
import { Events } from "./events.js";
import { Leases } from "./leases.js";
import { released, reportOf, step } from "./link.js";
import { Notifier } from "./notifier.js";
import { Pairing } from "./pairing.js";
import { answer } from "./question.js";
import { isEntrance, KINDS, kindOf, valueOf } from "./readings.js";
import { openStorage } from "./store.js";
import { spanText } from "./elements.js";

const CONNECT_WITHIN_MS = 30_000;
/** How often a run in the background reads a climate, which draws no curve. */
const CLIMATE_MS = 60_000;
const LONG_MS = 3_600_000;

/** A device as this client sees it: its description, its newest sample and its link. */
class Device {
  sample = null;
  error = null;
  link = released;
  stop = null;
  readAt = -Infinity;

  constructor(description) {
    this.description = description;
  }

  get id() {
    return this.description.id;
  }

  get isReadable() {
    return this.description.access === "granted";
  }
}

export class Home {
  #sdk;
  #pollEvery;
  #client;
  #kind;
  #storage;
  #waiting = new Map();
  #events = new Map();
  #timer = null;
  #listeners = new Set();
  #released = new Set();
  #isStopped = false;

  /** The devices, by sensor. */
  devices = new Map();
  /** Who holds leases, by sensor. */
  holders = new Map();

  /** The others that use a device. */
  othersAt(sensor) {
    return (this.holders.get(sensor) ?? []).filter(({ client }) => client !== this.#client);
  }

  /** Why the host does not answer; null while it does. */
  failure = null;
  isKept = true;
  /** Shows a sentence to the person. */
  report = (text) => console.warn(text);

  /**
   * @param kind "page" or "run"
   * @param pollEvery how often the links are looked at, in milliseconds
   * @param isViewed whether somebody looks at this page
   */
  constructor(sdk, { kind = "run", client = crypto.randomUUID(), pollEvery = 500, isViewed = () => false } = {}) {
    [this.#sdk, this.#kind, this.#client, this.#pollEvery] = [sdk, kind, client, pollEvery];
    this.notifier = new Notifier(sdk, isViewed);
  }

  async start() {
    const { storage, isKept } = await openStorage(this.#sdk);
    [this.#storage, this.isKept] = [storage, isKept];
    this.leases = new Leases(storage, { client: this.#client, kind: this.#kind });
    this.names = new Names(storage);
    this.pairing = new Pairing(storage);
    const stored = await storage.keys();
    for (const part of [this.names, this.pairing]) if (stored.includes(part.key)) await part.load();
    await this.refresh();
    // Whoever opens the page wants to see the doors; they are released when it is left.
    await Promise.all([...this.devices.values()].filter(({ id }) => isEntrance(id)).map(({ id }) => this.#connect(id)));
    await this.#lookAtLeases();
    this.#schedule();
  }

  /** Calls a function after each change. */
  onChange(listener) {
    this.#listeners.add(listener);
  }

  #changed() {
    for (const listener of this.#listeners) listener();
  }

  #schedule() {
    let renewed = Date.now();
    const tick = async () => {
      if (this.#isStopped) return;
      await this.refresh();
      if (Date.now() - renewed >= this.leases.length / 3) {
        renewed = Date.now();
        await Promise.all([this.#lookAtLeases(), this.notifier.look()]);
      }
      if (!this.#isStopped) this.#timer = setTimeout(tick, this.#pollEvery);
    };
    this.#timer = setTimeout(tick, this.#pollEvery);
  }

  async #lookAtLeases() {
    try {
      await this.leases.renew();
      this.holders = await this.leases.holders();
    } catch (error) {
      console.warn(`The leases could not be renewed: ${error.message}`);
    }
  }

  /** Gives back everything that this client holds. */
  async stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const device of this.devices.values()) this.#leave(device);
    await this.leases?.releaseAll();
  }

  /** Takes again what was held before `stop`. */
  async resume() {
    this.#isStopped = false;
    await this.refresh();
    await Promise.all([...this.devices.values()].filter(({ link }) => link.isHeld).map(({ id }) => this.#acquire(id)));
    await this.#lookAtLeases();
    this.#schedule();
  }

  // --- Devices ------------------------------------------------------------------------------------------

  /** Looks at all sensors: what there is, what is allowed, and what is connected. */
  async refresh() {
    let descriptions;
    try {
      descriptions = (await this.#sdk.sensors()).filter(({ id }) => KINDS.includes(kindOf(id)));
      this.failure = null;
    } catch (error) {
      this.failure ??= { since: Date.now(), message: error.message };
      this.#changed();
      return;
    }
    const ids = new Set(descriptions.map(({ id }) => id));
    for (const [id, device] of this.devices) {
      if (ids.has(id)) continue;
      this.#leave(device);
      this.devices.delete(id);
      this.#answer(device);
    }
    for (const description of descriptions) {
      const device = this.devices.get(description.id) ?? new Device(description);
      const isNew = !this.devices.has(device.id);
      device.description = description;
      this.devices.set(device.id, device);
      if (!device.isReadable) {
        this.#leave(device);
        device.sample = null;
        continue;
      }
      if (!isEntrance(device.id)) this.#readClimate(device);
      else if (isNew && this.#timer !== null && !this.#released.has(device.id)) await this.#connect(device.id);
      // A stream that ended, because the sensor was denied for a while, is not followed by another one by itself.
      else if (device.link.isHeld) this.#follow(device);
      this.#step(device, { kind: "report", ...reportOf(description) });
      this.#notice(device);
    }
    this.#changed();
  }

  #step(device, event) {
    const { link, actions } = step(device.link, event);
    device.link = link;
    for (const action of actions) {
      if (action === "follow") this.#follow(device);
      else this.#leave(device);
    }
    this.#answer(device);
  }

  #readClimate(device) {
    if (this.#kind === "page") return this.#follow(device);
    if (device.description.newest === undefined || Date.now() - device.readAt < CLIMATE_MS) return;
    device.readAt = Date.now();
    this.#sdk.sensor(device.id).latest().then((sample) => this.#take(device, sample), (error) => this.#missed(device, error));
  }

  #take(device, sample) {
    if (device.sample !== null && sample.t < device.sample.t) return;
    device.sample = sample;
    device.error = null;
    this.#notice(device);
    this.#changed();
  }

  #missed(device, error) {
    if (error.problem !== "no-samples") device.error = error;
  }

  /** Reads the newest sample and each one that follows. */
  #follow(device) {
    if (device.stop !== null || this.#isStopped) return;
    const sensor = this.#sdk.sensor(device.id);
    const onError = (error) => {
      device.error = error;
      device.stop = null;
      this.#changed();
    };
    const stop = sensor.watch((sample) => device.stop === stop && this.#take(device, sample), { onError });
    device.stop = stop;
    if (device.description.newest === undefined) return;
    sensor.latest().then((sample) => device.stop === stop && this.#take(device, sample), (error) => this.#missed(device, error));
  }

  #leave(device) {
    device.stop?.();
    device.stop = null;
  }

  // --- Connecting ---------------------------------------------------------------------------------------

  async #connect(id) {
    const device = this.devices.get(id);
    if (device === undefined || !device.isReadable) return;
    this.#step(device, { kind: "connect" });
    this.#step(device, { kind: "report", ...reportOf(device.description) });
    await this.#acquire(id);
  }

  /** Other clients see that the device is in use; it can be read without that, too. */
  async #acquire(id) {
    try {
      await this.leases.acquire(id);
    } catch (error) {
      console.warn(`The lease of ${id} could not be stored: ${error.message}`);
    }
  }

  /**
   * Connects to a device. Each call has an answer of its own: it resolves when the link is up, and rejects when
   * there is no such device, or after 30 s.
   */
  async connect(id) {
    this.#released.delete(id);
    // What the host reported last may be half a second old.
    await this.refresh();
    const device = this.devices.get(id);
    if (device === undefined || !device.isReadable) throw new Error("Could not find sensor");
    await this.#connect(id);
    this.holders = await this.leases.holders();
    this.#changed();
    if (device.link.state === "connected") return;
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.get(id)?.delete(waiter);
        reject(new Error(`Could not find sensor${device.link.problem === null ? "" : `: ${device.link.problem}`}`));
      }, CONNECT_WITHIN_MS);
      const waiter = { resolve, reject, timer };
      this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(waiter));
    });
  }

  /** Answers the calls that wait for a device. */
  #answer(device) {
    const waiting = this.#waiting.get(device.id);
    if (waiting === undefined) return;
    const isGone = !this.devices.has(device.id) || !device.link.isHeld;
    if (!isGone && device.link.state !== "connected") return;
    this.#waiting.delete(device.id);
    for (const { resolve, reject, timer } of waiting) {
      clearTimeout(timer);
      if (isGone) reject(new Error("Could not find sensor"));
      else resolve();
    }
  }

  /** Releases a device. Other clients keep it; a second call does nothing. */
  async disconnect(id) {
    this.#released.add(id);
    const device = this.devices.get(id);
    if (device !== undefined) this.#step(device, { kind: "release" });
    await this.leases.release(id);
    this.holders = await this.leases.holders();
    this.#changed();
  }

  /**
   * The last known state of a door or lock, `{ lock, door, battery, lastUpdate, stale }`.
   *
   * @throws {Error} before the first connection
   */
  status(id) {
    const device = this.devices.get(id);
    if (device === undefined || device.sample === null) throw new Error("The device was never connected.");
    const values = Object.fromEntries(this.accessories.filter(({ sensor }) => sensor === id)
      .flatMap((accessory) => accessory.quantities.map((one) => [one.quantity, valueOf(one, device.sample, accessory)])));
    return { ...values, lastUpdate: device.sample.t, stale: this.freshness(device).isStale };
  }

  // --- What is shown ------------------------------------------------------------------------------------

  get accessories() {
    const readable = [...this.devices].map(([id, { description }]) => [id, description]);
    return accessoriesOf(new Map(readable), this.pairing.accessories, this.names);
  }

  /** The accessories by room, without hardware that this machine does not have. */
  get rooms() {
    const missing = new Set(this.missing.map(({ id }) => id));
    return roomsOf(this.accessories.filter(({ sensor, isBridged }) => isBridged || !missing.has(sensor)));
  }

  /** Descriptions of thermometers and hygrometers that this machine does not have, and never had. */
  get missing() {
    const isMissing = ({ id, sample, description }) => !description.available && sample === null && !isEntrance(id);
    return [...this.devices.values()].filter(isMissing).map(({ description }) => description);
  }

  /** Whether the newest sample still holds: `{ isStale, note }`. The note says why not. */
  freshness({ id, sample, description, link }, now = Date.now()) {
    if (sample === null) return { isStale: false, note: null };
    const age = `last update ${spanText(now - sample.t)} ago`;
    if (this.failure !== null) return { isStale: true, note: `no answer from the host, ${age}` };
    if (isEntrance(id) && !link.isHeld) return { isStale: true, note: `released, ${age}` };
    if (isEntrance(id) && link.state !== "connected") return { isStale: true, note: `${link.state}, ${age}` };
    // A device that reports only changes is current as long as it is connected, however old its last one is.
    if (description.connection?.state === "connected" && isEntrance(id)) return { isStale: false, note: null };
    // A door that was declared has no connection, and is not opened at intervals.
    if (isEntrance(id)) return { isStale: false, note: null };
    // The host does not know how often a sensor sends of which it has one sample.
    const isStale = !description.available || (description.stale ?? now - sample.t > LONG_MS);
    return { isStale, note: isStale ? age : null };
  }

  /** A value and what must be known about it: `{ value, note }`. */
  read(accessory, quantity) {
    const device = this.devices.get(accessory.sensor);
    if (device === undefined) return { value: undefined, note: "no sensor" };
    if (!device.isReadable) return { value: undefined, note: "not allowed" };
    return { value: valueOf(quantity, device.sample, accessory), note: this.freshness(device).note };
  }

  ask(question) {
    return answer(question, this.rooms, (accessory, quantity) => this.read(accessory, quantity));
  }

  // --- The bridge ---------------------------------------------------------------------------------------

  async resetBridge() {
    await this.pairing.reset();
    await this.names.forgetBridge();
  }

  async removeBridge() {
    await this.pairing.remove();
    await this.names.forgetBridge();
  }

  // --- Messages -----------------------------------------------------------------------------------------

  #notice(device) {
    if (device.sample === null || !device.link.isHeld) return;
    const accessory = this.accessories.find(({ sensor }) => sensor === device.id);
    if (accessory === undefined) return;
    const events = this.#events.get(device.id) ?? new Events(accessory.name);
    events.name = accessory.name;
    this.#events.set(device.id, events);
    const values = Object.fromEntries(accessory.quantities.map((one) => [one.quantity, valueOf(one, device.sample, accessory)]));
    const messages = events.take({ ...values, isConnected: device.link.state === "connected" }, Date.now());
    for (const { title } of messages) console.log(`${title}.`);
    this.notifier.queue(device.id, messages, device.sample.t);
  }
}
