// The form, the route of a report, and the published form in which it is sent.

import {
  begin, byId, change, click, fixes, put, record, recorded, settle, submit, text, answer, API, TestServer,
} from "./test-support.js";
import {
  coordinateText, dateTimeText, dayText, encoded, kilometreText, metresOf, pointsOf, problemsOf, reportOf, thinned,
} from "./report.js";
import { Store } from "./store.js";

const CHOICES = { placements: [{ id: 3, title: "Nurse" }], rates: [{ id: 1, title: "High" }] };
const FORM = {
  date: "2026-01-05", purpose: " Visit ", placement: 3, rate: 1, remark: "", startsAtHome: true, endsAtHome: false, metres: 12_340,
};
const POINTS = [{ latitude: 56, longitude: 10, isVia: false }, { latitude: 56.001, longitude: -0.5, isVia: true }];
const TRIP = { uuid: "u", t: Date.UTC(2026, 0, 5, 8), source: "measured", points: POINTS };

test("a complete form has no problems (E8)", () => {
  assert.deepEqual(problemsOf(FORM, CHOICES), {});
});

for (const [field, value, pattern] of [
  ["date", "", /Enter the date/], ["date", "5.1.2026", /year, month and day/], ["date", "2026-02-30", /year, month and day/],
  ["purpose", "  ", /purpose/], ["purpose", "x".repeat(1001), /at most 1000/], ["remark", "x".repeat(1001), /at most 1000/],
  ["placement", "", /Choose a placement/], ["placement", 9, /no longer exists/],
  ["rate", "", /Choose a rate/], ["rate", 9, /no longer valid/],
]) {
  test(`a form with ${field} “${`${value}`.slice(0, 10)}” cannot be sent (E8)`, () => {
    const problems = problemsOf({ ...FORM, [field]: value }, CHOICES);
    assert.deepEqual(Object.keys(problems), [field]);
    assert.match(problems[field], pattern);
  });
}

test("a form without kilometres, or with less than 50 m, cannot be sent (E8)", () => {
  for (const metres of [undefined, 0, 49]) {
    assert.deepEqual(Object.keys(problemsOf({ ...FORM, metres }, CHOICES)), ["kilometres"], `${metres}`);
  }
  assert.deepEqual(problemsOf({ ...FORM, metres: 50 }, CHOICES), {});
});

test("a trip does not start before purpose, placement and rate are filled in (E8)", async () => {
  await begin();
  await click("start");
  assert.deepEqual(["purpose", "placement", "rate"].map((id) => byId(id).getAttribute("aria-invalid")), ["true", "true", "true"]);
  assert.equal(document.activeElement.id, "purpose");
  assert.match(text("purpose-problem"), /Enter the purpose/);
  assert.deepEqual(await nervous.sessions.list(), []);
});

test("the report has what the form says: date, purpose, placement, rate, remark, start at home (E8)", async () => {
  await put(0);
  const server = await begin();
  byId("purpose").value = "Visit at school";
  byId("placement").value = "4";
  byId("rate").value = "2";
  byId("remark").value = "With luggage";
  byId("startsAtHome").checked = true;
  await click("start");
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  assert.equal(byId("date").value, "2026-01-05");
  await change("date", "2026-01-04");
  await change("endsAtHome", true);
  await click("send");
  const [{ route, Uuid, ...report }] = server.reports;
  assert.deepEqual(report, {
    Date: "2026-01-04T08:00:00.000+00:00", Purpose: "Visit at school", ManualEntryRemark: "With luggage",
    EmploymentId: 4, RateId: 2, ProfileId: 7, StartsAtHome: true, EndsAtHome: true, FourKmRule: false, HomeToBorderDistance: 0,
  });
  assert.match(Uuid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(route.TotalDistance, 0.2);
  assert.equal(route.GPSCoordinates.length, 2);
  assert.match(text("message"), /sent and received/);
  assert.equal(text("trip-title"), "New trip");
});

test("coordinates have a decimal point and no exponent in every locale (E9)", () => {
  assert.equal((1.5).toLocaleString("da-DK"), "1,5");
  for (const [degrees, expected] of [
    [56.1234567, "56.1234567"], [-0.5, "-0.5"], [10, "10"], [0, "0"], [-0, "0"], [1e-7, "0.0000001"], [1e-9, "0"], [-1e-9, "0"],
    [100, "100"], [179.99999999, "180"], [1234567e-7, "0.1234567"],
  ]) assert.equal(coordinateText(degrees), expected);
});

test("a report has coordinates as texts with a point, and kilometres as a number of one decimal (E9)", () => {
  const body = JSON.stringify(encoded(reportOf(FORM, TRIP), { guid: "g", profile: 7 }));
  assert.match(body, /"Latitude":"56\.001","Longitude":"-0\.5","IsViaPoint":true/);
  assert.match(body, /"TotalDistance":12\.3[,}]/);
});

test("a report has no point or at least two (E10)", () => {
  assert.deepEqual(reportOf(FORM, { ...TRIP, points: [] }).points, []);
  assert.throws(() => reportOf(FORM, { ...TRIP, points: POINTS.slice(1) }), /no point, or at least two/);
  assert.equal(reportOf(FORM, TRIP).points.length, 2);
});

