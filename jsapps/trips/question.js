// A question within the page, such as whether to delete something: two buttons, the one that changes nothing first.

import { el, fill } from "./elements.js";

/**
 * Asks; resolves to whether the answer was yes. Escape says no, and the focus returns to where it was.
 *
 * @param place an element for the question; an open question there is answered with no
 */
export function ask(place, { text, yes, no = "Cancel" }) {
  place.dispatchEvent(new Event("cancel"));
  const before = document.activeElement;
  return new Promise((resolve) => {
    const answer = (value) => {
      place.removeEventListener("cancel", refuse);
      fill(place);
      before?.focus?.();
      resolve(value);
    };
    const refuse = () => answer(false);
    place.addEventListener("cancel", refuse);
    const first = el("button", { type: "button", "data-answer": "no", onclick: refuse }, no);
    fill(place, el("div", {
      class: "question", role: "group", "aria-label": text,
      onkeydown: (event) => { if (event.key === "Escape") refuse(); },
    }, el("p", {}, text), el("div", { class: "row" }, first,
      el("button", { type: "button", "data-answer": "yes", onclick: () => answer(true) }, yes))));
    first.focus();
  });
}
