// Files that are chosen or dropped one after the other are sent together, and a drop beside a field is no visit to a file.
for (const input of document.querySelectorAll("input[type=file]")) {
  let chosen = [];
  const list = Object.assign(document.createElement("ul"), { className: "chosen" });
  input.after(list);
  input.addEventListener("change", () => {
    const given = [...input.files];
    if (!input.multiple) return;
    chosen = [...chosen.filter((one) => !given.some((other) => other.name === one.name)), ...given];
    const all = new DataTransfer();
    chosen.forEach((file) => all.items.add(file));
    input.files = all.files;
    list.replaceChildren(...chosen.map((file) => Object.assign(document.createElement("li"), { textContent: file.name, dir: "auto" })));
  });
}
for (const name of ["dragover", "drop"]) {
  addEventListener(name, (event) => event.target.closest?.("input[type=file]") || event.preventDefault());
}
