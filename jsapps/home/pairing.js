// Pairing with a bridge: its configuration is imported, its setup code entered, and the person confirms that it is
// no certified device. Only then its accessories are shown. The state is kept; a reset forgets it.

const KEY = "bridge", ITERATIONS = 100_000, FREE_ATTEMPTS = 5, FIRST_WAIT_MS = 30_000, LONGEST_WAIT_MS = 3_600_000;

/**
 * A setup code as `031-45-154`, from digits with or without hyphens, or from the text of a QR code, `X-HM://…`;
 * undefined for anything else.
 *
 * The text of a QR code begins with nine digits in base 36, of whose number the lowest 27 bits are the code.
 */
export function setupCode(typed) {
  const trimmed = typed.trim();
  const [, payload] = /^X-HM:\/\/([0-9A-Z]{9})[0-9A-Z]{4}$/i.exec(trimmed) ?? [];
  const digits = payload === undefined
    ? trimmed.replace(/[\s-]/g, "")
    : `${parseInt(payload, 36) % 2 ** 27}`.padStart(8, "0");
  return /^\d{8}$/.test(digits) ? `${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}` : undefined;
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** PBKDF2 with SHA-256, so that the stored state does not show the code. */
async function digest(code, salt) {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(code), "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "PBKDF2", hash: "SHA-256", salt: encoder.encode(salt), iterations: ITERATIONS }, key, 256);
  return hex(new Uint8Array(bits));
}

const random = (count) => crypto.getRandomValues(new Uint8Array(count));

/** A random username: six bytes of a locally administered address that is no group. */
export function newUsername() {
  const bytes = random(6);
  bytes[0] = (bytes[0] & 0xfc) | 0x02;
  return hex(bytes).toUpperCase().match(/../g).join(":");
}

async function withoutPin({ pin, ...config }) {
  const salt = hex(random(16));
  return { ...config, salt, digest: await digest(pin, salt) };
}

/**
 * The one bridge of this app. `stage` is "none", "code", "confirm" or "paired".
 *
 * A configuration that is imported while a bridge is paired waits for a reset: a document alone must not change
 * what is shown under a name that the person trusts.
 */
export class Pairing {
  key = KEY;
  #storage;
  #now;
  #state = { stage: "none", config: null, next: null, attempts: 0, waitUntil: 0 };

  constructor(storage, now = () => Date.now()) {
    [this.#storage, this.#now] = [storage, now];
  }

  get stage() {
    return this.#state.stage;
  }

  /** The configuration without its PIN; null if none was imported. */
  get config() {
    return this.#state.config;
  }

  /** Whether another configuration waits for a reset. */
  get hasNext() {
    return this.#state.next !== null;
  }

  /** The accessories of the bridge; none before it is paired. */
  get accessories() {
    return this.stage === "paired" ? this.config.accessories : [];
  }

  async load() {
    const stored = await this.#storage.get(KEY);
    if (["code", "confirm", "paired"].includes(stored?.stage) && stored.config) this.#state = stored;
  }

  async #set(change) {
    const state = { ...this.#state, ...change };
    await this.#storage.set(KEY, state);
    this.#state = state;
  }

  /** Takes a configuration of `readBridge`. Returns whether it can be paired at once. */
  async import(bridge) {
    const config = await withoutPin(bridge);
    if (this.stage === "paired") {
      await this.#set({ next: config });
      return false;
    }
    await this.#set({ stage: "code", config, next: null, attempts: 0, waitUntil: 0 });
    return true;
  }

  /**
   * Checks a setup code.
   *
   * @returns {{ ok: true } | { ok: false, reason: string }}
   */
  async enter(typed) {
    if (this.stage !== "code") return { ok: false, reason: "There is no bridge that waits for a code." };
    const left = this.#state.waitUntil - this.#now();
    if (left > 0) return { ok: false, reason: `Too many wrong codes. Try again in ${Math.ceil(left / 1000)} s.` };
    const code = setupCode(typed);
    if (code === undefined) {
      return { ok: false, reason: "A setup code has eight digits, such as 031-45-154, or is the text of a QR code, X-HM://…" };
    }
    if (await digest(code, this.config.salt) === this.config.digest) {
      await this.#set({ stage: "confirm", attempts: 0, waitUntil: 0 });
      return { ok: true };
    }
    const attempts = this.#state.attempts + 1;
    const over = attempts - FREE_ATTEMPTS;
    const wait = over < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** over);
    await this.#set({ attempts, waitUntil: wait === 0 ? 0 : this.#now() + wait });
    return { ok: false, reason: `This is not the code of the bridge.${wait === 0 ? "" : ` Try again in ${wait / 1000} s.`}` };
  }

  /** The person accepts that the bridge is not certified. */
  async confirm() {
    if (this.stage !== "confirm") return;
    await this.#set({ stage: "paired" });
  }

  async cancel() {
    if (this.stage === "confirm") await this.#set({ stage: "code" });
  }

  /** Forgets the pairing. The newest configuration has to be paired again, under a new username. */
  async reset() {
    if (this.stage === "none") return;
    const config = { ...(this.#state.next ?? this.config), username: newUsername() };
    await this.#set({ stage: "code", config, next: null, attempts: 0, waitUntil: 0 });
  }

  /** Forgets the bridge altogether. */
  async remove() {
    await this.#storage.remove(KEY);
    this.#state = { stage: "none", config: null, next: null, attempts: 0, waitUntil: 0 };
  }
}
