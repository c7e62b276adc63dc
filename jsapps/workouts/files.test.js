// Files, and what is stored.

import { FileProblem, gpx, parse, plist } from "./files.js";
import { done, isNear, north } from "./stand-ins.js";
import { begin, continued, end, summary, workout } from "./workout.js";

test("workouts survive a property list (B16)", () => {
  const entries = [
    { workout: done({ id: "one", distance: 1234.5, floors: 3, label: "running" }), segments: [north(12, 3), north(12, 2, { t: 9000 })] },
    { workout: done({ id: "two", start: 1_767_700_000_000, distance: null, steps: null, floors: null }), segments: [] }];
  const found = parse(plist(entries));
  assert.deepEqual(found.map(({ workout }) => workout.id), ["one", "two"]);
  const [first, second] = found;
  for (const field of ["label", "start", "end", "duration", "spans", "steps", "floors"]) {
    assert.deepEqual(first.workout[field], entries[0].workout[field], field);
  }
  assert.deepEqual(first.segments.map((points) => points.map(({ t, latitude, longitude }) => [t, latitude, longitude])),
    entries[0].segments.map((points) => points.map(({ t, latitude, longitude }) => [t, latitude, longitude])));
  assert.deepEqual([second.workout.distance, second.workout.steps, second.workout.floors], [null, null, null]);
});

test("a property list of another app needs times only, and a broken file is refused with the reason (B16)", () => {
  const file = (body) => `<?xml version="1.0"?><plist version="1.0">${body}</plist>`;
  const [{ workout }] = parse(file("<array><dict><key>startTime</key><date>2026-01-05T08:00:00Z</date>"
    + "<key>endTime</key><date>2026-01-05T08:10:00Z</date><key>totalSteps</key><integer>900</integer></dict></array>"));
  assert.equal(workout.duration, 600_000);
  assert.equal(workout.steps, 900);
  for (const [body, reason] of [
    [file("<array><dict><key>startTime</key><date>2026-01-05T08:00:00Z</date></dict></array>"), /no endTime/],
    [file("<dict></dict>"), /no list/], [file("<array>".repeat(40) + "</array>".repeat(40)), /nested too deeply/],
    [file(""), /empty/], ["<plist><array>", /not well-formed/], ["hello", /not well-formed/], ["<html></html>", /neither/],
    [file("<array><dict><key>startTime</key><date>2026-01-05T09:00:00Z</date><key>endTime</key><date>2026-01-05T08:00:00Z</date></dict></array>"),
      /ends before/],
  ]) assert.throws(() => parse(body), (error) => error instanceof FileProblem && reason.test(error.message), `${reason}`);
});

test("a way survives GPX: segments, times and altitudes (B16)", () => {
  const segments = [north(12, 3, { t: 1_767_600_000_000 }), north(12, 2, { t: 1_767_600_060_000, latitude: 47.001 })];
  segments[0][0].altitude = 402.5;
  const written = gpx(done({ label: "cycling", name: "To <work> & back" }), segments);
  const [{ workout, segments: read }] = parse(written);
  assert.equal(workout.label, "cycling");
  assert.equal(workout.name, "To <work> & back");
  assert.equal(read.length, 2);
  assert.equal(read[0][0].altitude, 402.5);
  assert.deepEqual(read.map((points) => points.map(({ t }) => t)), segments.map((points) => points.map(({ t }) => t)));
  assert.equal(workout.duration, 3000);
  // The gap between two segments is no distance.
  isNear(workout.distance, 36, 0.2);
  assert.equal(parse(written)[0].workout.id, workout.id);
  assert.throws(() => parse("<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>"), /no track/);
});

test("a file that only the host reads is named with the command for it (B16)", () => {
  for (const [content, format] of [["\x0e\x10\x00\x00\x00\x00\x00\x00.FIT", "FIT"], ["<?xml?><TrainingCenterDatabase>", "TCX"],
    ["<?xml?><kml>", "KML"], ["bplist00", "binary property list"]]) {
    assert.throws(() => parse(content), (error) => error.message.includes(`a ${format} file`) && error.message.includes("nervous sessions import"));
  }
});

test("a stored workout that is damaged is not continued (B16)", () => {
  for (const wrong of [undefined, 7, {}, { ...workout("x"), state: "active" }, { ...workout("x"), state: "flying", spans: [1] }]) {
    assert.equal(continued(wrong ?? null), null);
  }
});

test("what is kept of a workout (B16)", () => {
  const one = workout("x");
  begin(one, 1000);
  end(one, 500);
  const kept = summary(one);
  assert.deepEqual([kept.start, kept.end, kept.label, kept.distance, kept.steps], [1000, 1000, "unknown", null, null]);
});
