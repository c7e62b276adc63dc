// nervous.d.ts: the API of JSApps, in addition to the language and the DOM. A page loads `nervous.js`; a
// headless run has it. Times are milliseconds since 1970, with microseconds as the fraction.
//
//     /// <reference path="nervous.d.ts" />

/** The SDK: the sensors of the host, with the owner's permission. */
declare const nervous: Nervous.SDK;

declare namespace Nervous {
  /** One call of a batch, such as { path: "/api/v1/sensors/cpu/latest" }. */
  interface BatchCall {
    readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  }

  /** The answer to one call of a batch. */
  interface BatchAnswer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly text?: string;
  }

  interface SDK {
    readonly version: string;

    /** The sensors about which the owner has decided for this app. */
    sensors(options?: Abortable): Promise<SensorDescription[]>;

    /** A sensor by its id, such as "cpu". Does not call the host. */
    sensor(id: string): SensorReference;

    /** Analyses fields such as "cpu.busy"; null if there is too little data. */
    analyze<Name extends keyof Analyses>(
      analysis: Name,
      inputs: string | readonly string[],
      options?: AnalysisOptions,
    ): Promise<Analyses[Name] | null>;

    /** Makes up to 100 calls at once, each with an answer of its own, in their order. */
    batch(calls: readonly BatchCall[], options?: Abortable): Promise<BatchAnswer[]>;

    /** The values that the app stores; other apps cannot read them. */
    readonly storage: AppStorage;

    /** Workouts, trips and measurements; needs the privilege "sessions" or "sessions:write". */
    readonly sessions: Sessions;

    /** What apps measure about the owner; needs the privilege of each type. */
    readonly health: Health;

    /** Calls to other servers, which the owner allows. */
    readonly net: Net;

    /** Sends a message to the owner; needs the privilege "notify", at most 10 per minute. */
    notify(title: string, options?: NotifyOptions): Promise<void>;

    readonly permissions: Permissions;

    /** Shows how to change the permissions of this app; `url` is null in a headless run. */
    openSettings(): { command: string; url: string | null };

    /** Ends a headless run; no effect in a page. */
    exit(code?: number): void;
  }

  interface Net {
    /** Like `fetch`, with detailed errors. */
    fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;

    /** Fetches a JSON object; rejects anything else. */
    object<Value extends object = Record<string, unknown>>(
      input: RequestInfo | URL,
      init?: RequestInit,
    ): Promise<Value>;
  }

  interface NotifyOptions extends Abortable {
    body?: string;
    /** A later message with the same tag replaces this one. */
    tag?: string;
    /** Omit it while a page of the app is visible, or a terminal watches the run. */
    unlessViewed?: boolean;
  }

  /** Persistent storage of up to 10 MiB of JSON values; needs the privilege "storage". */
  interface AppStorage {
    /** The value of a key; undefined if there is none. */
    get<Value = unknown>(key: string, options?: Abortable): Promise<Value | undefined>;

    /** Rejects with a QuotaExceededError if the storage is full; the previous value is kept then. */
    set(key: string, value: unknown, options?: Abortable): Promise<void>;

    remove(key: string, options?: Abortable): Promise<void>;

    /** All keys, in the order of their UTF-8. */
    keys(options?: Abortable): Promise<string[]>;

    clear(options?: Abortable): Promise<void>;

    /** In bytes of keys and values, including `localStorage` and `indexedDB` of headless runs. */
    usage(options?: Abortable): Promise<{ used: number; limit: number }>;
  }

  /**
   * With "sessions" the app sees all sessions of the owner; with "sessions:write" it creates sessions,
   * and sees, changes and deletes its own. Samples and routes also need the privileges of the sensors.
   */
  interface Sessions {
    /** The newest first; at most 100 by default. */
    list(options?: { limit?: number } & Abortable): Promise<Session[]>;
    get(id: string, options?: Abortable): Promise<Session>;
    /** Creates a session of sensors that the app may use; it is not started. */
    create(session: SessionRequest & Abortable): Promise<Session>;
    /** Changes a session; its sensors only before the start. */
    update(id: string, change: SessionUpdate & Abortable): Promise<Session>;
    /** Deletes a session; its samples are kept. */
    remove(id: string, options?: Abortable): Promise<void>;
    start(id: string, options?: Abortable): Promise<Session>;
    pause(id: string, options?: Abortable): Promise<Session>;
    resume(id: string, options?: Abortable): Promise<Session>;
    finish(id: string, options?: Abortable): Promise<Session>;
    /** The route, as a GeoJSON FeatureCollection with `distance` in metres. */
    route(id: string, options?: { sensor?: string } & Abortable): Promise<SessionRoute>;
    /** The samples of one of its sensors, the oldest first; `sensor` if it has several. */
    samples<Fields = Record<string, Value>>(
      id: string,
      options?: { sensor?: string } & Abortable,
    ): Promise<Sample<Fields>[]>;
    /** What it measures, once per second until it is finished. */
    live(id: string, options?: Abortable): AsyncGenerator<LiveSession, void, undefined>;
  }

  interface SessionRequest {
    /** 1 to 64 lower-case letters, digits and hyphens; random by default. */
    id?: string;
    name: string;
    description?: string;
    sensors: string | readonly string[];
  }

  interface SessionUpdate {
    name?: string;
    description?: string;
    sensors?: readonly string[];
    /** The length of the route in metres, which replaces the measured one. */
    distance?: number;
  }

  interface Session {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly sensors: readonly string[];
    readonly state: "inactive" | "active" | "paused";
    readonly finished: boolean;
    readonly created: number;
    /** When it was active; `to` is missing while it is. */
    readonly spans: readonly { readonly from: number; readonly to?: number }[];
    /** The milliseconds in which it was active. */
    readonly elapsed: number;
    readonly distance?: number;
    readonly imported?: true;
    /** The name of this app, if it created the session. */
    readonly app?: string;
  }

  interface SessionRoute {
    readonly type: "FeatureCollection";
    readonly features: readonly unknown[];
    /** Metres. */
    readonly distance: number;
    readonly distanceSource: "measured" | "manual";
    readonly warnings: readonly string[];
  }

  interface LiveSession {
    readonly t: number;
    readonly state: "inactive" | "active" | "paused";
    readonly finished: boolean;
    readonly elapsed: number;
    /** For display. */
    readonly text: string;
    readonly distance?: number;
    readonly steps?: number;
    readonly floors?: number;
    /** Seconds per metre. */
    readonly pace?: number;
    readonly activity?: string;
    readonly confidence?: string;
  }

  /**
   * The health store. Each type needs a privilege for reading and one for writing; a read that the
   * owner denied returns only what the app saved itself.
   */
  interface Health {
    /** Every type that the host knows. */
    types(options?: Abortable): Promise<HealthType[]>;
    /** A text, or a number in metres for "height"; undefined if the owner has set none. */
    characteristic<Type extends keyof HealthCharacteristics>(
      type: Type,
      options?: Abortable,
    ): Promise<HealthCharacteristics[Type] | undefined>;
    /** Samples of a quantity or category, the newest first. */
    samples(type: HealthQuantity, options?: HealthSampleOptions): Promise<HealthQuantitySample[]>;
    samples<Type extends keyof HealthCategories>(
      type: Type,
      options?: HealthSampleOptions,
    ): Promise<HealthCategorySample<Type>[]>;
    /** Saves samples, all or none. */
    save(
      samples: NewHealthSample | readonly NewHealthSample[],
      options?: Abortable,
    ): Promise<HealthSample[]>;
    /** Saves a workout and its samples, all or none. */
    saveWorkout(workout: NewWorkout, options?: Abortable): Promise<WorkoutWithSamples>;
    /** Saves a correlation and its samples, all or none. */
    saveCorrelation(correlation: NewCorrelation, options?: Abortable): Promise<Correlation>;
    /** Workouts, the newest first; by default at most 10 of the last 7 days. */
    workouts(options?: WorkoutOptions): Promise<Workout[]>;
    /** A workout with its samples of the types that the app may read. */
    workout(id: string, options?: { zone?: string } & Abortable): Promise<WorkoutWithSamples>;
    /** Correlations, the newest first. */
    correlations(type: "blood-pressure", options?: HealthRangeOptions): Promise<Correlation[]>;
    /** Deletes what the app saved; of a workout or correlation also the samples. */
    remove(id: string, options?: Abortable): Promise<void>;
    /** The activity of a workout, and the type of its distance, for a label of the sensor "activity". */
    activityOf(label: string): {
      readonly activity: WorkoutActivity;
      readonly distance: "distance-walking-running" | "distance-cycling" | undefined;
    };
  }

  interface HealthCharacteristics {
    /** YYYY-MM-DD */
    "date-of-birth": string;
    sex: "female" | "male" | "other";
    "blood-type": "A+" | "A-" | "B+" | "B-" | "AB+" | "AB-" | "O+" | "O-";
    /** Fitzpatrick. */
    "skin-type": "1" | "2" | "3" | "4" | "5" | "6";
    wheelchair: "yes" | "no";
    /** Metres. */
    height: number;
  }

  type HealthQuantity =
    | "heart-rate" | "resting-heart-rate" | "heart-rate-variability" | "respiratory-rate"
    | "oxygen-saturation" | "blood-pressure-systolic" | "blood-pressure-diastolic"
    | "body-temperature" | "blood-glucose" | "body-mass" | "body-fat" | "body-mass-index"
    | "waist-circumference" | "vo2-max" | "speed" | "cadence" | "power" | "steps"
    | "flights-climbed" | "distance-walking-running" | "distance-cycling" | "distance-swimming"
    | "active-energy" | "basal-energy" | "dietary-energy" | "exercise-time" | "dietary-water";

  interface HealthCategories {
    sleep: "in-bed" | "asleep" | "awake" | "core" | "deep" | "rem";
    "stand-hour": "stood" | "idle";
    mindful: "session";
  }

  type WorkoutActivity =
    | "walking" | "running" | "cycling" | "driving" | "hiking" | "swimming" | "rowing"
    | "strength" | "other";

  type JSONScalar = Readonly<Record<string, string | number | boolean>>;

  interface HealthType {
    readonly id: string;
    readonly kind: "characteristic" | "quantity" | "category" | "correlation" | "workout";
    readonly title: string;
    /** The UCUM code of the unit in which values are stored and, by default, returned. */
    readonly unit?: string;
    /** All units in which values may be saved and read. */
    readonly units?: readonly string[];
    /** The values of a category. */
    readonly values?: readonly string[];
    /** Whether values belong to an interval and can be added up. */
    readonly total?: boolean;
  }

  interface NewHealthSample {
    type: HealthQuantity | keyof HealthCategories;
    value: number | string;
    /** A UCUM code; by default the unit of the type. */
    unit?: string;
    /** By default now, in a workout or correlation its start. */
    start?: number | Date | string;
    /** By default `start`; of a total or category in a workout its end. */
    end?: number | Date | string;
    /** Unique among what the app saved: saving the same again stores it once. */
    key?: string;
    metadata?: JSONScalar;
  }

  interface NewWorkout {
    activity: WorkoutActivity;
    start: number | Date | string;
    end: number | Date | string;
    /** The milliseconds in which it was active; by default from start to end. */
    duration?: number;
    samples?: readonly NewHealthSample[];
    key?: string;
    metadata?: JSONScalar;
  }

  interface NewCorrelation {
    type: "blood-pressure";
    start?: number | Date | string;
    samples: readonly NewHealthSample[];
    key?: string;
    metadata?: JSONScalar;
  }

  interface HealthObject {
    readonly id: string;
    readonly start: number;
    readonly end: number;
    /** Whether this app saved it. */
    readonly own: boolean;
    /** The name of this app, if it saved it. */
    readonly app?: string;
    readonly key?: string;
    readonly metadata?: JSONScalar;
  }

  interface HealthQuantitySample extends HealthObject {
    readonly type: HealthQuantity;
    readonly value: number;
    readonly unit: string;
    /** The workout or correlation that it belongs to. */
    readonly workout?: string;
    readonly correlation?: string;
  }

  interface HealthCategorySample<Type extends keyof HealthCategories = keyof HealthCategories>
    extends HealthObject {
    readonly type: Type;
    readonly value: HealthCategories[Type];
    readonly workout?: string;
  }

  type HealthSample = HealthQuantitySample | HealthCategorySample;

  interface Workout extends HealthObject {
    readonly activity: WorkoutActivity;
    /** Milliseconds. */
    readonly duration: number;
    /** What its samples add up to, by type, of the types that the app may read. */
    readonly totals: Readonly<Partial<Record<HealthQuantity, number>>>;
    /** Metres. */
    readonly distance?: number;
    readonly floors?: number;
    /** For display: "2026-11-22 10:24 | running | 35 min 2 secs" and "5200 m | 12 floors". */
    readonly text: { readonly title: string; readonly detail: string };
  }

  interface WorkoutWithSamples extends Workout {
    /** The oldest first. */
    readonly samples: readonly HealthSample[];
  }

  interface Correlation extends HealthObject {
    readonly type: "blood-pressure";
    readonly samples: readonly HealthQuantitySample[];
  }

  type HealthRangeOptions = Abortable & {
    last?: Span;
    from?: Moment;
    to?: Moment;
    limit?: number;
    /** "desc" by default. */
    order?: "asc" | "desc";
    /** Only what this app saved. */
    own?: boolean;
  };

  type HealthSampleOptions = HealthRangeOptions & {
    /** A UCUM code; by default the unit of the type. */
    unit?: string;
  };

  type WorkoutOptions = Abortable & {
    last?: Span;
    from?: Moment;
    to?: Moment;
    /** 10 by default. */
    limit?: number;
    activity?: WorkoutActivity;
    own?: boolean;
    /** The IANA name of the time zone of `text`; by default that of the host. */
    zone?: string;
  };

  /** Every call can be aborted; it then rejects with the reason of the signal. */
  interface Abortable {
    signal?: AbortSignal;
  }

  /** A time: milliseconds since 1970, a Date, RFC 3339, "now", or a duration before now: "-15m". */
  type Moment = number | Date | string;

  /** An integer and us, ms, s, m, h, d or w. */
  type Span = `${number}${"us" | "ms" | "s" | "m" | "h" | "d" | "w"}`;

  /** Either `last`, or `from` (included) and `to` (not included). */
  type Range = { last: Span; from?: undefined; to?: Moment } | { last?: undefined; from?: Moment; to?: Moment };

  type Value = number | string | null;

  /** The fields by name, and the time `t`. */
  type Sample<Fields = Record<string, Value>> = { t: number } & Fields;

  /** A field of the sensor with the name of a member replaces it. */
  interface Freshness {
    /** The age of the sample in milliseconds. */
    readonly age?: number;
    /** Whether another sample should have come since; missing if that is unknown. */
    readonly stale?: boolean;
  }

  interface SensorDescription {
    readonly id: string;
    readonly title: string;
    readonly fields: readonly Field[];
    /** The numeric field that is shown where there is room for one value. */
    readonly mainField?: string;
    readonly source: string;
    /** Of a virtual sensor: its definition. */
    readonly definition?: unknown;
    readonly available: boolean;
    readonly unavailable?: { readonly reason: string; readonly remedy?: string };
    /** "off", "low", "medium", "high", "auto" or the duration of an interval. */
    readonly level: string;
    /** At the level "auto": the time between two reads in milliseconds. */
    readonly interval?: { readonly current?: number; readonly shortest: number; readonly longest: number };
    readonly access: PermissionState | "statistics";
    readonly newest?: number;
    /** The age of the newest sample in milliseconds. */
    readonly age?: number;
    /** Whether another sample should have come since; missing if that is unknown. */
    readonly stale?: boolean;
    /** The time of the last sample if it is in the future; it does not count as the newest. */
    readonly future?: number;
    /** How far the clock of its source differs from the host's, in milliseconds; positive if it is ahead. */
    readonly clock?: { readonly offset: number; readonly measured: number; readonly wrong: boolean };
    readonly failure?: string;
    readonly failures: number;
  }

  interface Field {
    readonly name: string;
    /** A UCUM code. */
    readonly unit?: string;
    readonly kind: "number" | "integer" | "state" | "text";
  }

  interface SensorReference {
    readonly id: string;

    describe(options?: Abortable): Promise<SensorDescription>;

    /** The newest sample and its age. */
    latest<Fields = Record<string, any>>(options?: Abortable): Promise<Sample<Fields> & Freshness>;

    /** Samples, the oldest first unless `order` says otherwise. */
    samples<Fields = Record<string, any>>(options?: SampleOptions): Promise<Sample<Fields>[]>;

    /** Statistics of a range, or with `every` of its windows. */
    stats(options: StatisticsOptions & { every: Span | `${number}mo` }): Promise<Statistics[]>;
    stats(options?: StatisticsOptions & { every?: undefined }): Promise<Statistics>;

    /** Publishes a sample or several, all or none; needs write access. */
    publish(
      samples: Publication | readonly Publication[],
      options?: Abortable & { key?: string },
    ): Promise<{ accepted: number; last: number }>;

    /** Live samples; reconnects automatically and continues after the last one. */
    stream<Fields = Record<string, any>>(
      options?: StreamOptions,
    ): AsyncGenerator<Sample<Fields>, void, undefined>;

    /** Calls a function with each live sample; returns a function that stops it. */
    watch<Fields = Record<string, any>>(
      onSample: (sample: Sample<Fields>) => void,
      options?: StreamOptions & { onError?: (error: Failure) => void },
    ): () => void;
  }

  type SampleOptions = Abortable &
    Range & {
      limit?: number;
      order?: "asc" | "desc";
      fields?: string | readonly string[];
      /** A condition such as "busy>50", or a list of conditions, which all must hold. */
      where?: string | readonly string[];
    };

  type StatisticsOptions = Abortable &
    Range & {
      /** One or several, such as "mean,p95" or ["mean", "p95"]. */
      fn?: Statistic | StatisticList | readonly Statistic[];
      fields?: string | readonly string[];
      where?: string | readonly string[];
      /** The IANA name of a time zone: days, weeks and months of `every` are those of its calendar. */
      zone?: string;
    };

  /** `p95` is a percentile, `p95~` the same within 1 % and much faster. */
  type Statistic =
    | "count" | "sum" | "mean" | "variance" | "stddev" | "pvariance" | "pstddev" | "min" | "max"
    | "range" | "rms" | "first" | "last" | "median" | `p${number}` | `p${number}~`;

  /** Several in one text. The first two are checked here, all of them by the host. */
  type StatisticList =
    | `${Statistic},${Statistic}`
    | `${Statistic},${Statistic},${string}`;

  /** A statistic is a number if one field was requested, otherwise an object by field. */
  interface Statistics {
    readonly from: number | undefined;
    readonly to: number | undefined;
    readonly count: number | null;
    /** The share of the time that the samples cover, 0 to 1. */
    readonly coverage: number | null;
    readonly [statistic: string]: any;
  }

  type Publication = { t?: Moment } & Record<string, Value | Date | undefined>;

  interface StreamOptions extends Abortable {
    /** Called after each connection. */
    onOpen?: () => void;
    /** Called if samples were missed that cannot be read any more. */
    onGap?: (gap: Gap) => void;
    /** Called with the ranges of damaged samples. */
    onDamage?: (damaged: readonly { from?: number; to?: number }[]) => void;
  }

  interface Gap {
    readonly after: number;
    readonly through: number;
    readonly reason: "gone" | "history";
  }

  interface Join {
    method: "nearest" | "last";
    within?: Span;
  }

  type AnalysisOptions = Abortable &
    Range & {
      where?: string | readonly string[];
      every?: Span;
      join?: Join;
      parameters?: Record<string, number | string | boolean>;
    };

  type Point = { t: number; value: number | null };

  interface Analyses {
    histogram: { bins: { from: number; to: number; count: number | null }[] };
    entropy: { bits: number; outcomes: number };
    largest: { items: Point[] };
    smallest: { items: Point[] };
    correlation: {
      pairs: {
        x: string;
        y: string;
        pearson: number | null;
        spearman: number | null;
        covariance: number | null;
      }[];
    };
    trend: {
      slope: number;
      intercept: number | null;
      origin: number | null;
      rSquared: number | null;
      standardError: number | null;
    };
    rate: { items: Point[] };
    resample: { items: Point[] };
    downsample: { items: Point[] };
    spectrum: {
      items: { frequency: number; density: number | null }[];
      segments: number;
      filled: number;
    };
    "k-means": {
      clusters: { centre: Record<string, number> | null; count: number | null }[];
      inertia: number | null;
    };
    dbscan: {
      clusters: { cluster: number; count: number }[];
      noise: number;
      items: { t: number; cluster: number | null }[];
    };
    anomalies: {
      method: "auto" | "global" | "rolling" | "seasonal" | "change";
      /** In seconds, if a period was removed. */
      period: number | null;
      median: number | null;
      deviation: number | null;
      found: number;
      items: (Point & { score: number })[];
    };
  }

  interface Permissions {
    /** The permission for a privilege; `onchange` reports changes. */
    query(privilege: PrivilegeQuery): Promise<PermissionStatus>;
    /** Requests a declared privilege; "prompt" if the owner has not decided. */
    request(privilege: PrivilegeQuery): Promise<PermissionStatus>;
    /** All decisions about this app, with their terms. */
    list(options?: Abortable): Promise<Decision[]>;
  }

  interface PrivilegeQuery extends Abortable {
    /** A sensor, or "health", "identity", "net", "storage", "notify" or "sessions". */
    name: string;
    /** Of a sensor, "raw" by default; of "health", "read" by default; of "sessions", "write" to record them. */
    access?: "raw" | "stats" | "read" | "write";
    /** Of "health": the type, such as "heart-rate". */
    type?: string;
    /** Of "net": the server, such as "https://api.example.org". */
    origin?: string;
  }

  interface PermissionStatus extends EventTarget {
    readonly name: string;
    readonly access: "raw" | "stats" | "read" | "write" | undefined;
    readonly type: string | undefined;
    readonly origin: string | undefined;
    readonly state: PermissionState;
    onchange: ((this: PermissionStatus, event: Event) => void) | null;
    toJSON(): {
      name: string;
      access?: string;
      type?: string;
      origin?: string;
      state: PermissionState;
    };
  }

  interface Decision {
    readonly client: string;
    readonly privilege: string;
    readonly state: PermissionState;
    readonly decided: number;
    readonly once: boolean;
    readonly refusals?: number;
    readonly terms?: {
      readonly access: "raw" | "stats" | "write";
      readonly rate?: number;
      readonly precision?: number;
      readonly history?: string;
      readonly expires?: number;
      readonly background: boolean;
    };
  }

  /** The error of rejected calls. */
  interface Failure extends DOMException {
    readonly name:
      | "NotAllowedError"
      | "NotFoundError"
      | "NotReadableError"
      | "DataError"
      | "InvalidStateError"
      | "QuotaExceededError"
      | "NetworkError"
      | "TimeoutError"
      | "AbortError"
      | "OperationError";
    /** The stable code, such as "undecided". */
    readonly problem: string;
    /** The privilege that is missing. */
    readonly privilege?: string;
    /** What to ask the owner for, or what would help; never a command. */
    readonly fix?: string;
    /** The URL of the page of the dashboard where the owner can change it. */
    readonly settings?: string;
    /** Of a full storage: the bytes in use, and those that are allowed. */
    readonly used?: number;
    readonly limit?: number;
  }

  /** A promise with the methods of jQuery's, as the calls of the first generation return it. */
  interface Answer<Value> extends Promise<Value> {
    done(callback: (value: Value) => void): Answer<Value>;
    fail(callback: (error: Error) => void): Answer<Value>;
    always(callback: (value: Value | Error) => void): Answer<Value>;
  }

  // The globals of `libs.js`, for nervousnet apps.

  /** Of the first generation. */
  function getJSAPIVersion(): number;
  function getHWAPIVersion(): Answer<{ version: number }>;
  /** In radians per second. */
  function getGyr(): Answer<{ x: number; y: number; z: number }>;
  /** In metres per second squared. */
  function getAcc(): Answer<{ x: number; y: number; z: number }>;
}

