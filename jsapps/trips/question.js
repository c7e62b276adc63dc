// A question within the page, such as whether to delete something: two buttons, the one that changes nothing first.

import { el, fill } from "./elements.js";

let refuseOpen = null;

/** Answers the open question with no; whether there was one. */
export function dismiss() {
  const isOpen = refuseOpen !== null;
  refuseOpen?.();
  return isOpen;
}

/** Asks; resolves to whether the answer was yes. Escape says no, and the focus returns to where it was. */
export function ask(place, { text, yes, no }) {
  dismiss();
  const before = document.activeElement;
  return new Promise((resolve) => {
    const answer = (value) => {
      refuseOpen = null;
      fill(place);
      before?.focus?.();
      resolve(value);
    };
    const refuse = () => answer(false);
    refuseOpen = refuse;
    const first = el("button", { type: "button", "data-answer": "no", onclick: refuse }, no);
    fill(place, el("div", {
      class: "question", role: "group", "aria-label": text,
      onkeydown: (event) => { if (event.key === "Escape") refuse(); },
    }, el("p", {}, text), el("div", { class: "row" }, first,
      el("button", { type: "button", "data-answer": "yes", onclick: () => answer(true) }, yes))));
    first.focus();
  });
}
