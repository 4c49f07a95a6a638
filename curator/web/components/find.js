// Finds what a few letters name: pages, queries, systems, the questions and the actions in
// sight. Ctrl or Cmd with K opens it; arrows choose, Enter goes there.
const MOST_FOUND = 12

class Finder {
  constructor(send) {
    this.send = send
    this.field = el("input", "", null, { type: "search", placeholder: "Find a page, query, question, system or action", "aria-label": "Find" })
    this.list = el("div", "f-list", null, { role: "listbox", "aria-label": "Found" })
    this.dialog = el("dialog", "c-find", null, { "aria-label": "Find", onclick: ({ target }) => target === this.dialog && this.dialog.close() }, this.field, this.list)
    this.field.addEventListener("input", () => this.draw())
    this.dialog.addEventListener("keydown", (event) => this.pressed(event))
  }

  // Everything that can be gone to: a kind, a name, and what the choice does.
  get places() {
    const { pages, queries, systems } = this.data
    const pick = (type, kind) => ([id, name]) => ({ kind, name, go: () => this.send(type, { name: id }) })
    const shown = [...document.querySelectorAll(".c-query")].map((row) => [row.dataset.pick.slice(6), row.querySelector(".c-name").textContent])
    const questions = [...document.querySelectorAll(".c-question .q-text")].map((text) => ({ kind: "question", name: text.textContent, go: () => text.click() }))
    const actions = [...document.querySelectorAll("button[data-key]:not([data-key='']):not(:disabled)")]
      .filter((control) => control.getClientRects().length)
      .map((control) => ({ kind: "action", name: control.title || control.textContent, go: () => control.click() }))
    return [
      ...pages.map(pick("goto", "page")),
      ...(shown.length ? shown : queries).map(pick("judge", "query")),
      ...questions,
      ...systems.map((name) => [name, name]).map(pick("system", "system")),
      ...actions,
    ]
  }

  open(data) {
    this.data = data
    if (!this.dialog.isConnected) document.querySelector(".stApp").append(this.dialog)
    this.field.value = ""
    if (!this.dialog.open) this.dialog.showModal()
    this.draw()
    this.field.focus()
  }

  draw() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean)
    const matches = ({ kind, name }) => words.every((word) => `${kind} ${name}`.toLowerCase().includes(word))
    this.found = this.places.filter(matches).slice(0, MOST_FOUND)
    this.choose(0)
  }

  choose(at) {
    this.at = Math.max(0, Math.min(at, this.found.length - 1))
    const row = ({ kind, name }, place) =>
      el("button", "", null, { type: "button", role: "option", tabindex: -1, "aria-selected": String(place === this.at), onclick: () => this.go(place) }, el("small", "", kind), el("span", "", name, { dir: "auto" }))
    this.list.replaceChildren(...this.found.map(row), ...(this.found.length ? [] : [el("p", "", "Nothing has this name.")]))
  }

  go(place) {
    this.dialog.close()
    this.found[place]?.go()
  }

  pressed(event) {
    event.stopPropagation()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) this.choose(this.at + step)
    else if (event.key === "Enter" && !isComposed(event)) this.go(this.at)
    else if (event.key === "Escape" && !isComposed(event)) this.dialog.close()
    else return
    event.preventDefault()
  }
}
