// Messages for developers. They name their origin, never a value of a sensor, and are printed only after
// `nervous.storage.set("debug", true)`.

let isOn = false;

export function setDebug(on) {
  isOn = on === true;
}

export function debug(origin, message) {
  if (isOn) console.debug(`probes/${origin}: ${message}`);
}
