"use strict";

// Run by: nervous test ./APP-NAME
//
// Every test has a process, a clock and sensors of its own. Time is virtual: the clock advances
// when the app has nothing to do.

test("it shows the memory every second", async () => {
  const { lines } = await app.run("10s");
  assert.equal(lines.length, 11);
  assert.match(lines[0].text, /^\d+\.\d % of the memory is in use/);
});

test("it says when much is in use", async () => {
  await sensors.set("memory", { usedPercent: 95 });
  const { lines } = await app.run("1s");
  assert.equal(lines[0].text, "95.0 % of the memory is in use, and that is much");
});

test("it prints an error when it may not read the memory", async () => {
  await permissions.deny("sensor:memory");
  const { lines, exit } = await app.run("1s");
  assert.match(lines[0].text, /^NotAllowedError: /);
  assert.equal(exit, 1);
});