test("a trip with a single position has no points, and needs kilometres (E10)", async () => {
  await put(0);
  await begin();
  await record();
  await clock.advance("10s");
  await click("finish");
  assert.deepEqual((await recorded()).metres, []);
  assert.equal(text("map"), "");
  await click("send");
  assert.match(text("kilometres-problem"), /Enter the kilometres/);
});

test("points of several lines are in the order of the trip, with their via points (E15)", () => {
  const feature = (type, coordinates, via) => ({ features: [{ geometry: { type, coordinates }, properties: { via } }] });
  assert.deepEqual(pointsOf(feature("MultiLineString", [[[10, 56, 3], [11, 57]], [[12, 58], [13, 59]]], [[1], []])), [
    { latitude: 56, longitude: 10, isVia: false }, { latitude: 57, longitude: 11, isVia: true },
    { latitude: 58, longitude: 12, isVia: false }, { latitude: 59, longitude: 13, isVia: false }]);
  assert.equal(pointsOf(feature("LineString", [[10, 56], [11, 57]], [[]])).length, 2);
  assert.deepEqual(pointsOf({ features: [] }), []);
});

test("edited kilometres discard the route: no points, no map (E11)", async () => {
  await put(0);
  const server = await begin();
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  assert.equal(document.querySelectorAll("#map svg").length, 1);
  assert.equal(byId("kilometres").readOnly, true);
  await click("edit");
  assert.match(text("question"), /the recorded route is deleted/);
  await answer("yes");
  assert.equal(text("map"), "");
  // The route is gone now, and not only when the report is sent.
  assert.deepEqual([(await recorded()).metres, (await recorded()).distanceSource], [[], "manual"]);
  await change("kilometres", "12,5");
  await click("send");
  const [{ route }] = server.reports;
  assert.deepEqual(route, { TotalDistance: 12.5, GPSCoordinates: [] });
  const { metres, distance, distanceSource } = await recorded();
  assert.deepEqual([metres, distance, distanceSource], [[], 12_500, "manual"]);
});

test("who does not want to lose the route keeps it (E11)", async () => {
  await put(0);
  const server = await begin();
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  await click("edit");
  await answer("no");
  assert.equal(byId("kilometres").readOnly, true);
  await click("send");
  assert.equal(server.reports[0].route.GPSCoordinates.length, 2);
});

test("a trip that was not recorded is reported with kilometres, without a route (E11)", async () => {
  const server = await begin();
  byId("purpose").value = "Meeting";
  byId("placement").value = "3";
  byId("rate").value = "1";
  await click("enter");
  await change("kilometres", "many");
  await click("send");
  assert.match(text("kilometres-problem"), /such as 12\.5/);
  await change("kilometres", "7");
  await click("send");
  assert.deepEqual(server.reports.map(({ route }) => route), [{ TotalDistance: 7, GPSCoordinates: [] }]);
  assert.deepEqual(await nervous.sessions.list(), []);
});

test("typed kilometres have a point or a comma (E11)", () => {
  assert.deepEqual(["12.5", "12,5", " 7 ", "0.001"].map(metresOf), [12_500, 12_500, 7000, 1]);
  for (const wrong of ["", "0", "-1", "1e3", "1 000", "1.2345", "123456", "x", "12.5 km"]) assert.equal(metresOf(wrong), undefined, wrong);
  assert.deepEqual([0, 49, 50, 12_340, 12_350].map(kilometreText), ["0.0", "0.0", "0.1", "12.3", "12.4"]);
});

test("a report has the published fields only: no times, accuracies, sensors or sessions (E1)", async () => {
  await put(0);
  const server = await begin();
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  await click("send");
  const { DriveReport: { route, ...report }, ...rest } = server.bodies.at(-1);
  assert.deepEqual(Object.keys(rest), ["Authorization"]);
  assert.deepEqual(Object.keys(rest.Authorization), ["GuId"]);
  assert.deepEqual(Object.keys(report).sort(), ["Date", "EmploymentId", "EndsAtHome", "FourKmRule", "HomeToBorderDistance",
    "ManualEntryRemark", "ProfileId", "Purpose", "RateId", "StartsAtHome", "Uuid"]);
  assert.deepEqual(Object.keys(route).sort(), ["GPSCoordinates", "TotalDistance"]);
  for (const point of route.GPSCoordinates) assert.deepEqual(Object.keys(point).sort(), ["IsViaPoint", "Latitude", "Longitude"]);
  const [{ id }] = await nervous.sessions.list();
  assert.ok(!JSON.stringify(server.bodies).includes(id));
});

test("the app calls the chosen server, and no other (E1)", async () => {
  const server = await begin();
  assert.deepEqual(server.calls, ["GET /appinfo", "POST /auth"]);
  const { calls } = await app.result();
  assert.ok(calls.every(({ path }) => !path.startsWith("/api/v1/fetch")), "a call by another way");
});

