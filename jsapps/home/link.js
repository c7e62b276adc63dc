// The connection of a client to a device, as a value: `step` returns the next value and what is to be done.
//
// The host connects to a device for as long as its sensor is on. A client that wants to read it takes a lease, and
// sees the states that the host reports; without a lease it reads nothing.

export const STATES = ["unknown", "scanning", "connecting", "connected", "disconnected"];

export const released = Object.freeze({ isHeld: false, state: "unknown", problem: null });

/**
 * The next value of a link, and its actions: "follow" and "leave" the samples.
 *
 * @param event `{ kind: "connect" }`, `{ kind: "release" }`, `{ kind: "report", state, problem }`
 */
export function step(link, event) {
  switch (event.kind) {
    case "connect":
      if (link.isHeld) return { link, actions: [] };
      return { link: { isHeld: true, state: "connecting", problem: null }, actions: ["follow"] };
    case "release":
      if (!link.isHeld) return { link, actions: [] };
      return { link: { isHeld: false, state: "disconnected", problem: null }, actions: ["leave"] };
    case "report": {
      if (!link.isHeld) return { link, actions: [] };
      const state = STATES.includes(event.state) ? event.state : "unknown";
      return { link: { isHeld: true, state, problem: event.problem ?? null }, actions: [] };
    }
    default: throw new TypeError(`There is no event ${event.kind}.`);
  }
}

/** What the host reports about the connection of a device. */
export function reportOf(description) {
  const { available, unavailable, connection, level } = description;
  // Also: the radio is off. Only the host knows when it is ready.
  if (!available) return { state: "disconnected", problem: unavailable?.reason ?? "The device is unavailable." };
  if (level === "off") return { state: "disconnected", problem: "The owner has switched this sensor off." };
  if (connection !== undefined) return { state: connection.state, problem: connection.problem ?? null };
  // Devices that publish by themselves have no connection that could be watched.
  return { state: description.newest === undefined ? "unknown" : "connected", problem: null };
}

/** The label of the one button. */
export function buttonText({ isHeld, state }) {
  if (!isHeld) return "Connect";
  return state === "connected" ? "Disconnect" : "Stop connecting";
}
