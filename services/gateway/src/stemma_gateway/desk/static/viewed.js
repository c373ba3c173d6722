// Which sections a person has viewed, each in the version that was shown then: another version is not viewed yet.
const ticks = () => [...document.querySelectorAll("[data-viewed]")];
let sending = Promise.resolve();

function show() {
  for (const tick of ticks()) {
    tick.checked = tick.dataset.seenVersion === tick.dataset.version;
    tick.closest("label").hidden = false;
  }
  count();
}

function count() {
  const told = document.querySelector("[data-viewed-count]");
  if (!told) return;
  const all = ticks();
  const viewed = all.filter((tick) => tick.checked).length;
  told.textContent = told.dataset.viewedCount.replace("%s", viewed).replace("%s", all.length);
  told.hidden = !all.length;
}

function keep(tick) {
  const { viewed, document: address, version } = tick.dataset;
  tick.dataset.seenVersion = tick.checked ? version : 0;
  count();
  const body = new URLSearchParams({ section: viewed, version: tick.dataset.seenVersion });
  sending = sending.then(() => sent(address, body)).then((kept) => kept || undone(viewed));
}

// Also if the page is left at once.
const sent = (address, body) =>
  fetch(address, { method: "POST", body, keepalive: true }).then((answer) => answer.ok, () => false);

function undone(section) {
  const tick = ticks().find((each) => each.dataset.viewed === section);
  if (!tick) return;
  tick.dataset.seenVersion = tick.checked ? 0 : tick.dataset.version;
  show();
}

show();
document.addEventListener("change", ({ target }) => target.matches("[data-viewed]") && keep(target));
document.addEventListener("renewed", show);
