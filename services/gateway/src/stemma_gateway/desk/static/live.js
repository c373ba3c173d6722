// Tells when something changed behind the page, and what a person has not seen yet of a section.
const { follow, seen, version } = document.body.dataset;

if (follow) {
  const events = new EventSource(follow);
  events.onmessage = () => {
    document.querySelector("[data-changed]").hidden = false;
  };
  addEventListener("pagehide", () => events.close());
}

if (seen && Number(version)) {
  const last = Number(localStorage.getItem(seen) ?? 0);
  const link = document.querySelector("[data-since]");
  if (last && last < Number(version)) {
    link.href = `${link.getAttribute("href")}?old=${last}`;
    link.hidden = false;
  }
  localStorage.setItem(seen, version);
}
