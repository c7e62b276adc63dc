// Uses everything that the typings offer, rightly.
/// <reference path="nervous.d.ts" />

interface Busy {
  busy: number;
  core0: number;
}

async function sensors(signal: AbortSignal): Promise<void> {
  const all: Nervous.SensorDescription[] = await nervous.sensors({ signal });
  const first = all[0];
  if (first !== undefined && !first.available) console.log(first.unavailable?.reason);
  const unit: string | undefined = first?.fields[0]?.unit;
  const cpu = nervous.sensor("cpu");
  const description = await cpu.describe();
  const access: PermissionState | "statistics" = description.access;
  const latest = await cpu.latest<Busy>({ signal });
  const sum: number = latest.t + latest.busy + latest.core0 + (latest.age ?? 0);
  const isOld: boolean | undefined = latest.stale ?? description.stale;
  const rows = await cpu.samples<Busy>({
    last: "10m",
    limit: 500,
    order: "desc",
    fields: ["busy", "core0"],
    where: ["busy>50", "core0<10"],
    signal,
  });
  const answers = await nervous.batch([
    { path: "/api/v1/sensors/cpu/latest" },
    { method: "PUT", path: "/api/v1/storage/a", body: { n: 1 } },
  ]);
  answers.map((answer) => `${answer.status} ${answer.headers["content-type"]} ${answer.text}`);
  const more = await cpu.samples({ from: new Date(0), to: Date.now(), fields: "busy", where: "busy>1" });
  console.log(isOld, description.age, description.future);
  console.log(unit, access, sum, rows[0]?.busy, more.length, cpu.id);
}

async function statistics(): Promise<void> {
  const cpu = nervous.sensor("cpu");
  const one: Nervous.Statistics = await cpu.stats({ last: "10m", fields: "busy", fn: "mean,p95" });
  const windows: Nervous.Statistics[] = await cpu.stats({ from: "-1h", every: "5m", fn: ["mean"] });
  await cpu.stats({ fn: "median" });
  await cpu.stats({ fn: "p99.9~,mean,max,min" });
  const months: Nervous.Statistics[] = await cpu.stats({ last: "365d", every: "1mo", zone: "UTC" });
  const count: number | null = one.count;
  console.log(one.mean, one.p95, one.coverage, count, windows[0]?.from, months.length, await cpu.stats());
  const trend = await nervous.analyze("trend", "cpu.busy", { last: "1h" });
  const slope: number | undefined = trend?.slope;
  const found = await nervous.analyze("k-means", ["cpu.busy", "memory.used"], {
    last: "1h",
    every: "10s",
    where: "cpu.busy>5",
    parameters: { k: 3, seed: 7, scale: false },
  });
  for (const { centre, count } of found?.clusters ?? []) console.log(centre?.["cpu.busy"], count);
  const pairs = await nervous.analyze("correlation", ["a.b", "c.d"], {
    join: { method: "nearest", within: "1s" },
  });
  console.log(slope, pairs?.pairs[0]?.pearson);
}

async function live(): Promise<void> {
  const ending = new AbortController();
  for await (const sample of nervous.sensor("cpu").stream<Busy>({
    signal: ending.signal,
    onOpen: () => console.log("open"),
    onGap: ({ after, through, reason }) => console.log(through - after, reason === "history"),
    onDamage: (damaged) => console.log(damaged[0]?.from),
  })) {
    console.log(sample.busy);
    break;
  }
  const stop: () => void = nervous.sensor("cpu").watch<Busy>(({ busy }) => console.log(busy), {
    onError: ({ name, problem, privilege, fix, settings }) =>
      console.log(name === "NotAllowedError", problem, privilege, fix, settings),
  });
  stop();
  const steps = nervous.sensor("steps");
  const { accepted, last } = await steps.publish({ count: 5 });
  await steps.publish([{ t: new Date(), count: 5, mood: "up" }], { key: "a" });
  console.log(accepted + last);
}

