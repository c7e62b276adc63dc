"use strict";

// What runs without a browser. From the folder that holds this one:
//
//   nervous run ./APP-NAME      run it here; you are asked what it may read
//   nervous test ./APP-NAME     run app.test.js: sensors are simulated and nothing waits
//   nervous trial ./APP-NAME    see which privileges it needs
//   nervous pack APP-NAME       make the package that others install
//
// package.json lists what it asks for; the prompt shows the reason of each privilege.
// app.html and page.js are what a browser shows: nervous open APP-NAME, while nervous serve runs.

const MUCH = 90;

function show({ usedPercent }) {
  const note = usedPercent > MUCH ? ", and that is much" : "";
  console.log(`${usedPercent.toFixed(1)} % of the memory is in use${note}`);
}

async function main() {
  const memory = nervous.sensor("memory");
  show(await memory.latest());
  for await (const sample of memory.stream()) show(sample);
}

// The owner can refuse, at the first call or later.
main().catch((error) => {
  console.error(`${error.name}: ${error.message}`);
  nervous.exit(1);
});
