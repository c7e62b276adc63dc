// The nine rules of positions, as a person meets them: positions of the sensor in, route and sentences out.

import { begin, byId, click, fixes, put, record, recorded, settle, text } from "./test-support.js";
import { countdown, signalText, timeText } from "./trip.js";

/** Starts a trip at 0 m, after the countdown. */
async function driving() {
  await put(0);
  const server = await begin();
  await record();
  await clock.advance("6s");
  return server;
}

test("a position worse than the one before is discarded (E13)", async () => {
  await driving();
  // 8 after 5 is worse; 8 after 8 is not.
  await fixes([100, 8], [101, 8], [200, 9], [300, 5]);
  await click("finish");
  assert.deepEqual((await recorded()).metres, [0, 101, 300]);
});

test("positions of more than 100 m accuracy are discarded: 99 and 100 are kept, 101 is not (E14)", async () => {
  await put(0, 101);
  await begin();
  await record();
  await clock.advance("6s");
  await fixes([1, 100], [150, 99], [400, 101], [600, 99]);
  await click("finish");
  assert.deepEqual((await recorded()).metres, [1, 150, 600]);
});

test("a position is discarded if its accuracy exceeds the distance from the last point (E17)", async () => {
  await put(0, 12);
  await begin();
  await record();
  await clock.advance("6s");
  await fixes([10.5, 12], [11.9, 12], [12.1, 12], [30, 12]);
  await click("finish");
  assert.deepEqual((await recorded()).metres, [0, 12, 30]);
});

test("positions of less than 10 m movement are discarded (E17)", async () => {
  await driving();
  await fixes([9.9, 5], [10.1, 5], [20, 5], [20.2, 5]);
  await click("finish");
  assert.deepEqual((await recorded()).metres, [0, 10, 20]);
});

test("points more than 200 m apart cause a warning after the drive, others do not (E18)", async () => {
  await driving();
  await fixes([199.9, 5], [399.8, 5]);
  await click("pause");
  assert.equal(text("warnings"), "");
  await click("finish");
  assert.deepEqual((await recorded()).warnings, []);
  assert.equal(text("warnings"), "");
});

test("a jump of 201 m is kept and warned about after the drive (E18)", async () => {
  await driving();
  await fixes([201, 5], [250, 5]);
  assert.equal(text("warnings"), "");
  await click("finish");
  assert.deepEqual((await recorded()).metres, [0, 201, 250]);
  assert.match(text("warnings"), /more than 200 m apart/);
});

for (const [name, runs, isWarned] of [
  ["29 s without a signal are no reason for a warning", [29], false],
  ["31 s without a signal are warned about when the trip is finished", [31], true],
  ["a signal resets the time: five times 15 s without one are no reason for a warning", [15, 15, 15, 15, 15], false],
]) {
  test(`${name} (E16)`, async () => {
    await driving();
    let metres = 0;
    for (const seconds of runs) {
      // What is not accurate to 100 m is no signal.
      await put(metres, 500);
      await clock.advance((seconds - 1) * 1000);
      await put(metres += 50);
      await clock.advance("1s");
    }
    assert.equal(text("warnings"), "");
    await click("finish");
    assert.equal(text("warnings").includes("lost for more than 30 seconds"), isWarned, text("warnings"));
    assert.equal((await recorded()).metres.length, runs.length + 1);
  });
}

test("a loss of signal at the end is warned about, too (E16)", async () => {
  await driving();
  await fixes([50, 5]);
  await put(50, 500);
  await clock.advance("31s");
  await click("finish");
  assert.match(text("warnings"), /lost for more than 30 seconds/);
});

test("for 5 s after the start nothing is measured, and the seconds are counted down (E19)", async () => {
  await put(0);
  await begin();
  await record();
  const seen = [text("countdown")];
  // Noise: a phantom of 150 m.
  for (const metres of [40, 0, 50, 10]) {
    await put(metres);
    await clock.advance("1s");
    seen.push(text("countdown"));
  }
  assert.deepEqual(seen.map((one) => one.replace(/\D/g, "")), ["5", "4", "3", "2", "1"]);
  await put(60);
  await clock.advance("900ms");
  assert.deepEqual((await recorded()).metres, []);
  await clock.advance("2s");
  assert.equal(text("countdown"), "");
  await fixes([80, 5]);
  await click("finish");
  assert.deepEqual((await recorded()).metres, [60, 80]);
});

test("for 5 s after a resumption nothing is measured either (E19)", async () => {
  await driving();
  await fixes([50, 5]);
  await click("pause");
  await clock.advance("10s");
  await click("resume");
  assert.match(text("countdown"), /5$/);
  await fixes([90, 5], [140, 5]);
  await clock.advance("1s");
  await put(60);
  await clock.advance("6s");
  assert.equal(text("countdown"), "");
  await fixes([100, 5]);
  await click("finish");
  const { metres, distance } = await recorded();
  assert.deepEqual(metres, [0, 50, 60, 100]);
  assert.ok(Math.abs(distance - 90) < 0.1, `${distance}`);
});

test("the countdown is of whole seconds and never more than 5 (E19)", () => {
  const at = (now, state = "active") => countdown({ state, since: 1000 }, now);
  assert.deepEqual([900, 1000, 1001, 2000, 5001, 5999, 6000, 9000].map((now) => at(now)), [5, 5, 5, 4, 1, 1, 0, 0]);
  assert.equal(at(1000, "paused"), 0);
});

