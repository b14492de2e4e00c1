// The pair browser. The address says what is shown: "#task=validity&q=box" a filtered list,
// "#pair-ID&task=validity" one pair of it. Everything follows from the address, so that the back
// button, links and bookmarks work.
"use strict";
(() => {
  const element = (id) => document.getElementById(id);
  const index = JSON.parse(element("index").textContent);
  const rows = [...element("pairs").tBodies[0].rows];
  const place = new Map(index.map((pair, number) => [pair.id, number]));
  const form = element("filters");
  const fields = [...form.elements].filter((field) => field.name);
  const title = document.title;
  let page = null; // lines of HTML, made by the template that escapes, and for each pair which; read when needed
  let matching = []; // numbers of the pairs that the filters let through, in order
  let filtered = null; // the filters that the list shows, as text
  let opened = null; // number of the pair that is or was last open

  const fragmentOf = (id) => "pair-" + encodeURIComponent(id);

  // Whether the address says what to show. Others, like the skip link's, name a place of the page.
  const isOurs = () => location.hash.length < 2 || location.hash.startsWith("#pair-") || location.hash.includes("=");

  // What the address asks for: the id of a pair or null, and the values of filters.
  function asked() {
    const parts = isOurs() ? location.hash.slice(1).split("&") : [""];
    let id = null;
    if (parts[0].startsWith("pair-")) {
      id = parts.shift().slice("pair-".length);
      try { id = decodeURIComponent(id); } catch { /* not a link that we made */ }
    }
    return { id, filters: new URLSearchParams(parts.join("&")) };
  }

  // The address of a pair, or of the list if there is none, with the filters as they are set.
  function address(id) {
    const filters = new URLSearchParams(
      fields.filter((field) => field.value).map((field) => [field.name, field.value]));
    return "#" + [id === null ? "" : fragmentOf(id), filters.toString()].filter(Boolean).join("&");
  }

  // Set the fields to the filters. A family is chosen in a pair's view; only then is it an option.
  function fill(filters) {
    const family = filters.get("family") || "";
    const choice = element("filter-family");
    if (family && ![...choice.options].some((option) => option.value === family)) {
      choice.add(new Option(family, family));
    }
    element("family-field").hidden = !family;
    for (const field of fields) {
      field.value = filters.get(field.name) || "";
      if (field.value === "" && field.tagName === "SELECT") field.selectedIndex = 0;
    }
  }

  // Show the rows that the fields let through, and say how many they are.
  function filter() {
    const text = address(null);
    if (text === filtered) return;
    filtered = text;
    const wanted = fields.filter((field) => field.value && field.name !== "q");
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    matching = [];
    index.forEach((pair, number) => {
      const matches = wanted.every((field) => pair[field.name] === field.value)
        && words.every((word) => pair.text.includes(word));
      if (rows[number].hidden === matches) rows[number].hidden = !matches;
      if (matches) matching.push(number);
    });
    element("count").textContent = matching.length === index.length
      ? `All ${index.length} pairs` : `${matching.length} of ${index.length} pairs`;
  }

  function link(anchor, number) {
    anchor.hidden = number === undefined;
    if (number !== undefined) anchor.href = address(index[number].id);
  }

  // Show the pair with the number, from 0.
  function open(number) {
    page ??= JSON.parse(element("views").textContent);
    element("view").innerHTML = page.views[number].map((line) => page.lines[line]).join("\n");
    for (const anchor of element("view").querySelectorAll("[data-family]")) {
      anchor.href = "#" + new URLSearchParams({ family: index[number].family });
    }
    const position = matching.indexOf(number);
    element("back").href = address(null);
    element("place").textContent = position < 0 ? "" : `${position + 1} of ${matching.length}`;
    link(element("previous"), position < 0 ? undefined : matching[position - 1]);
    link(element("next"), position < 0 ? undefined : matching[position + 1]);
    opened = number;
  }

  // What scrolls sideways has to be reached by keyboard; what does not would only be in the way.
  function markScrolling() {
    for (const region of element("view").querySelectorAll(".wide")) {
      if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
  }

  function show() {
    const { id, filters } = asked();
    fill(filters);
    filter();
    const number = id === null ? undefined : place.get(id);
    const inPair = number !== undefined;
    const wasInPair = !element("pair").hidden;
    element("list").hidden = inPair;
    if (inPair && document.readyState === "loading") return; // the views are not there yet
    if (inPair) open(number);
    element("pair").hidden = !inPair;
    markScrolling();
    if (inPair) {
      document.title = `${element("opened-title").textContent} – ${title}`;
      scrollTo(0, 0);
      element("opened-title").focus({ preventScroll: true });
    } else {
      document.title = title;
      if (id !== null) {
        element("count").prepend(`There is no pair ${id} here. `);
        filtered = null; // so that the next list says its count anew
      }
      const row = wasInPair && rows[opened];
      if (row && !row.hidden) {
        row.scrollIntoView({ block: "center" });
        row.querySelector("a").focus({ preventScroll: true });
      } else if (wasInPair) {
        scrollTo(0, 0);
      }
    }
  }

  form.addEventListener("input", () => {
    filter();
    history.replaceState(null, "", address(null)); // no history entry for every letter typed
  });
  form.addEventListener("reset", () => setTimeout(() => form.dispatchEvent(new Event("input"))));
  form.addEventListener("submit", (event) => event.preventDefault());
  // A click on a row's link keeps the filters; the link itself names the pair only.
  element("pairs").addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    location.hash = address(index[rows.indexOf(row)].id);
  });
  addEventListener("keydown", (event) => {
    if (element("pair").hidden || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.key !== "Escape" && event.target.closest("[role=region]")) return; // there the arrows scroll
    const anchor = element({ ArrowLeft: "previous", ArrowRight: "next", Escape: "back" }[event.key]);
    if (anchor && !anchor.hidden) anchor.click();
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address stays, it says what is shown
    element(element("pair").hidden ? "main" : "opened-title").focus();
  });
  addEventListener("resize", markScrolling);
  addEventListener("hashchange", () => isOurs() && show());
  addEventListener("DOMContentLoaded", () => asked().id !== null && show());
  form.hidden = false;
  show();
})();