async function storage({ signal }: AbortController): Promise<void> {
  await nervous.storage.set("goal", { steps: 9000 }, { signal });
  const goal = await nervous.storage.get<{ steps: number }>("goal", { signal });
  const { used, limit } = await nervous.storage.usage();
  const keys: string[] = await nervous.storage.keys();
  await nervous.storage.remove("goal");
  await nervous.storage.clear();
  console.log(goal?.steps, limit - used, keys.length);
  const { celsius } = await nervous.net.object<{ celsius: number }>("https://api.example.org/now");
  const picture: Response = await nervous.net.fetch(new URL("https://api.example.org/a.png"), { signal });
  const server = { name: "net", origin: "https://api.example.org" };
  console.log(celsius, picture.ok, (await nervous.permissions.query(server)).origin);
  await nervous.notify("Goal reached", { body: "9000 steps", tag: "goal", signal });
}

async function permissions(): Promise<void> {
  const status = await nervous.permissions.query({ name: "cpu", access: "stats" });
  status.onchange = function () {
    console.log(this.state);
  };
  status.addEventListener("change", () => {}, { once: true });
  status.onchange = null;
  const asked: PermissionState = (await nervous.permissions.request({ name: "cpu" })).state;
  const [decision] = await nervous.permissions.list();
  const { command, url } = nervous.openSettings();
  console.log(asked, decision?.terms?.rate, command, url ?? "none", nervous.version);
  nervous.exit(0);
  nervous.exit();
}

async function sessions(signal: AbortSignal): Promise<void> {
  const { id } = await nervous.sessions.create({ name: "Walk", sensors: ["location", "steps"], signal });
  await nervous.sessions.update(id, { description: "Around the lake", distance: 4200 });
  for (const step of ["start", "pause", "resume", "finish"] as const) {
    const { state, spans }: Nervous.Session = await nervous.sessions[step](id);
    console.log(state, spans[0]?.to ?? "open");
  }
  for await (const { text, steps } of nervous.sessions.live(id, { signal })) console.log(text, steps);
  const rows = await nervous.sessions.samples<Busy>(id, { sensor: "steps" });
  const route = await nervous.sessions.route(id);
  const own = (await nervous.sessions.list({ limit: 10 })).filter(({ app }) => app !== undefined);
  console.log(rows[0]?.busy, route.distance, own.length, (await nervous.sessions.get(id)).name);
  await nervous.sessions.remove(id);
}

function genericSensors(): void {
  const accelerometer = new Accelerometer({ frequency: 60, referenceFrame: "screen" });
  accelerometer.onreading = function (event) {
    console.log(event.type, this.timestamp, accelerometer.x);
  };
  accelerometer.onactivate = () => console.log(accelerometer.activated, accelerometer.hasReading);
  accelerometer.onerror = ({ error }) => console.log(error.name);
  accelerometer.addEventListener("error", ({ error }) => console.log(error.message));
  accelerometer.addEventListener("reading", () => {}, { once: true });
  accelerometer.start();
  accelerometer.stop();
  const sensors: Sensor[] = [
    new LinearAccelerationSensor(),
    new GravitySensor({ frequency: 1 }),
    new Gyroscope(),
    new Magnetometer({ referenceFrame: "device" }),
    new AbsoluteOrientationSensor(),
  ];
  const x: number | null = new GravitySensor().x;
  const bias: number | null = new UncalibratedMagnetometer().xBias;
  const lux: number | null = new AmbientLightSensor({ frequency: 2 }).illuminance;
  const orientation = new RelativeOrientationSensor();
  orientation.populateMatrix(new Float32Array(16));
  orientation.populateMatrix(new DOMMatrix());
  const w: number | undefined = orientation.quaternion?.[3];
  const event = new SensorErrorEvent("error", { error: new DOMException("a", "NotReadableError") });
  console.log(sensors.length, x, bias, lux, w, event.error.code);
}

async function machine(): Promise<void> {
  const battery: BatteryManager = await navigator.getBattery();
  battery.onlevelchange = () => console.log(battery.level, battery.charging);
  navigator.geolocation.getCurrentPosition(({ coords }) => console.log(coords.latitude));
}

