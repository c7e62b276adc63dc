// Records a trip as a session of the host, which stores the positions, measures the route, and continues when this
// page is closed.

const SENSOR = "location";

export class Recorder {
  /** The session as the host last described it; null without one. */
  session = null;
  /** The newest position's accuracy and when it arrived; null before the first one. */
  fix = null;
  /** Metres so far; undefined before the first position. */
  distance = undefined;
  #changed;
  #ended = null;

  /** @param changed called with an error or nothing, after each change that does not come from a method */
  constructor(changed) {
    this.#changed = changed;
  }

  /** When the trip was started or resumed the last time. */
  get since() {
    return this.session?.spans.at(-1)?.from ?? 0;
  }

  /** Whether position and distance are followed. */
  get isFollowing() {
    return this.#ended !== null;
  }

  /** Creates a session and starts it. */
  async start(name) {
    const { sessions } = nervous;
    const { id } = await sessions.create({ name, sensors: [SENSOR] });
    try {
      this.session = await sessions.start(id);
    } catch (error) {
      await sessions.remove(id);
      throw error;
    }
    this.distance = undefined;
    this.follow();
  }

  async pause() {
    this.session = await nervous.sessions.pause(this.session.id);
  }

  /** Rejects with `too-far` or `inaccurate` if the trip stays paused because of the position. */
  async resume() {
    this.session = await nervous.sessions.resume(this.session.id);
    this.follow();
  }

  /** Finishes the trip; resolves to its route. */
  async finish() {
    if (!this.session.finished) this.session = await nervous.sessions.finish(this.session.id);
    this.close();
    return this.route();
  }

  route() {
    return nervous.sessions.route(this.session.id);
  }

  /** Replaces the route by a length, permanently. */
  async enter(metres) {
    this.session = await nervous.sessions.update(this.session.id, { distance: metres });
  }

  rename(name) {
    return nervous.sessions.update(this.session.id, { name });
  }

  /** Takes up a session that was begun before; null if it no longer exists. */
  async restore(id) {
    try {
      this.session = await nervous.sessions.get(id);
    } catch (error) {
      if (error.problem !== "not-found") throw error;
      this.session = null;
    }
    return this.session;
  }

  /** Deletes the session. */
  async discard() {
    this.close();
    const { session } = this;
    this.session = null;
    if (session !== null) await nervous.sessions.remove(session.id);
  }

  /** Leaves the session as it is, for a next trip. */
  leave() {
    this.close();
    this.session = null;
  }

  /** Follows the position and the distance until the trip ends. */
  follow() {
    this.close();
    const ended = this.#ended = new AbortController(), { signal } = ended;
    nervous.sensor(SENSOR).watch(({ accuracy }) => {
      this.fix = { accuracy, arrived: Date.now() };
      this.#changed();
    }, { signal, onError: (error) => this.#lost(error, ended) });
    this.#live(this.session.id, signal).catch((error) => this.#lost(error, ended));
  }

  async #live(id, signal) {
    for await (const { distance } of nervous.sessions.live(id, { signal })) {
      this.distance = distance;
      this.#changed();
    }
  }

  #lost(error, ended) {
    // What ended on purpose is not a failure.
    if (ended.signal.aborted) return;
    this.fix = null;
    this.#changed(error);
  }

  /** Stops following. */
  close() {
    this.#ended?.abort();
    this.#ended = null;
    this.fix = null;
  }
}
