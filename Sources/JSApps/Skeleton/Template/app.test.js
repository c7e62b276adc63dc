/// <reference path="nervous-test.d.ts" />
"use strict";

// Run with: nervous test ./APP-NAME
//
// Every test has its own process, clock and sensors. Time is virtual: a minute passes as soon as the
// app is idle.

test("it prints the memory usage every second", async () => {
  const { lines } = await app.run("10s");
  assert.equal(lines.length, 11);
  assert.match(lines[0].text, /^\d+\.\d % of the memory is in use/);
});

test("it reports high usage", async () => {
  await sensors.set("memory", { usedPercent: 95 });
  const { lines } = await app.run("1s");
  assert.equal(lines[0].text, "95.0 % of the memory is in use, which is high");
});

test("it exits with 1 if permission is denied", async () => {
  await permissions.deny("sensor:memory");
  const { lines, exit } = await app.run("1s");
  assert.match(lines[0].text, /^NotAllowedError: /);
  assert.equal(exit, 1);
});
