"use strict";

// Two tiles for a door, like the two lamps on such devices: whether it is open, and whether it is
// connected. The first follows the samples; the second is updated twice a second while the page is
// visible.
(() => {
  const INTERVAL_MS = 500;
  const door = nervous.sensor("door");

  function show(name, state) {
    const tile = document.getElementById(`tile-${name}`);
    if (tile.dataset.state === state) return;
    tile.dataset.state = state;
    tile.dataset.since = Date.now();
    tile.querySelector("output").textContent = state;
  }

  /** The state of the connection; for a sensor that clients publish to, whether it is available. */
  async function link() {
    try {
      const { available, connection } = await door.describe();
      return connection?.state ?? (available ? "connected" : "disconnected");
    } catch (error) {
      if (error.problem === "unknown-sensor") return "missing";
      return error.name === "NotAllowedError" ? "not allowed" : "unknown";
    }
  }

  // A door without a contact is shown with the state of its lock.
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

  async function update() {
    if (document.visibilityState !== "visible") return;
    const state = await link();
    show("link", state);
    const isPresent = !["missing", "not allowed", "unknown"].includes(state);
    if (isPresent && stop === null) follow();
    if (!isPresent) show("door", state);
  }

  (async () => {
    for (;;) {
      await update();
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  })();
})();
