// Doors, locks and thermometers that a test moves, beside the simulated sensors. The host cannot simulate a
// device with a connection, so the calls of the SDK that concern these are answered here.

export class TestDevice {
  #watchers = new Set();
  sample = null;
  access = "granted";
  connection;
  unavailable;
  failure;
  stale;
  level = "medium";

  /** @param fields such as `{ lock: undefined, battery: "%" }`: units by name */
  constructor(id, fields, { title = id, connection } = {}) {
    Object.assign(this, { id, title, connection });
    this.fields = Object.entries(fields).map(([name, unit]) =>
      (unit === undefined ? { name, kind: "state" } : { name, unit, kind: "number" }));
  }

  /** How many read it. */
  get readers() {
    return this.#watchers.size;
  }

  /** A sample of now. */
  send(values) {
    this.sample = { t: Date.now(), ...this.sample, ...values, ...{ t: Date.now() } };
    for (const { onSample } of [...this.#watchers]) onSample({ ...this.sample });
  }

  /** The host reports another state of the connection. */
  report(state, problem) {
    this.connection = { ...this.connection, state, problem };
  }

  /** Ends all streams with an error. */
  fail(error) {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const { onError } of watchers) onError(error);
  }

  get description() {
    const { id, title, fields, access, connection, unavailable, failure, stale, level } = this;
    return {
      id, title, fields, access, level, failures: 0, source: "test", available: unavailable === undefined,
      unavailable, failure, stale, connection, newest: this.sample?.t,
    };
  }

  reference() {
    const { id } = this;
    return {
      id,
      describe: async () => this.description,
      latest: async () => {
        if (this.sample === null) throw Object.assign(new Error("no sample"), { name: "NotFoundError", problem: "no-samples" });
        return { ...this.sample, age: Date.now() - this.sample.t, stale: this.stale };
      },
      watch: (onSample, { onError = () => {} } = {}) => {
        const watcher = { onSample, onError };
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
      },
    };
  }
}

/** The SDK with these devices. `sent` has the messages that were sent. */
export function withDevices(sdk, ...devices) {
  const all = new Map(devices.map((device) => [device.id, device])), sent = [];
  return {
    sent, devices: all,
    storage: sdk.storage,
    permissions: sdk.permissions,
    sensors: async () => [...await sdk.sensors(), ...[...all.values()].map(({ description }) => description)],
    sensor: (id) => all.get(id)?.reference() ?? sdk.sensor(id),
    notify: async (title, options) => {
      await sdk.notify(title, options);
      sent.push({ title, ...options });
    },
  };
}

/** The IOTDoor over Bluetooth, connected. */
export const iotDoor = (id = "door.front", state = "connected") =>
  new TestDevice(id, { lock: undefined, battery: "%" }, { title: "IOTDoor", connection: { state } });

/** The same over a serial line, with a contact. */
export const serialDoor = (id = "door.front") =>
  new TestDevice(id, { lock: undefined, door: undefined, battery: "%" }, { title: "Door contact", connection: { state: "connected" } });

export const climate = (id, values) => {
  const device = new TestDevice(id, { temperature: "Cel", humidity: "%" }, { title: "Thermometer and hygrometer" });
  if (values !== undefined) device.send(values);
  return device;
};
