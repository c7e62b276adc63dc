/// <reference path="nervous.d.ts" />
"use strict";

// The part of the app that runs without a browser. Commands, from the parent folder:
//
//   nervous run ./APP-NAME      run it; you are asked for permissions
//   nervous test ./APP-NAME     run app.test.js with simulated sensors, in virtual time
//   nervous trial ./APP-NAME    print the privileges that it needs
//   nervous pack APP-NAME       create a package for others to install
//
// The privileges are declared in package.json, each with a reason, which the prompt shows.
// The page in the browser is app.html with page.js: nervous open APP-NAME, while nervous serve runs.

const HIGH = 90;

function show({ usedPercent }) {
  const note = usedPercent > HIGH ? ", which is high" : "";
  console.log(`${usedPercent.toFixed(1)} % of the memory is in use${note}`);
}

async function main() {
  const memory = nervous.sensor("memory");
  show(await memory.latest());
  for await (const sample of memory.stream()) show(sample);
}

// Permission can be denied at the first call or revoked later: handle both.
main().catch((error) => {
  console.error(`${error.name}: ${error.message}`, error.fix ?? "");
  nervous.exit(1);
});
