"use strict";

// Two tiles for a door, like the two lamps on such devices: whether it is open or closed, and whether
// there is a link to it. What a sample says is shown as it comes; the link is looked at twice a second
// while the page is seen.
(() => {
  const LOOK_MS = 500;
  const door = nervous.sensor("door");

  function show(name, state) {
    const tile = document.getElementById(`tile-${name}`);
    if (tile.dataset.state === state) return;
    tile.dataset.state = state;
    tile.dataset.since = Date.now();
    tile.querySelector("output").textContent = state;
  }

  /** The state of the connection; for a sensor that clients publish to, whether it exists. */
  async function link() {
    try {
      const { available, connection } = await door.describe();
      return connection?.state ?? (available ? "connected" : "disconnected");
    } catch (error) {
      if (error.problem === "unknown-sensor") return "missing";
      return error.name === "NotAllowedError" ? "not allowed" : "unknown";
    }
  }

  // A door that reports only its lock is shown by the state of the lock.
  const stateOf = ({ door, lock }) => door ?? lock ?? "unknown";

  let stop = null;
  function follow() {
    const onError = (error) => {
      stop = null;
      show("door", error.name === "NotAllowedError" ? "not allowed" : "unknown");
    };
    stop = door.watch((sample) => show("door", stateOf(sample)), { onError });
    door.latest().then((sample) => show("door", stateOf(sample)), () => {});
  }

  async function look() {
    if (document.visibilityState !== "visible") return;
    const state = await link();
    show("link", state);
    const isThere = !["missing", "not allowed", "unknown"].includes(state);
    if (isThere && stop === null) follow();
    if (!isThere) show("door", state);
  }

  (async () => {
    for (;;) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
})();
