// Each line is wrong, and TypeScript says so with the error behind it.
/// <reference path="nervous.d.ts" />
nervous.sensor(5); // TS2345
nervous.sensors().then((all) => all[0]!.unit); // TS2339
nervous.version = "2"; // TS2540
nervous.sensor("cpu").id = "memory"; // TS2540
nervous.sensor("cpu").read(); // TS2339
nervous.sensor("cpu").latest({ signal: new AbortController() }); // TS2740
nervous.sensor("cpu").latest<{ busy: number }>().then(({ idle }) => idle); // TS2339
nervous.sensor("cpu").samples({ last: "10 minutes" }); // TS2322
nervous.sensor("cpu").samples({ last: "10m", from: 0 }); // TS2322
nervous.sensor("cpu").samples({ order: "up" }); // TS2322
nervous.sensor("cpu").samples({ limit: "5" }); // TS2322
nervous.sensor("cpu").samples({ sort: "t" }); // TS2345
nervous.sensor("cpu").stats({ last: "1h", every: "5m" }).then((all) => all.mean); // TS2339
nervous.sensor("cpu").stats({ fn: 5 }); // TS2769
nervous.sensor("cpu").stats({ fn: "meen" }); // TS2769
nervous.sensor("cpu").stats({ fn: "mean,p9x" }); // TS2769
nervous.sensor("cpu").stats({ fn: ["mean", "average"] }); // TS2769
nervous.sensor("cpu").publish(5); // TS2345
nervous.sensor("cpu").publish({ count: true }); // TS2322
nervous.sensor("cpu").publish({ count: 1 }, { key: 5 }); // TS2322
for (const sample of nervous.sensor("cpu").stream()) console.log(sample); // TS2488
nervous.sensor("cpu").stream({ onGap: ({ lost }) => lost }); // TS2339
nervous.sensor("cpu").watch(); // TS2554
nervous.sensor("cpu").watch(() => {}).stop(); // TS2339
nervous.analyze("median", "cpu.busy"); // TS2345
nervous.analyze("trend", "cpu.busy").then((found) => found.slope); // TS2531
nervous.analyze("trend", "cpu.busy").then((found) => found?.clusters); // TS2339
nervous.analyze("k-means", "cpu.busy", { k: 3 }); // TS2345
nervous.analyze("trend", "cpu.busy", { join: { method: "linear" } }); // TS2322
nervous.permissions.query("cpu"); // TS2345
nervous.permissions.query({ name: "cpu", access: "all" }); // TS2322
nervous.permissions.query({ name: "cpu" }).then((status) => (status.state = "granted")); // TS2540
nervous.permissions.query({ name: "cpu" }).then(({ state }) => state === "allowed"); // TS2367
nervous.permissions.grant({ name: "cpu" }); // TS2339
nervous.openSettings().url.length; // TS2531
nervous.exit("0"); // TS2345
new Sensor(); // TS2511
new OrientationSensor(); // TS2511
new Accelerometer({ frequency: "60" }); // TS2322
new Accelerometer({ referenceFrame: "world" }); // TS2322
new AmbientLightSensor({ referenceFrame: "device" }); // TS2345
new Accelerometer().x.toFixed(); // TS2531
new Accelerometer().illuminance; // TS2339
new Accelerometer().start(5); // TS2554
new Gyroscope().onerror = ({ message }) => message; // TS2339
new RelativeOrientationSensor().populateMatrix([1]); // TS2345
new SensorErrorEvent("error"); // TS2554
new SensorErrorEvent("error", { error: new Error() }); // TS2740
navigator.getBattery().then((battery) => (battery.level = 1)); // TS2540
Nervous.getGyr().done(({ w }) => w); // TS2339
Nervous.getJSAPIVersion().done(); // TS2339
App.load(5); // TS2345
App.controller("home"); // TS2554
App.show("home"); // TS2339
import("/lib/charts.js").then(({ Plot }) => Plot); // TS2339
import("/lib/charts.js").then(({ Chart }) => new Chart("canvas", { series: [] })); // TS2345
import("/lib/charts.js").then(({ Chart }) => new Chart(new HTMLCanvasElement(), {})); // TS2345
import("/lib/charts.js").then(({ Points }) => new Points().push("now", 5)); // TS2345
import("/lib/charts.js").then(({ Points }) => (new Points().length = 0)); // TS2540
import("/lib/charts.js").then(({ drawHistogram }) => drawHistogram(new HTMLCanvasElement(), {})); // TS2345
