// Sends what a person decides until it is answered, also over restarts: what is sent twice under one key is done once.
const AWAY = [429, 502, 503, 504];
const AGAIN_MS = 1000;
const TOLD_MS = 3000;
const PATIENCE_MS = 25_000; // longer than a gateway waits; an answer that it went away under may never come
const note = (name, shown) => (document.querySelector(`[data-${name}]`).hidden = !shown);
const stay = (event) => event.preventDefault();
let sending = false;

document.addEventListener("submit", (event) => {
  const form = event.target;
  const action = event.submitter?.hasAttribute("formaction") ? event.submitter.formAction : form.action;
  const method = event.submitter?.formMethod || form.method;
  if (method !== "post" || form.enctype !== "application/x-www-form-urlencoded" || !form.closest("main")) return;
  event.preventDefault();
  if (!sending) send(form, action, new URLSearchParams(new FormData(form, event.submitter)));
});

async function send(form, action, body) {
  sending = true;
  form.dispatchEvent(new Event("sending", { bubbles: true }));
  note("refused", false);
  addEventListener("beforeunload", stay);
  const answer = await answered(action, body);
  removeEventListener("beforeunload", stay);
  note("sending", false);
  sending = false;
  if (answer.status === 204) {
    document.dispatchEvent(new Event("sent"));
    location.assign(answer.headers.get("Location"));
  } else if (answer.status === 401) note("ended", true);
  else tell(await answer.text(), !answer.ok);
}

async function answered(action, body) {
  const headers = { Accept: "text/html", "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") };
  for (;;) {
    const answer = await asked(action, { method: "POST", body, headers });
    if (answer && !AWAY.includes(answer.status)) return answer;
    note("sending", true);
    await new Promise((over) => setTimeout(over, AGAIN_MS));
  }
}

async function asked(action, what) {
  const leaving = new AbortController();
  const told = setTimeout(() => note("sending", true), TOLD_MS);
  const left = setTimeout(() => leaving.abort(), PATIENCE_MS);
  try {
    return await fetch(action, { ...what, signal: leaving.signal });
  } catch {
    return null;
  } finally {
    clearTimeout(told);
    clearTimeout(left);
  }
}

// An answer that refuses nothing is a page, too: of what would follow.
function tell(page, isRefused) {
  const why = new DOMParser().parseFromString(page, "text/html").querySelector("main [role=alert]");
  document.querySelector("[data-refused]").textContent = why?.textContent ?? "";
  note("refused", isRefused);
  document.dispatchEvent(new CustomEvent("refused", { detail: page }));
}
