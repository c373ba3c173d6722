// Shows how reading goes on: with each event of the document the parts of the page that tell of it are fetched anew.
const events = new EventSource(document.body.dataset.live);
let waits;
// What came before the stream was open is on no stream.
events.onopen = events.onmessage = () => {
  clearTimeout(waits);
  waits = setTimeout(refresh, 150);
};
addEventListener("pagehide", () => events.close());

async function refresh() {
  const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-part]")) {
    const now = page.querySelector(`[data-part="${part.dataset.part}"]`);
    if (now && now.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) part.replaceChildren(...now.childNodes);
  }
}