/** The pages of a nervousnet app. */
declare namespace App {
  /** Calls a function with the page and the value passed to it, each time the page is shown. */
  function controller<Values = any>(
    name: string,
    body: (this: HTMLElement, page: HTMLElement, values: Values) => void,
  ): void;
  /** Shows the page whose `data-page` is the name. */
  function load(name: string, values?: unknown): void;
  /** Shows the previous page, or the last one of this name. */
  function back(name?: string): void;
}

// --- Generic Sensor -----------------------------------------------------------------------------

interface SensorOptions {
  /** The highest rate, in readings per second; above zero. */
  frequency?: number;
}

interface SpatialSensorOptions extends SensorOptions {
  referenceFrame?: "device" | "screen";
}

interface SensorEventMap {
  reading: Event;
  activate: Event;
  error: SensorErrorEvent;
}

declare abstract class Sensor extends EventTarget {
  readonly activated: boolean;
  readonly hasReading: boolean;
  readonly timestamp: number | null;
  onreading: ((this: Sensor, event: Event) => any) | null;
  onactivate: ((this: Sensor, event: Event) => any) | null;
  onerror: ((this: Sensor, event: SensorErrorEvent) => any) | null;
  start(): void;
  stop(): void;
  addEventListener<Type extends keyof SensorEventMap>(
    type: Type,
    listener: (this: Sensor, event: SensorEventMap[Type]) => any,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare class SensorErrorEvent extends Event {
  constructor(type: string, init: EventInit & { error: DOMException });
  readonly error: DOMException;
}

declare class Accelerometer extends Sensor {
  constructor(options?: SpatialSensorOptions);
  /** In metres per second squared. */
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
}

declare class LinearAccelerationSensor extends Accelerometer {}

declare class GravitySensor extends Accelerometer {}

declare class Gyroscope extends Sensor {
  constructor(options?: SpatialSensorOptions);
  /** In radians per second. */
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
}

declare class Magnetometer extends Sensor {
  constructor(options?: SpatialSensorOptions);
  /** In microtesla. */
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
}

declare class UncalibratedMagnetometer extends Sensor {
  constructor(options?: SpatialSensorOptions);
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
  readonly xBias: number | null;
  readonly yBias: number | null;
  readonly zBias: number | null;
}

declare class AmbientLightSensor extends Sensor {
  constructor(options?: SensorOptions);
  /** In lux. */
  readonly illuminance: number | null;
}

declare abstract class OrientationSensor extends Sensor {
  /** [x, y, z, w] */
  readonly quaternion: readonly [number, number, number, number] | null;
  populateMatrix(target: Float32Array | Float64Array | DOMMatrix): void;
}

declare class AbsoluteOrientationSensor extends OrientationSensor {
  constructor(options?: SpatialSensorOptions);
}

declare class RelativeOrientationSensor extends OrientationSensor {
  constructor(options?: SpatialSensorOptions);
}

// --- Extensions of `navigator` ------------------------------------------------------------------

interface BatteryManager extends EventTarget {
  readonly charging: boolean;
  readonly chargingTime: number;
  readonly dischargingTime: number;
  /** 0 to 1. */
  readonly level: number;
  onchargingchange: ((this: BatteryManager, event: Event) => any) | null;
  onchargingtimechange: ((this: BatteryManager, event: Event) => any) | null;
  ondischargingtimechange: ((this: BatteryManager, event: Event) => any) | null;
  onlevelchange: ((this: BatteryManager, event: Event) => any) | null;
}

declare var BatteryManager: { readonly prototype: BatteryManager };

interface Navigator {
  getBattery(): Promise<BatteryManager>;
}

/** Charts of time series on a canvas, which the host serves at every origin. Times are milliseconds since 1970. */
declare module "*/lib/charts.js" {
  /** A curve. In `v`, `null` and NaN are gaps; `t` is ascending. */
  interface Series {
    name: string;
    /** Series of two units get an axis each. */
    unit?: string;
    /** Times; of windows their beginnings. */
    t?: ArrayLike<number>;
    /** Values; of windows their means. */
    v?: ArrayLike<number | null>;
    /** Instead of `t` and `v`: samples that arrive. */
    points?: Points;
    /** The length of windows in milliseconds; without it the series has samples. */
    every?: number;
    /** Of windows: bands around the line of the first series. */
    deviation?: ArrayLike<number | null>;
    min?: ArrayLike<number | null>;
    max?: ArrayLike<number | null>;
    /** A longer time between two points is a gap; by default four usual intervals. */
    gap?: number;
    /** A CSS variable such as "--series-2", or a colour. */
    color?: string;
    /** The width of the line in CSS pixels. */
    width?: number;
    /** Fills the ground below. */
    area?: boolean;
    /** Marks the newest value. */
    live?: boolean;
    hidden?: boolean;
  }

  interface Range {
    from: number;
    to: number;
  }

  interface ChartOptions {
    series: readonly Series[];
    /** What the chart shows, for screen readers. */
    label?: string;
    from?: number;
    to?: number;
    /** Instead of `from` and `to`: the last so many milliseconds, live. */
    follow?: number | null;
    /** The lowest and highest value of the axis; by default what the range contains. */
    floor?: number;
    ceiling?: number;
    /** `step` is the distance between two labels of the axis; it is missing for a value in a sentence. */
    format?: (value: number, unit: string | undefined, step?: number) => string;
    /** Stretches that are hatched. */
    damaged?: readonly Range[];
    group?: ChartGroup;
    /** Shows the values below the crosshair; `placeholder` is its text otherwise. */
    readout?: Element;
    placeholder?: string;
    brief?: boolean;
    limits?: { from?: number; to?: number; shortest?: number; longest?: number };
    /** The range cannot be changed by hand. */
    fixed?: boolean;
    /** A sparkline, without axes and keys, and hidden from screen readers. */
    bare?: boolean;
    /** For x that is not time. */
    axis?: { format: (x: number, step?: number) => string };
    /** The person has chosen another range. */
    onrange?: (range: Range & { follow: number | null }) => void;
    /** The crosshair has moved to a time, or went away. */
    onread?: (at: number | null) => void;
    texts?: Partial<Texts>;
  }

  /** The sentences of a chart. */
  interface Texts {
    noData: string;
    empty: string;
    keys: string;
    value: (name: string, value: string) => string;
    window: (name: string, mean: string, least: string, greatest: string) => string;
    summary: (name: string, newest: string, least: string, greatest: string) => string;
  }

  /** What a chart shows; the newest row comes first. */
  interface Table {
    columns: { name: string; unit?: string; series: string; statistic?: string }[];
    rows: { t: number; to?: number; values: (number | null)[] }[];
    /** The number of rows without the limit. */
    total: number;
  }

  export class Chart {
    constructor(canvas: HTMLCanvasElement, options: ChartOptions);
    readonly canvas: HTMLCanvasElement;
    readonly options: ChartOptions;
    readonly range: Range & { follow: number | null };
    readonly isPaused: boolean;
    set(changes: Partial<ChartOptions>): void;
    /** Draws with the next frame, after data was added to a series. */
    update(): void;
    /** Shows a range as if it was chosen by hand. */
    zoom(from: number, to: number): void;
    /** Shows the range before the last that was chosen by hand; whether there was one. */
    back(): boolean;
    /** Holds a chart still that follows. */
    pause(isPaused?: boolean): void;
    table(options?: { limit?: number }): Table;
    csv(): string;
    remove(): void;
  }

  /** Charts that share the crosshair, and with `range` also the range. */
  export class ChartGroup {
    constructor(options?: { range?: boolean });
    readonly range: boolean;
    readonly charts: Set<Chart>;
    /** The time below the crosshair. */
    at: number | null;
  }

  /** The newest samples, in two typed arrays. */
  export class Points {
    constructor(most?: number);
    /** Whether the sample was added: it must be newer than the last one. */
    push(t: number, v: number | null | undefined): boolean;
    clear(): void;
    readonly length: number;
    readonly t: Float64Array;
    readonly v: Float64Array;
  }

  interface HistogramOptions {
    bins: readonly (Range & { count: number | null })[];
    unit?: string;
    label?: string;
    format?: ChartOptions["format"];
  }

  /** Draws bins as bars; the result ends it. */
  export function drawHistogram(canvas: HTMLCanvasElement, options: HistogramOptions): () => void;
  /** Round local times, about one each `room` pixels. */
  export function timeTicks(
    from: number,
    to: number,
    width: number,
    room?: number,
  ): { t: number; label: string; strong: boolean }[];
  /** Round values that cover the range in about `count` steps. */
  export function valueTicks(
    low: number,
    high: number,
    count: number,
  ): { values: number[]; step: number };
  /** The median of some of the intervals. */
  export function usualInterval(t: ArrayLike<number>): number;
}
