// nervous-test.d.ts: the globals of tests that `nervous test` runs, beside the language. Times are
// milliseconds since 1970; a span is a number of milliseconds or a text such as "10s" or "5m".
//
//     /// <reference path="nervous-test.d.ts" />

/** Declares a test, which has a process, a clock and sensors of its own. */
declare const test: {
  (name: string, body: () => unknown): void;
  /** Reports the test as skipped. */
  skip(name: string, body?: () => unknown): void;
};

/** The app under test. */
declare const app: {
  /** Starts the app as a run does; resolves when it waits for the first time. */
  start(): Promise<void>;
  /** Starts the app unless it runs, and advances the time; resolves to what it did. */
  run(span?: NervousTest.Span): Promise<NervousTest.Result>;
  /** What the app has done so far. */
  result(): Promise<NervousTest.Result>;
};

/** The simulated sensors. */
declare const sensors: {
  /** Sets fields of a sensor from now on, such as `sensors.set("battery", { level: 5 })`. */
  set(id: string, values: Record<string, number | string | boolean>): Promise<void>;
  /** Resets a sensor to the scenario. */
  reset(id: string): Promise<void>;
  /** Switches the scenario. */
  play(
    scenario: "still" | "walk" | "ride" | "drive" | "battery-day" | "room" | "vibration",
  ): Promise<void>;
};

/** The virtual time. */
declare const clock: {
  advance(span: NervousTest.Span): Promise<void>;
  now(): number;
};

/** The owner's decisions, about "sensor:cpu", "sensor:cpu:stats", "storage" and so on. */
declare const permissions: {
  allow(privilege: string): Promise<void>;
  deny(privilege: string): Promise<void>;
  /** Allows statistics only. */
  statistics(privilege: string): Promise<void>;
};

/** What the owner and other apps put into the health store. */
declare const health: {
  /** Sets a characteristic; a height in metres. */
  set(type: string, value: string | number): Promise<void>;
  /** Removes a characteristic. */
  unset(type: string): Promise<void>;
  /** Saves samples of another app: `{ type, value, unit?, start?, end? }`. */
  add(samples: NervousTest.HealthSample | readonly NervousTest.HealthSample[]): Promise<any[]>;
  /** Saves a workout of another app. */
  addWorkout(workout: {
    activity: string;
    start: number;
    end: number;
    duration?: number;
    samples?: readonly NervousTest.HealthSample[];
  }): Promise<any>;
};

/** Assertions; `message` is printed if one fails. */
declare const assert: {
  (value: unknown, message?: string): void;
  ok(value: unknown, message?: string): void;
  equal(actual: unknown, expected: unknown, message?: string): void;
  notEqual(actual: unknown, expected: unknown, message?: string): void;
  deepEqual(actual: unknown, expected: unknown, message?: string): void;
  match(text: string, pattern: RegExp, message?: string): void;
  /** Returns what was thrown. */
  throws(body: () => unknown, expected?: NervousTest.Thrown, message?: string): any;
  /** Resolves to the reason. */
  rejects(
    body: Promise<unknown> | (() => unknown), expected?: NervousTest.Thrown, message?: string,
  ): Promise<any>;
  fail(message?: string): never;
};

declare namespace NervousTest {
  type Span = number | `${number}${"us" | "ms" | "s" | "m" | "h" | "d"}`;

  interface HealthSample {
    type: string;
    value: number | string;
    unit?: string;
    start?: number;
    end?: number;
  }

  /** A pattern of the message, a class, some members, or a function that returns whether it is expected. */
  type Thrown = RegExp | Function | Record<string, unknown>;

  interface Result {
    /** The console. */
    readonly lines: readonly {
      readonly text: string;
      readonly level: "debug" | "log" | "info" | "warn" | "error";
      readonly t: number;
    }[];
    /** Uncaught errors; a test that does not read them fails because of them. */
    readonly errors: readonly { readonly message: string; readonly place: string | null; readonly t: number }[];
    /** Published samples, by sensor. */
    readonly published: Readonly<Record<string, readonly any[]>>;
    readonly notifications: readonly any[];
    readonly calls: readonly {
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly t: number;
    }[];
    /** The exit code; null while the app runs. */
    readonly exit: number | null;
  }
}
