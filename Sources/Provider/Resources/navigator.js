// navigator.js: `navigator.geolocation`, `getBattery` and `permissions` for the sensors of the host,
// after nervous.js; the same in a browser and in a runner.
//
// If the host lacks the sensor, a page uses the browser's own API, and a headless app gets an error.
(() => {
  "use strict";

  const { nervous } = globalThis;
  const loaded = Symbol.for("nervous.navigator");
  if (nervous === undefined || globalThis[loaded]) return;
  Object.defineProperty(globalThis, loaded, { value: true });

  const isHeadless = navigator.userAgent.startsWith("Nervous/");
  const { geolocation: ownGeolocation, permissions: ownPermissions } = navigator;
  const ownBattery = isHeadless ? undefined : navigator.getBattery?.bind(navigator);

  async function isPresent(id) {
    try {
      return (await nervous.sensor(id).describe()).available;
    } catch (error) {
      if (error.name === "NotFoundError") return false;
      throw error;
    }
  }

  // Requests an undecided privilege; a refusal shows when the sensor is used.
  async function ask(name) {
    const { state } = await nervous.permissions.query({ name });
    if (state === "prompt") await nervous.permissions.request({ name });
  }

  const own = (object, name, value) =>
    Object.defineProperty(object, name, { value, enumerable: true });

  // --- Geolocation ----------------------------------------------------------------------------

  class GeolocationPositionError {
    static PERMISSION_DENIED = 1;
    static POSITION_UNAVAILABLE = 2;
    static TIMEOUT = 3;

    constructor(code, message) {
      own(this, "code", code);
      own(this, "message", message);
    }
  }
  for (const name of ["PERMISSION_DENIED", "POSITION_UNAVAILABLE", "TIMEOUT"]) {
    own(GeolocationPositionError.prototype, name, GeolocationPositionError[name]);
  }

  const number = (value) => (typeof value === "number" ? value : null);
  // A sample has a number in every field; a negative one means unknown.
  const known = (value) => (value >= 0 ? number(value) : null);
  const UNKNOWN_ALTITUDE = -9999;

  // The position of a sample, or null if it has none. An unknown accuracy is unbounded.
  function positionOf(sample) {
    if (number(sample.latitude) === null || number(sample.longitude) === null) return null;
    const coords = {
      latitude: sample.latitude,
      longitude: sample.longitude,
      altitude: sample.altitude > UNKNOWN_ALTITUDE ? number(sample.altitude) : null,
      accuracy: known(sample.accuracy) ?? Infinity,
      altitudeAccuracy: number(sample.altitudeAccuracy),
      heading: known(sample.heading),
      speed: known(sample.speed),
    };
    const plain = { ...coords };
    Object.defineProperty(coords, "toJSON", { value: () => plain });
    return Object.freeze({ coords: Object.freeze(coords), timestamp: Math.trunc(sample.t) });
  }

  function positionError(error) {
    const { PERMISSION_DENIED, POSITION_UNAVAILABLE } = GeolocationPositionError;
    const isRefused = error.name === "NotAllowedError";
    const code = isRefused ? PERMISSION_DENIED : POSITION_UNAVAILABLE;
    return new GeolocationPositionError(code, [error.message, error.fix].filter(Boolean).join(" "));
  }

  function optionsOf({ maximumAge = 0, timeout = Infinity } = {}) {
    const notNegative = (value) => (value > 0 ? Number(value) : 0);
    return { maximumAge: notNegative(maximumAge), timeout: notNegative(timeout) };
  }

  // An error that a callback throws is reported as uncaught.
  function invoke(callback, value) {
    try {
      callback?.(value);
    } catch (error) {
      reportError(error);
    }
  }

  async function recent(maximumAge) {
    if (maximumAge === 0) return null;
    try {
      const position = positionOf(await nervous.sensor("location").latest());
      return position !== null && Date.now() - position.timestamp <= maximumAge ? position : null;
    } catch (error) {
      if (error.name === "NotFoundError") return null;
      throw error;
    }
  }

  const watches = new Map();
  let lastWatch = 0;

  // Follows the location until `signal` aborts; a timeout between two positions is reported, and more
  // positions may follow.
  async function follow(onPosition, onError, { maximumAge, timeout }, signal) {
    let timer;
    let hasOpened = false;
    let hasPosition = false;
    const expect = () => {
      clearTimeout(timer);
      if (timeout === Infinity || signal.aborted) return;
      timer = setTimeout(() => {
        const { TIMEOUT } = GeolocationPositionError;
        invoke(onError, new GeolocationPositionError(TIMEOUT, "The position request timed out."));
      }, timeout);
    };
    const take = (position) => {
      if (position === null || signal.aborted) return;
      hasPosition = true;
      invoke(onPosition, position);
      expect();
    };
    const fail = (error) => {
      clearTimeout(timer);
      if (!signal.aborted) invoke(onError, positionError(error));
    };
    // Subscribe first, so that no position is missed while the last one is read.
    const open = async () => {
      if (hasOpened) return;
      hasOpened = true;
      // The timeout does not include the owner's decision.
      expect();
      const position = await recent(maximumAge);
      if (!hasPosition) take(position);
    };
    signal.addEventListener("abort", () => clearTimeout(timer));
    try {
      await ask("location");
      if (signal.aborted) return;
      nervous.sensor("location").watch((sample) => take(positionOf(sample)), {
        signal,
        onOpen: () => open().catch(fail),
        onError: fail,
      });
    } catch (error) {
      fail(error);
    }
  }

  // The host's location, or else the browser's own.
  function locate(onPosition, onError, options, signal, native) {
    isPresent("location").then(
      (isThere) => {
        if (signal.aborted) return;
        if (isThere) follow(onPosition, onError, optionsOf(options), signal);
        else if (ownGeolocation) native(ownGeolocation);
        else invoke(onError, positionError(new Error("The host has no location.")));
      },
      (error) => signal.aborted || invoke(onError, positionError(error)),
    );
  }

  function checkCallbacks(onPosition, onError) {
    const isFine = onError === undefined || onError === null || typeof onError === "function";
    if (typeof onPosition !== "function" || !isFine) {
      throw new TypeError("the callback is not a function");
    }
  }

  const geolocation = Object.freeze({
    getCurrentPosition(onPosition, onError, options) {
      checkCallbacks(onPosition, onError);
      const ending = new AbortController();
      const once = (callback) => (value) => {
        if (ending.signal.aborted) return;
        ending.abort();
        invoke(callback, value);
      };
      locate(once(onPosition), once(onError), options, ending.signal, (native) =>
        native.getCurrentPosition(onPosition, onError ?? undefined, options),
      );
    },

    watchPosition(onPosition, onError, options) {
      checkCallbacks(onPosition, onError);
      const id = ++lastWatch;
      const ending = new AbortController();
      watches.set(id, ending);
      locate(onPosition, onError, options, ending.signal, (native) => {
        const watch = native.watchPosition(onPosition, onError ?? undefined, options);
        ending.signal.addEventListener("abort", () => native.clearWatch(watch));
      });
      return id;
    },

    clearWatch(id) {
      watches.get(id)?.abort();
      watches.delete(id);
    },
  });

  // --- Battery --------------------------------------------------------------------------------

  // The values of the standard for unknown batteries.
  const UNKNOWN = { charging: true, chargingTime: 0, dischargingTime: Infinity, level: 1 };

  function chargeOf(sample) {
    const charging = sample.state !== "discharging";
    return {
      charging,
      // The charging time is unknown unless the battery is full.
      chargingTime: sample.state === "full" ? 0 : Infinity,
      dischargingTime: Infinity,
      level: number(sample.level) === null ? UNKNOWN.level : sample.level / 100,
    };
  }

  // The current state of each battery, and whether it is followed.
  const charges = new WeakMap();
  const creation = Symbol("creation");

  class BatteryManager extends EventTarget {
    constructor(key, charge) {
      if (key !== creation) throw new TypeError("Illegal constructor");
      super();
      charges.set(this, { charge, isFollowed: charge === UNKNOWN });
    }

    // Followed only while there are listeners, so that a run can end without them.
    addEventListener(type, callback, options) {
      super.addEventListener(type, callback, options);
      const state = charges.get(this);
      if (state.isFollowed || !callback) return;
      state.isFollowed = true;
      nervous.sensor("battery").watch((sample) => change(this, chargeOf(sample)), {
        onError: () => (state.isFollowed = false),
      });
    }
  }

  function change(battery, next) {
    const state = charges.get(battery);
    const before = state.charge;
    state.charge = next;
    for (const name of Object.keys(next)) {
      if (next[name] === before[name]) continue;
      battery.dispatchEvent(new Event(`${name.toLowerCase()}change`));
    }
  }

  for (const name of Object.keys(UNKNOWN)) {
    const type = `${name.toLowerCase()}change`;
    const handlers = new WeakMap();
    Object.defineProperty(BatteryManager.prototype, name, {
      enumerable: true,
      get() {
        return charges.get(this).charge[name];
      },
    });
    Object.defineProperty(BatteryManager.prototype, `on${type}`, {
      enumerable: true,
      get() {
        return handlers.get(this) ?? null;
      },
      set(value) {
        this.removeEventListener(type, handlers.get(this));
        handlers.delete(this);
        if (typeof value !== "function") return;
        handlers.set(this, value);
        this.addEventListener(type, value);
      },
    });
  }

  let battery = null;

  async function getBattery() {
    if (!(await isPresent("battery"))) {
      return ownBattery ? ownBattery() : (battery ??= new BatteryManager(creation, UNKNOWN));
    }
    await ask("battery");
    const charge = chargeOf(await nervous.sensor("battery").latest());
    battery ??= new BatteryManager(creation, charge);
    change(battery, charge);
    return battery;
  }

  // --- Permissions ----------------------------------------------------------------------------

  const NAMES = {
    __proto__: null,
    accelerometer: "accelerometer",
    gyroscope: "gyroscope",
    magnetometer: "magnetometer",
    "ambient-light-sensor": "light",
    geolocation: "location",
  };

  const permissions = Object.freeze({
    async query(descriptor) {
      const name = NAMES[descriptor?.name];
      if (name !== undefined) return nervous.permissions.query({ name });
      if (ownPermissions) return ownPermissions.query(descriptor);
      throw new TypeError(`"${descriptor?.name}" is not the name of a permission`);
    },
  });

  // --- Globals --------------------------------------------------------------------------------

  const members = { geolocation, getBattery, permissions };
  if (isHeadless) {
    const types = { GeolocationPositionError, BatteryManager };
    const added = { ...types, navigator: Object.freeze({ ...navigator, ...members }) };
    for (const [name, value] of Object.entries(added)) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    }
  } else {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(navigator, name, { value, enumerable: true, configurable: true });
    }
  }
})();
