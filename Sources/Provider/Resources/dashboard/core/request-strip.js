// The strip that says that an app requests a permission.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

let requestCount = 0, pageTitle = "", requestStrip = null, requestTimer = null;
const requestStatus = h("p", { role: "status" });

/** Sets the title of the page; the number of requests precedes it. */
export function setTitle(title) {
  pageTitle = title;
  document.title = text.shell.title(title, requestCount);
}

function showRequests(items) {
  requestCount = items.length;
  if (pageTitle !== "") setTitle(pageTitle);
  const count = document.querySelector(".rail .count");
  count.hidden = items.length === 0;
  fill(count, unseen(text.shell.requests), items.length);
  clearInterval(requestTimer);
  if (items.length === 0) {
    requestStrip?.remove();
    requestStrip = null;
    return;
  }
  const [first] = items;
  const key = `${first.client} ${first.privilege} ${items.length}`;
  if (requestStrip?.dataset.key !== key) {
    requestStrip?.remove();
    requestStrip = h("section", { class: "question", "aria-label": text.request.label, dataset: { key } },
      icon("question"), requestStatus, h("span", { class: "small waits" }),
      button(text.request.review, () => review(first), { kind: "main" }));
    notices.prepend(requestStrip);
    // The region is in the document before its text changes, so that the change is announced.
    setTimeout(() => fill(requestStatus, h("strong", text.request.asks(first.client, first.privilege)),
      items.length > 1 && ` ${text.request.more(items.length - 1)}`));
  }
  const waits = requestStrip.querySelector(".waits");
  const tick = () => { waits.textContent = text.request.waiting(format.duration(Math.max(1, Math.floor((Date.now() - first.asked) / 1000)) * 1000)); };
  tick();
  requestTimer = setInterval(tick, 1000);
}

/** Opens the dialog that answers a request. */
export async function review(request) {
  const { openRequest } = await import("./requests.js");
  openRequest(request);
}
