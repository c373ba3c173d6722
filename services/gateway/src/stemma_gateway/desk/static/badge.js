// How much waits, in the head and the title of each page: one page of this browser follows it and tells the others.
const badge = document.querySelector("[data-badge]");
const title = () => document.title.replace(/^\(\d+\) /u, "");
const others = new BroadcastChannel(`waiting ${badge.dataset.badge}`);

function show(waiting) {
  badge.textContent = waiting;
  badge.hidden = waiting === "0";
  entitle();
}

function entitle() {
  document.title = badge.hidden ? title() : `(${badge.textContent}) ${title()}`;
}

function follow() {
  const events = new EventSource(badge.dataset.badge);
  events.addEventListener("waiting", ({ data }) => {
    show(data);
    others.postMessage(data);
  });
  addEventListener("pagehide", () => events.close());
  return new Promise(() => {});
}

entitle();
others.onmessage = ({ data }) => show(data);
document.addEventListener("renewed", entitle);
// Where nothing is encrypted, no page can lead: the number is the one that the page was made with.
navigator.locks?.request(others.name, follow);
