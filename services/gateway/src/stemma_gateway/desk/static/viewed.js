// Which sections a person has viewed, each in the version that was shown then: another version is not viewed yet.
const ticks = () => [...document.querySelectorAll("[data-viewed]")];
const place = (tick) => `viewed/${tick.dataset.viewed}`;

function show() {
  for (const tick of ticks()) {
    tick.checked = localStorage.getItem(place(tick)) === tick.dataset.version;
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
  if (tick.checked) localStorage.setItem(place(tick), tick.dataset.version);
  else localStorage.removeItem(place(tick));
  count();
}

show();
document.addEventListener("change", ({ target }) => target.matches("[data-viewed]") && keep(target));
document.addEventListener("renewed", show);
addEventListener("storage", show);
