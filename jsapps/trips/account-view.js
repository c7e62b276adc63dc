// The provider and the login: choosing a provider, logging in, updating, logging out.

import { byId, el, fill } from "./elements.js";
import { themeOf } from "./provider.js";

const THEME = ["--brand", "--on-brand", "--brand-edge"];

/** Gives the page the colours of a provider, or its own. */
export function showTheme(provider) {
  const { style } = document.documentElement, theme = provider ? themeOf(provider) : {};
  for (const name of THEME) {
    if (theme[name]) style.setProperty(name, theme[name]);
    else style.removeProperty(name);
  }
}

/**
 * Shows what is possible: without a provider a list of them, without a login its form, otherwise the account.
 *
 * @param offered `{ providers, rejected, address }`, or null
 */
export function showAccount({ provider, account, offered }, actions) {
  fill(byId("provider-name"), provider ? [provider.name, account?.name].filter(Boolean).join(", ") : "No provider");
  showTheme(provider);
  const body = byId("account-body");
  if (provider === null) fill(body, chooser(offered, actions));
  else if (account === null) fill(body, loginForm(provider, actions));
  else fill(body, details(provider, account, actions));
}

const button = (id, text, onclick, properties = {}) => el("button", { type: "button", id, onclick, ...properties }, text);

function chooser({ providers, rejected, address }, { choose, load }) {
  const form = el("form", { id: "list-form", class: "stack", onsubmit: (event) => {
    event.preventDefault();
    load(byId("list-address").value);
  } },
  el("label", { for: "list-address" }, "Address of another list of providers"),
  el("input", { id: "list-address", type: "url", autocomplete: "off", value: address }),
  el("button", { id: "load" }, "Load list"));
  return [
    el("p", { class: "note" }, "Choose who gets your reports."),
    el("ul", { class: "list" }, providers.map((provider) => {
      const swatch = el("span", { class: "swatch" });
      swatch.style.setProperty("--swatch", provider.primary);
      return el("li", {},
        el("button", { type: "button", "data-provider": provider.name, onclick: () => choose(provider) }, swatch, provider.name),
        el("p", { class: "note" }, provider.api));
    })),
    rejected.length === 0 ? null : el("div", { id: "rejected" }, el("p", {}, "Not usable:"),
      el("ul", { class: "list" }, rejected.map(({ name, reason }) => el("li", {}, el("strong", {}, `${name}: `), reason)))),
    form,
  ];
}

function loginForm({ name, api }, { login, leave }) {
  return [
    el("p", {}, `Reports go to ${name}.`), el("p", { class: "note" }, api),
    el("form", { id: "login-form", class: "stack", onsubmit: (event) => {
      event.preventDefault();
      login(byId("user").value, byId("password").value);
    } },
    el("label", { for: "user" }, "User name"), el("input", { id: "user", autocomplete: "username" }),
    el("label", { for: "password" }, "Password"), el("input", { id: "password", type: "password", autocomplete: "current-password" }),
    el("div", { class: "row" }, el("button", { id: "login", class: "main" }, "Log in"), button("leave", "Change provider", leave))),
  ];
}

function details({ name, api }, { name: user, placements, rates }, { update, leave }) {
  const figure = (term, value) => el("div", {}, el("dt", {}, term), el("dd", {}, `${value}`));
  return [
    el("p", {}, user ? `${user}, logged in at ${name}.` : `Logged in at ${name}.`), el("p", { class: "note" }, api),
    el("dl", { class: "figures" }, figure("Placements", placements.length), figure("Rates", rates.length)),
    el("div", { class: "row" }, button("update", "Synchronise", update), button("leave", "Log out", leave)),
  ];
}
