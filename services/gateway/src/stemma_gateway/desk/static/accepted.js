// A draft is forgotten once what was sent of it is accepted; one that was changed since stays.
const { accepted, draft } = document.body.dataset;
const key = `draft ${draft}`;
if (JSON.parse(localStorage.getItem(key) ?? "{}").sent === accepted) localStorage.removeItem(key);
