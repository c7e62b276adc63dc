// Each line is wrong, and TypeScript says so with the error behind it.
/// <reference path="nervous-test.d.ts" />
test("without a body"); // TS2554
app.run("10 seconds"); // TS2345
app.result().then(({ output }) => output); // TS2339
sensors.play("fly"); // TS2345
sensors.set("battery", 5); // TS2345
clock.now().text; // TS2339
permissions.grant("sensor:cpu"); // TS2339
assert.same(1, 1); // TS2339
assert.match("a", "a"); // TS2345