test("a long route is thinned: its ends and via points stay", () => {
  const points = Array.from({ length: 25_001 }, (_, at) => ({ latitude: at / 1000, longitude: 0, isVia: at === 777 }));
  const left = thinned(points, 1000);
  assert.ok(left.length <= 1000 && left.length > 900, `${left.length}`);
  assert.deepEqual([left[0], left.at(-1)], [points[0], points.at(-1)]);
  assert.deepEqual(left.filter(({ isVia }) => isVia), [points[777]]);
  assert.equal(thinned(points, 25_001), points);
  // A report of the most points fits into the megabyte of a call.
  const full = reportOf(FORM, { ...TRIP, points: Array.from({ length: 30_000 }, () => ({ latitude: -56.1234567, longitude: -110.1234567, isVia: false })) });
  assert.ok(JSON.stringify(encoded(full, { guid: "g", profile: 1 })).length < 1_000_000);
});

test("a date is local, with its offset", () => {
  const t = Date.UTC(2026, 0, 5, 23, 30, 5), text = dateTimeText("2026-07-01", t);
  assert.equal(text.slice(0, 10), "2026-07-01");
  assert.equal(new Date(text).getHours(), new Date(t).getHours());
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000[+-]\d\d:\d\d$/);
  assert.equal(dayText(new Date(2026, 0, 5, 0, 5).getTime()), "2026-01-05");
});

test("a trip is stored at each step, and no longer when it was sent", async () => {
  await put(0);
  await begin();
  const stored = async () => (await (await Store.open()).load()).values.trip;
  await record();
  const [{ id }] = await nervous.sessions.list();
  assert.deepEqual([(await stored()).state, (await stored()).session], ["active", id]);
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("pause");
  assert.equal((await stored()).state, "paused");
  await click("finish");
  await change("remark", "Late");
  assert.deepEqual([(await stored()).state, (await stored()).form.remark], ["review", "Late"]);
  await click("send");
  assert.equal(await stored(), undefined);
});

test("a trip continues after the page was closed", async () => {
  await put(0);
  const server = new TestServer().install();
  const { id } = await nervous.sessions.create({ name: "Visit", sensors: ["location"] });
  await nervous.sessions.start(id);
  const store = await Store.open();
  await store.set("provider", { name: "Town", api: API, text: "#ffffff", primary: "#00665f", secondary: "#db813c" });
  await store.set("account", { guid: server.users[0].guid, profile: 7, name: "Ada Byron", ...CHOICES });
  await store.set("trip", { state: "active", session: id, uuid: "3f2f", form: FORM, t: clock.now(), source: "measured" });
  await clock.advance("6s");
  await fixes([150, 5]);
  await app.start();
  await settle();
  assert.equal(text("trip-state"), "Recording");
  await click("finish");
  assert.equal(byId("purpose").value.trim(), "Visit");
  await click("send");
  assert.equal(server.reports[0].route.GPSCoordinates.length, 2);
});

for (const [what, change, title, state] of [
  ["paused", (id) => nervous.sessions.pause(id), "Trip", "Paused"],
  ["finished", (id) => nervous.sessions.finish(id), "Report", ""],
  ["deleted", (id) => nervous.sessions.remove(id), "New trip", ""],
]) {
  test(`a trip that was ${what} elsewhere is shown so at the next step`, async () => {
    await put(0);
    await begin();
    await record();
    await clock.advance("6s");
    const [{ id }] = await nervous.sessions.list();
    await change(id);
    await click(what === "finished" ? "finish" : "pause");
    assert.deepEqual([text("trip-title"), text("trip-state")], [title, state]);
  });
}

test("a trip that cannot be read at the start is taken up when it is allowed", async () => {
  const server = new TestServer().install();
  const { id } = await nervous.sessions.create({ name: "Visit", sensors: ["location"] });
  await nervous.sessions.start(id);
  const store = await Store.open();
  await store.set("provider", { name: "Town", api: API, text: "#ffffff", primary: "#00665f", secondary: "#db813c" });
  await store.set("account", { guid: server.users[0].guid, profile: 7, name: "Ada Byron", ...CHOICES });
  await store.set("trip", { state: "active", session: id, uuid: "3f2f", form: FORM, t: clock.now(), source: "measured" });
  await nervous.sessions.pause(id);
  await permissions.deny("sessions:write");
  await app.start();
  await settle();
  assert.match(text("trip-message"), /Denied/);
  await permissions.allow("sessions:write");
  await click("pause");
  assert.equal(text("trip-state"), "Paused");
});

test("a trip that is deleted leaves neither a report nor a session", async () => {
  await put(0);
  const server = await begin();
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  await click("discard");
  await answer("yes");
  assert.deepEqual(server.reports, []);
  assert.deepEqual(await nervous.sessions.list(), []);
  assert.equal(text("trip-title"), "New trip");
});

test("without the position, the page says why and how to change it", async () => {
  await permissions.deny("sensor:location");
  await begin();
  await record();
  assert.match(text("trip-message"), /Denied/);
  assert.equal(text("trip-title"), "New trip");
  await submit("trip-form");
});
