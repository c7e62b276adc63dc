// What happened between two states of a device, as messages for the owner. The first state is no event.

const LOW_BATTERY = 20, CHARGED = 25, LOST_MS = 60_000;

const isKnown = (state) => state !== undefined && state !== "unknown";
const changed = (before, after) => isKnown(before) && isKnown(after) && before !== after;

/**
 * The events of one accessory. `take` gets its state, `{ lock, door, battery, isConnected, since }`, and returns
 * `{ title, body }` for each event.
 */
export class Events {
  #name;
  #before = null;
  #isLow = false;
  #lostAt = null;
  #isLost = false;

  constructor(name) {
    this.#name = name;
  }

  set name(name) {
    this.#name = name;
  }

  take(state, now) {
    const messages = [], say = (title, body) => messages.push({ title: `${this.#name} ${title}`, body });
    const { lock, door, battery } = { ...this.#before };
    if (changed(door, state.door)) say(state.door === "open" ? "opened" : "closed", `It was ${door}.`);
    if (changed(lock, state.lock)) say(state.lock, `It was ${lock}.`);
    if (battery !== undefined && !this.#isLow && state.battery < LOW_BATTERY) {
      say("has a low battery", `${Math.round(state.battery)} % are left.`);
    }
    if (state.battery < LOW_BATTERY) this.#isLow = true;
    // Charges vary by some percent without being charged.
    if (state.battery > CHARGED) this.#isLow = false;
    this.#connection(state.isConnected, now, say);
    this.#before = Object.fromEntries(["lock", "door", "battery"].map((key) => [
      key, isKnown(state[key]) ? state[key] : this.#before?.[key]]));
    return messages;
  }

  /** Short interruptions are no event: devices reconnect. */
  #connection(isConnected, now, say) {
    if (isConnected) {
      if (this.#isLost) say("is connected again", "Its states are current.");
      [this.#lostAt, this.#isLost] = [null, false];
    } else if (this.#before !== null && this.#lostAt === null) {
      this.#lostAt = now;
    } else if (this.#lostAt !== null && !this.#isLost && now - this.#lostAt >= LOST_MS) {
      this.#isLost = true;
      say("is not connected", "Its last states may have changed since.");
    }
  }
}
