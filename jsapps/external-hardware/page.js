"use strict";

// Shows on the page what the app writes to its console, so that app.js is the same here and headless.
(() => {
  const output = document.getElementById("console");
  const show = (level, parts) => {
    const line = document.createElement("div");
    line.className = level;
    line.textContent = parts.map(String).join(" ") || " ";
    output.append(line);
    while (output.childElementCount > 200) output.firstElementChild.remove();
  };
  for (const level of ["log", "info", "warn", "error"]) {
    const original = console[level].bind(console);
    console[level] = (...parts) => {
      original(...parts);
      show(level, parts);
    };
  }
  addEventListener("unhandledrejection", (event) => show("error", [`${event.reason}`]));
})();
