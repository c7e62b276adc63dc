/// <reference path="nervous.d.ts" />
"use strict";

// The script of the page: the same sensor as in app.js, as a meter.

function show({ usedPercent }) {
  document.getElementById("used").value = usedPercent;
  document.getElementById("text").textContent = `${usedPercent.toFixed(1)} % is in use`;
}

async function main() {
  const memory = nervous.sensor("memory");
  show(await memory.latest());
  for await (const sample of memory.stream()) show(sample);
}

main().catch((error) => {
  document.getElementById("text").textContent = [error.message, error.fix].join(" ");
});
