// generic-sensor.js: the W3C's sensor classes for the sensors of the host, after nervous.js; the same in
// a browser and in a runner. In a page they replace the browser's own classes: an app reads the sensors
// of the host.
//
// Generic Sensor, Accelerometer, Gyroscope, Magnetometer, Ambient Light and Orientation Sensor of the
// W3C. Differences: readings do not pause while a page is hidden; a grant without background does that.
// Screen rotation is unknown: the reference frames "device" and "screen" are the same.
(() => {
  "use strict";

  const { nervous } = globalThis;
  const loaded = Symbol.for("nervous.generic-sensor");
  if (nervous === undefined || globalThis[loaded]) return;
  Object.defineProperty(globalThis, loaded, { value: true });

  // The origin of `timestamp`, in milliseconds since 1970.
  const { timeOrigin } = performance;
  // Tolerance for a reading that is a little early.
  const EARLINESS = 0.9;
  // The time constant of the low-pass filter, in milliseconds.
  const GRAVITY_MS = 500;

  // --- Events ---------------------------------------------------------------------------------

  // Defines the attribute `onX` of a type for an event `x`.
  function addHandler(type, name) {
    const handlers = new WeakMap();
    Object.defineProperty(type.prototype, `on${name}`, {
      enumerable: true,
      configurable: true,
      get() {
        return handlers.get(this)?.callback ?? null;
      },
      set(value) {
        const callback = typeof value === "function" ? value : null;
        const handler = handlers.get(this) ?? { callback: null };
        if (!handlers.has(this) && callback !== null) {
          handlers.set(this, handler);
          this.addEventListener(name, (event) => handler.callback?.call(this, event));
        }
        handler.callback = callback;
      },
    });
  }

  class SensorErrorEvent extends Event {
    #error;

    constructor(type, init) {
      if (!(init?.error instanceof DOMException)) {
        throw new TypeError("the error of a SensorErrorEvent must be a DOMException");
      }
      super(type, init);
      this.#error = init.error;
    }

    get error() {
      return this.#error;
    }
  }

  // --- Sensor ---------------------------------------------------------------------------------

  // The sources of each class: `id` and `fields` of a sensor of the host, and `make`, which returns a
  // function from a sample to a reading, or to null if it has none.
  const sources = new WeakMap();
  // The current reading of each sensor: `{ t, … }`, absent if it has none.
  const readings = new WeakMap();

  function frequencyOf(options) {
    if (options === undefined || options === null) return null;
    if (typeof options !== "object") throw new TypeError("the options are not an object");
    const { frequency, referenceFrame } = options;
    if (referenceFrame !== undefined && !["device", "screen"].includes(`${referenceFrame}`)) {
      throw new TypeError(`"${referenceFrame}" is not a reference frame`);
    }
    if (frequency === undefined) return null;
    const number = Number(frequency);
    if (!Number.isFinite(number)) throw new TypeError("the frequency is not a finite number");
    if (number <= 0) throw new RangeError("the frequency is not above zero");
    return number;
  }

  // Availability first: the owner is not asked for a missing sensor.
  async function checkPresence({ id, fields }, signal) {
    let reason;
    try {
      const sensor = await nervous.sensor(id).describe({ signal });
      const lack = fields.find((name) => !sensor.fields.some((field) => field.name === name));
      if (sensor.available && lack === undefined) return;
      reason = sensor.unavailable?.reason ?? `${id} has no field named ${lack}`;
    } catch (error) {
      if (error.name !== "NotFoundError") throw error;
      reason = [error.message, error.fix].filter(Boolean).join(" ");
    }
    throw new DOMException(`The host has no such sensor: ${reason}`, "NotReadableError");
  }

  class Sensor extends EventTarget {
    #state = "idle";
    #source;
    #period;
    #attempt = null;
    #last = -Infinity;

    constructor(options) {
      let type = new.target;
      while (type !== Sensor && !sources.has(type)) type = Object.getPrototypeOf(type);
      if (type === Sensor) throw new TypeError("Illegal constructor");
      super();
      const frequency = frequencyOf(options);
      this.#source = sources.get(type);
      this.#period = frequency === null ? 0 : 1000 / frequency;
    }

    get activated() {
      return this.#state === "activated";
    }

    get hasReading() {
      return readings.has(this);
    }

    /** The time of the reading, in milliseconds of `performance.now()`. */
    get timestamp() {
      return readings.has(this) ? readings.get(this).t - timeOrigin : null;
    }

    start() {
      if (this.#state !== "idle") return;
      this.#state = "activating";
      this.#attempt = new AbortController();
      this.#activate(this.#attempt.signal);
    }

    stop() {
      this.#state = "idle";
      this.#attempt?.abort();
      this.#attempt = null;
      this.#last = -Infinity;
      readings.delete(this);
    }

    async #activate(signal) {
      const name = this.#source.id;
      try {
        await checkPresence(this.#source, signal);
        const { state } = await nervous.permissions.query({ name, signal });
        if (state === "prompt") await nervous.permissions.request({ name, signal });
        if (signal.aborted) return;
        // The host reports whether it is allowed, with a hint.
        const read = this.#source.make();
        nervous.sensor(name).watch((sample) => this.#take(sample, read), {
          signal,
          onOpen: () => this.#open(signal),
          onError: (error) => this.#fail(error, signal),
        });
      } catch (error) {
        this.#fail(error, signal);
      }
    }

    #open(signal) {
      if (signal.aborted || this.#state !== "activating") return;
      this.#state = "activated";
      this.dispatchEvent(new Event("activate"));
    }

    #take(sample, read) {
      const reading = read(sample);
      if (this.#state !== "activated" || reading === null) return;
      const passed = sample.t - this.#last;
      if (passed >= 0 && passed < this.#period * EARLINESS) return;
      this.#last = sample.t;
      readings.set(this, reading);
      this.dispatchEvent(new Event("reading"));
    }

    #fail(error, signal) {
      if (signal.aborted) return;
      this.stop();
      const isKnown = ["NotAllowedError", "NotReadableError"].includes(error.name);
      const text = [error.message, error.fix].filter(Boolean).join(" ");
      const reported = isKnown ? error : new DOMException(text, "NotReadableError");
      this.dispatchEvent(new SensorErrorEvent("error", { error: reported }));
    }
  }

  for (const name of ["reading", "activate", "error"]) addHandler(Sensor, name);

  // --- Sources --------------------------------------------------------------------------------

  /** A reading from the fields of a sample; `names` maps members to fields. */
  function plain(id, names) {
    const pairs = Object.entries(names);
    const fields = Object.values(names);
    const read = (sample) => {
      const reading = { t: sample.t };
      for (const [name, field] of pairs) {
        // A sample with missing values is not a reading.
        if (typeof sample[field] !== "number") return null;
        reading[name] = sample[field];
      }
      return reading;
    };
    return { id, fields, make: () => read };
  }

  const AXES = { x: "x", y: "y", z: "z" };

  // Gravity is the acceleration after a first-order low-pass filter on each axis, with weights by the
  // time between samples.
  function filtered(choose) {
    const make = () => {
      const read = plain("accelerometer", AXES).make();
      let last = null;
      return (sample) => {
        const now = read(sample);
        if (now === null) return null;
        const passed = last === null ? Infinity : now.t - last.t;
        const kept = passed >= 0 ? GRAVITY_MS / (GRAVITY_MS + passed) : 0;
        const low = { t: now.t };
        for (const axis of ["x", "y", "z"]) {
          low[axis] = kept === 0 ? now[axis] : kept * last[axis] + (1 - kept) * now[axis];
        }
        last = low;
        return choose(now, low);
      };
    };
    return { id: "accelerometer", fields: ["x", "y", "z"], make };
  }

  const difference = (now, low) => ({
    t: now.t,
    x: now.x - low.x,
    y: now.y - low.y,
    z: now.z - low.z,
  });

  const NO_BIAS = { xBias: 0, yBias: 0, zBias: 0 };

  // The kernel's values, uncalibrated; biases are unknown.
  const unbiased = {
    ...plain("magnetometer", AXES),
    make() {
      const read = plain("magnetometer", AXES).make();
      return (sample) => {
        const reading = read(sample);
        return reading && { ...reading, ...NO_BIAS };
      };
    },
  };

  // --- The classes ----------------------------------------------------------------------------

  /** Registers the source of a class, and defines a getter for each number of its readings. */
  function define(type, source, names = []) {
    sources.set(type, source);
    for (const name of names) {
      Object.defineProperty(type.prototype, name, {
        enumerable: true,
        configurable: true,
        get() {
          return readings.get(this)?.[name] ?? null;
        },
      });
    }
  }

  class Accelerometer extends Sensor {}
  define(Accelerometer, plain("accelerometer", AXES), Object.keys(AXES));

  class LinearAccelerationSensor extends Accelerometer {}
  define(LinearAccelerationSensor, filtered(difference));

  class GravitySensor extends Accelerometer {}
  define(GravitySensor, filtered((now, low) => low));

  class Gyroscope extends Sensor {}
  define(Gyroscope, plain("gyroscope", AXES), Object.keys(AXES));

  class Magnetometer extends Sensor {}
  define(Magnetometer, plain("magnetometer", AXES), Object.keys(AXES));

  class UncalibratedMagnetometer extends Sensor {}
  define(UncalibratedMagnetometer, unbiased, [...Object.keys(AXES), ...Object.keys(NO_BIAS)]);

  class AmbientLightSensor extends Sensor {}
  define(AmbientLightSensor, plain("light", { illuminance: "illuminance" }), ["illuminance"]);

  class OrientationSensor extends Sensor {
    #frozen = null;
    #of = null;

    /** [x, y, z, w]; the same array for the same reading. */
    get quaternion() {
      const reading = readings.get(this);
      if (reading === undefined) return null;
      if (this.#of !== reading) {
        this.#of = reading;
        this.#frozen = Object.freeze([reading.x, reading.y, reading.z, reading.w]);
      }
      return this.#frozen;
    }

    /** Writes the rotation as a 4 × 4 matrix into an array of at least 16 numbers or a DOMMatrix. */
    populateMatrix(target) {
      const isMatrix = typeof DOMMatrix === "function" && target instanceof DOMMatrix;
      const isArray = target instanceof Float32Array || target instanceof Float64Array;
      if (!isMatrix && !isArray) {
        throw new TypeError("the target is not a Float32Array, Float64Array or DOMMatrix");
      }
      if (isArray && target.length < 16) throw new TypeError("the target is too short");
      if (!this.hasReading) throw new DOMException("There is no reading yet.", "NotReadableError");
      const [x, y, z, w] = this.quaternion;
      // Orientation Sensor, “Convert quaternion to rotation matrix”.
      const rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0],
        [0, 0, 0, 1],
      ];
      rows.flat().forEach((number, place) => {
        if (isArray) target[place] = number;
        else target[`m${Math.floor(place / 4) + 1}${(place % 4) + 1}`] = number;
      });
    }
  }

  class AbsoluteOrientationSensor extends OrientationSensor {}
  define(AbsoluteOrientationSensor, plain("absolute-orientation", { ...AXES, w: "w" }));

  class RelativeOrientationSensor extends OrientationSensor {}
  define(RelativeOrientationSensor, plain("relative-orientation", { ...AXES, w: "w" }));

  const types = {
    Sensor,
    SensorErrorEvent,
    Accelerometer,
    LinearAccelerationSensor,
    GravitySensor,
    Gyroscope,
    Magnetometer,
    UncalibratedMagnetometer,
    AmbientLightSensor,
    OrientationSensor,
    AbsoluteOrientationSensor,
    RelativeOrientationSensor,
  };
  for (const [name, value] of Object.entries(types)) {
    Object.defineProperty(value.prototype, Symbol.toStringTag, { value: name, configurable: true });
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
})();
