// Times in the zone of the browser, and the zone of a time that is typed in.
const two = (number) => String(number).padStart(2, "0");

function offset(local) {
  const minutes = -new Date(local).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function show() {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const shown = { dateStyle: "medium", timeStyle: "short" };
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, shown);
  }
  for (const zone of document.querySelectorAll("[data-zone]")) {
    zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
}

show();
for (const name of ["renewed", "loaded"]) document.addEventListener(name, show);
// Before the form is sent, by whichever script.
addEventListener("submit", ({ target }) => {
  const { due, zone } = target.elements;
  if (due?.value) zone.value = offset(due.value);
}, { capture: true });
