// Messages to the owner while the page is not viewed.

const DELAY_MS = 500;

/**
 * Sends messages half a second after the event, so that a door that is opened and unlocked at once is one message.
 *
 * `isViewed` says whether this page is visible. The host knows of other pages and of terminals, and omits a message
 * that someone sees anyway.
 */
export class Notifier {
  #sdk;
  #isViewed;
  #waiting = new Map();
  #omitted = 0;
  /** "granted", "denied" or "prompt". */
  state = "prompt";

  constructor(sdk, isViewed) {
    [this.#sdk, this.#isViewed] = [sdk, isViewed];
  }

  /** Asks for the permission if the owner has not decided, once. */
  async ask() {
    const status = await this.#sdk.permissions.query({ name: "notify" });
    this.state = status.state;
    if (this.state === "prompt") this.state = (await this.#sdk.permissions.request({ name: "notify" })).state;
    return this.state;
  }

  /** Looks whether the owner has decided otherwise since. */
  async look() {
    if (this.state === "granted") return;
    try {
      this.state = (await this.#sdk.permissions.query({ name: "notify" })).state;
    } catch (error) {
      console.warn(`The permission for messages is not known: ${error.message}`);
    }
  }

  /** Queues the messages of an event of a sensor; none if they are denied, or if someone looks. */
  queue(sensor, messages, t) {
    if (messages.length === 0 || this.state !== "granted" || this.#isViewed()) return;
    const waiting = this.#waiting.get(sensor);
    if (waiting !== undefined) {
      waiting.messages.push(...messages);
      return;
    }
    this.#waiting.set(sensor, { messages: [...messages], t });
    setTimeout(() => this.#send(sensor), DELAY_MS);
  }

  async #send(sensor) {
    const { messages, t } = this.#waiting.get(sensor);
    this.#waiting.delete(sensor);
    if (this.#isViewed()) return;
    const lines = messages.map(({ body }) => body);
    if (this.#omitted > 0) lines.push(`${this.#omitted} earlier messages were not sent.`);
    const options = {
      body: lines.join(" "), unlessViewed: true,
      // Each event has a tag of its own, so that a second one does not replace it. A page and a run that report the
      // same event use the same one.
      tag: `${Math.round(t)} ${sensor}`.slice(0, 64),
    };
    try {
      await this.#sdk.notify(messages.map(({ title }) => title).join(", "), options);
      this.#omitted = 0;
    } catch (error) {
      if (error.name === "NotAllowedError") this.state = "denied";
      // The host takes ten messages a minute.
      else if (error.name === "QuotaExceededError") this.#omitted += messages.length;
      else console.warn(`A message was not sent: ${error.message}`);
    }
  }
}