function published(): void {
  const version: number = Nervous.getJSAPIVersion();
  Nervous.getHWAPIVersion().done(({ version }) => console.log(version));
  Nervous.getGyr()
    .done(({ x }) => console.log(x))
    .fail((error) => console.log(error.message))
    .always(() => {});
  Nervous.getAcc().then(({ z }) => console.log(z));
  App.controller<{ id: number }>("home", function (page, { id }) {
    console.log(this.hidden, page.hidden, id, version);
  });
  App.load("home", { id: 1 });
  App.back();
  App.back("home");
}

async function charts(canvas: HTMLCanvasElement): Promise<void> {
  const { Chart, ChartGroup, Points, drawHistogram, timeTicks, usualInterval, valueTicks } =
    await import("/lib/charts.js");
  const points = new Points(3600);
  const group = new ChartGroup({ range: true });
  const chart = new Chart(canvas, {
    label: "Processor",
    series: [
      { name: "busy", unit: "%", points, area: true, live: true },
      { name: "mean", every: 60_000, t: [0, 60_000], v: [1, null], min: new Float64Array(2) },
    ],
    follow: 600_000, floor: 0, ceiling: 100, group, placeholder: "Move over the chart.",
    format: (value, unit, step) => `${value.toFixed(step === undefined ? 2 : 0)} ${unit ?? ""}`,
    onrange: ({ from, to, follow }) => console.log(to - from, follow),
    onread: (at) => console.log(at ?? group.at),
    texts: { empty: "leer" },
  });
  const isNew: boolean = points.push(Date.now(), 5);
  chart.set({ from: 0, to: 1000, damaged: [{ from: 0, to: 10 }] });
  chart.update();
  chart.zoom(0, 500);
  if (chart.back()) chart.pause(!chart.isPaused);
  const { columns, rows, total } = chart.table({ limit: 10 });
  console.log(isNew, columns[0]?.statistic, rows[0]?.values[0], total, chart.csv().length);
  console.log(chart.range.follow, points.v[0], points.length, group.charts.size, chart.canvas.width);
  const end = drawHistogram(canvas, { bins: [{ from: 0, to: 1, count: null }], unit: "%" });
  end();
  console.log(timeTicks(0, 1000, 300)[0]?.strong, valueTicks(0, 1, 5).step, usualInterval(points.t));
  chart.remove();
}

async function health(signal: AbortSignal): Promise<void> {
  const { activity, distance } = nervous.health.activityOf("cycling");
  const workout: Nervous.WorkoutWithSamples = await nervous.health.saveWorkout({
    activity, start: new Date(0), end: Date.now(), duration: 1000, key: "a", metadata: { indoor: true },
    samples: [{ type: distance ?? "steps", value: 5.2, unit: "km" }, { type: "sleep", value: "rem" }],
  }, { signal });
  for (const { text, totals, floors } of await nervous.health.workouts({ last: "7d", limit: 5, own: true })) {
    console.log(text.title, totals["flights-climbed"]?.toFixed(), floors);
  }
  const born: string | undefined = await nervous.health.characteristic("date-of-birth");
  const height: number | undefined = await nervous.health.characteristic("height");
  const [beat] = await nervous.health.samples("heart-rate", { from: 0, order: "asc", unit: "Hz" });
  const [night] = await nervous.health.samples("sleep");
  const value: "in-bed" | "asleep" | "awake" | "core" | "deep" | "rem" | undefined = night?.value;
  await nervous.health.save([{ type: "body-mass", value: 70, start: "-1h" }]);
  const pair = await nervous.health.saveCorrelation({ type: "blood-pressure", samples: [] });
  const { samples } = await nervous.health.workout(workout.id, { zone: "UTC" });
  await nervous.health.remove((await nervous.health.correlations("blood-pressure"))[0]?.id ?? pair.id);
  const { type } = await nervous.permissions.query({ name: "health", type: "steps", access: "write" });
  console.log(born, height, beat?.value, value, samples.length, type, (await nervous.health.types())[0]?.units);
}

const everything = [
  sensors, statistics, live, storage, permissions, sessions, health, genericSensors, machine, published, charts,
];
console.log(everything.length);
