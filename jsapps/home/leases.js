// Who uses a device: each page and each run writes a lease of its own, and renews it. A client that vanishes
// renews nothing, and its lease ends. Each client writes only its own keys, so no two writes can collide.

const PREFIX = "lease/";

/** Leases in a storage. `kind` says what holds one: "page" or "run". */
export class Leases {
  #storage;
  #client;
  #kind;
  #now;
  #held = new Set();

  /** @param length How long a lease lasts without being renewed, in milliseconds. */
  constructor(storage, { client, kind, length = 30_000, now = () => Date.now() }) {
    [this.#storage, this.#client, this.#kind, this.#now] = [storage, client, kind, now];
    this.length = length;
  }

  #key(sensor) {
    return `${PREFIX}${sensor}/${this.#client}`;
  }

  /** Takes a lease, or renews it. */
  async acquire(sensor) {
    this.#held.add(sensor);
    await this.#storage.set(this.#key(sensor), { until: this.#now() + this.length, kind: this.#kind });
  }

  /** Renews what this client holds. */
  async renew() {
    for (const sensor of this.#held) await this.acquire(sensor);
  }

  /** Gives a lease back; does nothing if there is none. */
  async release(sensor) {
    if (!this.#held.delete(sensor)) return;
    await this.#storage.remove(this.#key(sensor));
  }

  async releaseAll() {
    for (const sensor of [...this.#held]) await this.release(sensor);
  }

  /** The holders of each device, `[{ client, kind }]` by sensor; leases that have ended are removed. */
  async holders() {
    const found = new Map();
    for (const key of await this.#storage.keys()) {
      if (!key.startsWith(PREFIX)) continue;
      const [sensor, client] = key.slice(PREFIX.length).split("/");
      const lease = await this.#storage.get(key);
      if (lease === undefined) continue;
      if (!(lease.until > this.#now())) {
        await this.#storage.remove(key);
        continue;
      }
      found.set(sensor, [...(found.get(sensor) ?? []), { client, kind: lease.kind }]);
    }
    return found;
  }
}
