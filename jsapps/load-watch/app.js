"use strict";

// Follows one sensor and warns when it crosses a threshold. To avoid repeated warnings for values
// around the threshold, the value must fall below a second, lower one before it can warn again.

const WARN_ABOVE = 80;
const CALM_BELOW = 60;

/** Calls `onChange` with "busy" or "calm" and the value whenever the state changes. */
async function watch(stream, onChange) {
  let state = "calm";
  for await (const { t, busy } of stream) {
    const next = busy > WARN_ABOVE ? "busy" : busy < CALM_BELOW ? "calm" : state;
    if (next !== state) onChange(next, busy, t);
    state = next;
  }
}

function time(milliseconds) {
  return new Date(milliseconds).toTimeString().slice(0, 8);
}

async function main() {
  const cpu = nervous.sensor("cpu");
  console.log(`Watching the processor; a warning comes above ${WARN_ABOVE} %.`);
  const before = await cpu.stats({ last: "5m", fields: "busy", fn: "mean,max" });
  if (before.count > 0) {
    console.log(`The last 5 minutes: ${before.mean.toFixed(1)} % on average, at most ${before.max.toFixed(1)} %.`);
  }
  await watch(cpu.stream(), (state, busy, t) => {
    const value = `${time(t)}  ${busy.toFixed(1)} %`;
    if (state === "busy") console.warn(`${value}  busier than ${WARN_ABOVE} %`);
    else console.log(`${value}  calm again`);
  });
}

main();
