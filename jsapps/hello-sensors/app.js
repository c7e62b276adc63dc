"use strict";

// Prints the sensors that it may read, a few live samples, and statistics. It reports what is denied and
// continues: an app should be useful with fewer permissions than it asked for.

const READINGS = 5;

/** Runs one part; a refusal is printed and is not an error. */
async function part(title, body) {
  console.log(`\n${title}`);
  try {
    await body();
  } catch (error) {
    if (error.name !== "NotAllowedError" && error.name !== "NotFoundError") throw error;
    console.log(`  not available: ${error.message}`, error.fix ?? "");
  }
}

const round = (number) => (number === null ? "–" : Math.round(number * 100) / 100);
const time = (milliseconds) => new Date(milliseconds).toTimeString().slice(0, 8);

async function main() {
  console.log("Hello! This is what I may use:");
  for (const sensor of await nervous.sensors()) {
    const state = sensor.available ? sensor.access : "not on this machine";
    console.log(`  ${sensor.id}: ${sensor.title} (${state})`);
  }

  await part(`The processor, live (${READINGS} readings)`, async () => {
    let seen = 0;
    for await (const sample of nervous.sensor("cpu").stream()) {
      console.log(`  ${time(sample.t)}  ${round(sample.busy)} % busy`);
      if (++seen === READINGS) break;
    }
  });

  await part("Memory now", async () => {
    const memory = await nervous.sensor("memory").latest();
    console.log(`  ${round(memory.usedPercent)} % of ${round(memory.total / 1e9)} GB in use`);
  });

  await part("The last minute", async () => {
    const cpu = await nervous.sensor("cpu").stats({ last: "1m", fields: "busy", fn: "mean,stddev,max" });
    console.log(`  processor: ${round(cpu.mean)} % on average, ± ${round(cpu.stddev)}, at most ${round(cpu.max)} %`);
  });

  await part("The load of the last minute (statistics only)", async () => {
    const load = await nervous.sensor("load").stats({ last: "1m", fields: "load1", fn: "mean" });
    console.log(`  mean: ${round(load.mean)}`);
  });
}

main();
