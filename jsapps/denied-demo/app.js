"use strict";

// Tries four calls and prints the result of each: data, or the error that an app must handle. Run it
// and answer differently each time; `nervous permissions reset denied-demo` asks again.

const memory = nervous.sensor("memory");

const attempts = {
  "latest()": () => memory.latest(),
  "stats()": () => memory.stats({ last: "1m", fields: "usedPercent", fn: "mean" }),
  // Not declared in package.json, so it is refused regardless of the answer to the prompt.
  "an undeclared sensor": () => nervous.sensor("cpu").latest(),
  "another server": () => fetch("http://example.org/"),
};

async function main() {
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      const result = await attempt();
      console.log(`${name}: allowed`, Object.keys(result).length, "members");
    } catch (error) {
      console.log(`${name}: ${error.name}: ${error.message}`);
      if (error.privilege) console.log(`  privilege: ${error.privilege}`);
      if (error.fix) console.log(`  to change it: ${error.fix}`);
    }
  }
}

main();
