// Starts the page, after all other parts of the module.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

async function start() {
  setTheme(localStorage.getItem(THEME_KEY));
  for (const link of document.querySelectorAll(".rail [data-place]")) {
    link.querySelector("span").textContent = text.shell.places[link.dataset.place];
  }
  const isUsed = await redeem();
  token = localStorage.getItem(SESSION_KEY);
  if (token === null) return locked(isUsed ? text.shell.linkUsed : undefined);
  document.querySelector(".rail nav").hidden = false;
  live.on("state", showConnection);
  live.on("sensors", showHost);
  live.on("requests", ({ items }) => showRequests(items));
  // Another tab was locked or unlocked.
  addEventListener("storage", (event) => {
    if (event.key === SESSION_KEY && event.newValue !== token) location.reload();
    if (event.key === THEME_KEY) setTheme(event.newValue);
  });
  // After the page has said which sensors it follows, so that one stream is enough.
  setTimeout(() => live.start());
  await show({ isFirst: true });
}

start();
