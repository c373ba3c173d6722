// Shows the words of sections while they are written: all of them on the page of a section, the last ones elsewhere.
const TAIL = 120;
const texts = new Map();

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
  all();
});
document.addEventListener("renewed", all);
