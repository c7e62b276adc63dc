// The reports that were saved: each can be sent or deleted.

import { byId, el, fill } from "./elements.js";
import { kilometreText } from "./report.js";

/** Shows the entries; `isMine` says whether a report belongs to the present login. */
export function showOutbox(entries, { isMine, send, remove }) {
  fill(byId("outbox-count"), entries.length === 0 ? "none" : `${entries.length} not sent`);
  byId("send-all").hidden = entries.filter(isMine).length < 2;
  fill(byId("outbox"), entries.map((entry) => {
    const { report, failure } = entry, about = `${report.date.slice(0, 10)}, ${kilometreText(report.metres)} km`;
    const reason = isMine(entry) ? failure : "It belongs to another login.";
    return el("li", { "data-uuid": report.uuid },
      el("strong", {}, report.purpose), el("p", {}, about, report.source === "manual" ? ", entered by hand" : null),
      reason ? el("p", { class: "note" }, reason) : null,
      el("div", { class: "row" },
        isMine(entry) ? el("button", { type: "button", "data-action": "send", "aria-label": `Send: ${report.purpose}, ${about}`,
          onclick: () => send(entry) }, "Send") : null,
        el("button", { type: "button", "data-action": "delete", "aria-label": `Delete: ${report.purpose}, ${about}`,
          onclick: () => remove(entry) }, "Delete")));
  }));
}
