// A judge's own words on a question, in a field beneath its row: a note, with a flag. What
// is typed is kept over a reload and another query until it is saved or taken back.
class OwnWords {
  constructor(list) {
    Object.assign(this, { list, now: null })
  }

  // The field as it was when the page was left.
  restore() {
    const before = this.list.stored("words")
    this.now = before?.query === this.list.data.query && this.list.byId.has(before.id) ? before : null
  }

  open(row) {
    this.list.close()
    const before = this.list.stored("words")
    this.now = before?.id === row.id ? before : { id: row.id, text: row.note, flagged: row.flagged }
    this.now.query = this.list.data.query
    this.list.select(row.id)
    this.list.draw()
    this.field?.focus()
  }

  leave() {
    this.forget()
    this.list.rows.get(this.list.selected)?.querySelector(".q-text")?.focus({ preventScroll: true })
  }

  forget() {
    this.now = null
    this.list.store("words", null)
    this.list.draw()
  }

  // What was refused is open again.
  refused({ question, texts: [text], flagged }) {
    this.now = { query: this.list.data.query, id: question, text, flagged }
    this.list.store("words", this.now)
  }

  save() {
    const { id, text, flagged } = this.now
    this.leave()
    this.list.send("note", { question: id, texts: [text.trim()], flagged })
  }

  parts(row) {
    const { now } = this
    if (now?.id !== row.id) return []
    const changed = (fields) => this.list.store("words", Object.assign(now, fields))
    const pressed = (event) => {
      if (event.key === "Escape") this.leave()
      else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault()
        this.save()
      }
      event.stopPropagation()
    }
    this.field = el("textarea", "", null, { "aria-label": "Note on the question", rows: 2, maxlength: 500, oninput: ({ target }) => changed({ text: target.value }), onkeydown: pressed })
    this.field.value = now.text
    const flag = el("input", "", null, { type: "checkbox", checked: now.flagged ? "" : null, onchange: ({ target }) => changed({ flagged: target.checked }), onkeydown: pressed })
    const saved = (event) => {
      event.preventDefault()
      this.save()
    }
    return [
      el("form", "q-form", null, { onsubmit: saved }, this.field,
        el("div", "q-actions", null, {},
          el("button", "q-button", "Save note", { type: "submit", title: "Save (Enter)" }),
          el("button", "q-button", "Leave", { type: "button", title: "Leave it as it was (Esc)", onclick: () => this.leave() }),
          el("label", "q-flag", null, { title: "So that it is not overlooked" }, flag, " Flag"),
          el("span", "q-hint", "Everybody who judges sees it · Enter saves · Esc leaves"))),
    ]
  }
}

// What is noted on a question, in small: mine, then what others say.
function notesOf(row) {
  const flag = row.flagged || row.others_flagged
  const said = [row.note && `me: ${row.note}`, row.others_note].filter(Boolean).join(" · ")
  if (!flag && !said) return ""
  return el("small", "q-note", null, {}, flag && el("i", "", "⚑", { role: "img", "aria-label": "flagged", title: "Flagged" }), el("span", "", said || "flagged by me"))
}
