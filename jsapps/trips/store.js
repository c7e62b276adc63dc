// What the app keeps, encrypted in its storage: each report as a value of its own, the provider, the account, the
// trip that is not finished, and the purposes that were used.

import { entryOf, rowOf } from "./rows.js";
import { newKey, seal, SealError, unseal } from "./seal.js";

const KEY = "key", REPORT = "report/", UNREADABLE = "unreadable/";
const SINGLE = ["provider", "account", "trip", "purposes", "next"];

export class Store {
  #key;
  /** The newest change. Changes are made one after the other: an older one must not replace a newer one. */
  #last = Promise.resolve();

  constructor(key) {
    this.#key = key;
  }

  /** The store with the key of this installation, which is made at the first start. */
  static async open() {
    const isFirst = !(await nervous.storage.keys()).includes(KEY);
    let key = isFirst ? null : await nervous.storage.get(KEY);
    if (typeof key !== "string") {
      key = newKey();
      await nervous.storage.set(KEY, key);
    }
    return new Store(key);
  }

  /**
   * Everything that is stored. What cannot be read is set aside under another name and counted.
   *
   * @returns {Promise<{ values: object, entries: object[], unreadable: number }>} the oldest report first
   */
  async load() {
    const values = {}, entries = [];
    let unreadable = 0;
    for (const name of await nervous.storage.keys()) {
      if (!SINGLE.includes(name) && !name.startsWith(REPORT)) continue;
      try {
        const value = await unseal(await nervous.storage.get(name), name, this.#key);
        if (name.startsWith(REPORT)) entries.push(entryOf(value));
        else values[name] = value;
      } catch (error) {
        if (!(error instanceof SealError) && !(error instanceof RangeError)) throw error;
        unreadable += 1;
        await nervous.storage.set(`${UNREADABLE}${name}`, await nervous.storage.get(name));
        await nervous.storage.remove(name);
      }
    }
    entries.sort((a, b) => a.kept - b.kept || (a.report.uuid < b.report.uuid ? -1 : 1));
    return { values, entries, unreadable };
  }

  /** Stores a value, or removes it if it is null. */
  set(name, value) {
    return this.#inOrder(() => this.#write(name, value));
  }

  async #write(name, value) {
    if (value === null || value === undefined) return nervous.storage.remove(name);
    return nervous.storage.set(name, await seal(value, name, this.#key));
  }

  #inOrder(change) {
    const done = this.#last.then(change);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Stores entries in place of `before`; what has not changed is not written again. */
  setEntries(entries, before) {
    return this.#inOrder(async () => {
      for (const entry of entries) {
        if (!before.includes(entry)) await this.#write(`${REPORT}${entry.report.uuid}`, rowOf(entry));
      }
      const kept = new Set(entries.map(({ report }) => report.uuid));
      for (const { report } of before) {
        if (!kept.has(report.uuid)) await this.#write(`${REPORT}${report.uuid}`, null);
      }
    });
  }

  /** Removes everything, with the key. */
  clear() {
    return this.#inOrder(async () => {
      await nervous.storage.clear();
      this.#key = newKey();
      await nervous.storage.set(KEY, this.#key);
    });
  }
}