for (const [metres, isResumed] of [[199, true], [199.99, true], [200.01, false], [201, false]]) {
  test(`a trip ${isResumed ? "resumes" : "does not resume"} ${metres} m from where it was paused (E12)`, async () => {
    await driving();
    await fixes([20, 5]);
    await click("pause");
    await put(20 + metres);
    await clock.advance("1s");
    await click("resume");
    const { state } = await recorded();
    assert.equal(state, isResumed ? "active" : "paused");
    assert.equal(text("trip-state"), isResumed ? "Recording" : "Paused");
    if (isResumed) return;
    assert.match(text("trip-message"), /more than 200 m from where you paused/);
    // Back there, it resumes.
    await put(30);
    await clock.advance("1s");
    await click("resume");
    assert.equal(text("trip-state"), "Recording");
    assert.equal(text("trip-message"), "");
  });
}

test("a trip does not resume at a position that is not accurate to 100 m (E12)", async () => {
  await driving();
  await fixes([20, 5]);
  await click("pause");
  await put(25, 101);
  await clock.advance("1s");
  await click("resume");
  assert.equal(text("trip-state"), "Paused");
  assert.match(text("trip-message"), /not accurate to 100 m/);
});

test("each pause marks the last point before it as a via point (E15)", async () => {
  const server = await driving();
  let metres = 0;
  for (let pause = 0; pause < 3; pause++) {
    await fixes([metres += 30, 5]);
    await click("pause");
    await clock.advance("5s");
    await click("resume");
    await clock.advance("6s");
    await fixes([metres += 30, 5]);
  }
  await click("finish");
  await click("send");
  const [{ route: { GPSCoordinates: points } }] = server.reports;
  assert.equal(points.filter(({ IsViaPoint }) => IsViaPoint).length, 3);
  assert.equal(points[0].IsViaPoint, false);
  assert.equal(points.at(-1).IsViaPoint, false);
  assert.equal(points.findIndex(({ IsViaPoint }) => IsViaPoint), 1);
});

test("a pause adds neither distance nor a line (mistake 5)", async () => {
  await driving();
  await fixes([50, 5]);
  await click("pause");
  await put(200);
  await clock.advance("5s");
  await click("resume");
  await clock.advance("6s");
  await fixes([250, 5]);
  await click("finish");
  assert.ok(Math.abs((await recorded()).distance - 100) < 0.1);
  assert.equal(document.querySelectorAll("#map .way").length, 2);
});

test("a paused trip can be finished, and the time of a pause does not count (mistake 3)", async () => {
  await driving();
  await fixes([50, 5]);
  await click("pause");
  const before = text("time");
  await clock.advance("5m");
  assert.equal(text("time"), before);
  await click("finish");
  assert.equal(text("trip-title"), "Report");
});

test("a resumed trip keeps its route and its time (mistake 2)", async () => {
  await driving();
  await fixes([50, 5]);
  await click("pause");
  await click("resume");
  await clock.advance("6s");
  await fixes([90, 5]);
  await click("finish");
  assert.equal((await recorded()).metres[0], 0);
});

test("the accuracy is shown, and “No signal” in its place (E20)", async () => {
  await driving();
  assert.equal(text("signal"), "± 5 m");
  await put(0, 37.6);
  await clock.advance("1s");
  assert.equal(text("signal"), "± 38 m");
  await permissions.deny("sensor:location");
  await clock.advance("7s");
  assert.equal(text("signal"), "No signal");
  assert.match(text("trip-message"), /Denied/);
});

test("there is no signal after more than 5 s without a position (E20)", () => {
  const fix = { accuracy: 4.4, arrived: 1000 };
  assert.equal(signalText(null, 0), "No signal");
  assert.equal(signalText(fix, 6000), "± 4 m");
  assert.equal(signalText(fix, 6001), "No signal");
  assert.equal(signalText({ arrived: 0 }, 0), "Accuracy unknown");
});

test("the time of a trip is that of its parts", () => {
  assert.equal(timeText([{ from: 0, to: 61_000 }, { from: 100_000 }], 104_000), "1:05");
  assert.equal(timeText([{ from: 0 }], 3_909_000), "1:05:09");
});

/** The length of the file, computed from the radii of the ellipsoid at each line's middle. */
const GPX_METRES = 3706.5;

test("positions of a GPX file drive a trip, at ten times their speed (E23)", async () => {
  const file = await (await fetch("commute.gpx")).text();
  const points = [...new DOMParser().parseFromString(file, "application/xml").querySelectorAll("trkpt")].map((point) => ({
    latitude: Number(point.getAttribute("lat")), longitude: Number(point.getAttribute("lon")),
    t: Date.parse(point.querySelector("time").textContent) }));
  const speed = 10;
  await sensors.set("location", { latitude: points[0].latitude, longitude: points[0].longitude, accuracy: 5 });
  await begin();
  await record();
  await clock.advance("6s");
  for (const [at, { latitude, longitude, t }] of points.entries()) {
    if (at > 0) await clock.advance((t - points[at - 1].t) / speed);
    await sensors.set("location", { latitude, longitude, accuracy: 5 });
  }
  await clock.advance("1s");
  await click("finish");
  const { distance, warnings } = await recorded();
  assert.ok(Math.abs(distance - GPX_METRES) < 1, `${distance}`);
  assert.deepEqual(warnings, []);
  assert.match(byId("kilometres").value, /^\d+\.\d$/);
});

test("an hour's drive is recorded", async () => {
  await sensors.play("drive");
  await begin();
  await record();
  await clock.advance("1h");
  await click("finish");
  const { distance } = await recorded();
  assert.ok(distance > 30_000 && distance < 60_000, `${distance}`);
  await settle();
});
