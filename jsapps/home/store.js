// The storage of the app, or memory if the owner does not allow it.

class Memory {
  #values = new Map();

  async get(key) {
    return structuredClone(this.#values.get(key));
  }

  async set(key, value) {
    this.#values.set(key, structuredClone(value));
  }

  async remove(key) {
    this.#values.delete(key);
  }

  async keys() {
    return [...this.#values.keys()].sort();
  }
}

/** `{ storage, isKept }`: whether what is stored outlasts the page. */
export async function openStorage(sdk) {
  const { state } = await sdk.permissions.query({ name: "storage" });
  const isKept = state === "granted";
  return { storage: isKept ? sdk.storage : new Memory(), isKept };
}
