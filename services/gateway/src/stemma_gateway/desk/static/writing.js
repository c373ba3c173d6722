// Shows the words of sections while they are written: all of them on the page of a section, the last ones elsewhere.
const TAIL = 120;
const texts = new Map();
// Roughly, in Latin script: how many characters a token has.
const TOKEN = 4;
const begun = new Map();
const speeds = new Map();

function show(place) {
  const text = texts.get(place.dataset.writing) ?? "";
  place.textContent = place.classList.contains("tail") ? text.slice(-TAIL) : text;
}

function all() {
  document.querySelectorAll("[data-writing]").forEach(show);
}

document.getElementById("stream").addEventListener("words", ({ detail }) => {
  const { section_id, at, text } = JSON.parse(detail.data);
  texts.set(section_id, (texts.get(section_id) ?? "").slice(0, at) + text);
  if (at === 0 || !begun.has(section_id)) begun.set(section_id, [Date.now(), at + text.length]);
  const [since, from] = begun.get(section_id);
  const seconds = (Date.now() - since) / 1000;
  if (seconds >= 1) speeds.set(section_id, Math.round((at + text.length - from) / TOKEN / seconds));
  all();
});
document.addEventListener("renewed", all);

function tick() {
  document.querySelectorAll("[data-elapsed]").forEach((place) => {
    const seconds = Math.max(0, (Date.now() - Date.parse(place.dateTime)) / 1000);
    place.textContent = seconds < 100 ? `${Math.floor(seconds)} s` : `${Math.round(seconds / 60)} min`;
  });
  document.querySelectorAll("[data-speed]").forEach((place) => {
    const speed = speeds.get(place.dataset.speed);
    place.textContent = speed ? `≈ ${speed} tokens/s` : "";
  });
}

setInterval(tick, 1000);
document.addEventListener("renewed", tick);
