// A judge's own words on a question, in a field beneath its row: a note, with a flag, or
// why it was retired or reworded. What is typed is kept over a reload and another query
// until it is saved.
const ABOUT = {
  note: { label: "Note on the question", most: 500, hint: "Everybody who judges sees it", of: ({ note, flagged }) => ({ text: note, flagged }) },
  reason: { label: "Why, in your own words", most: 200, hint: "Kept in the history", of: ({ why }) => ({ text: why }) },
}

class OwnWords {
  constructor(list) {
    Object.assign(this, { list, now: null })
  }

  // The field as it was when the page was left.
  restore() {
    const before = this.list.stored("words")
    this.now = before?.query === this.list.data.query && this.list.byId.has(before.id) ? before : null
  }

  // `about` is "note" or "reason"; what was typed there before goes on.
  open(row, about) {
    this.list.close()
    this.list.select(row.id)
    const before = this.list.stored("words")
    const same = before?.id === row.id && before.about === about
    this.now = same ? before : { query: this.list.data.query, id: row.id, about, ...ABOUT[about].of(row) }
    this.list.draw()
    this.field?.focus()
  }

  leave() {
    this.now = null
    this.list.store("words", null)
    this.list.draw()
    this.list.goOn()
  }

  save() {
    const { id: question, about, text, flagged } = this.now
    this.leave()
    if (about === "reason") this.list.send("reason", { question, reason: text.trim() })
    else this.list.send("note", { question, texts: [text.trim()], flagged })
  }

  // What was refused is open again.
  refused({ type: about, question: id, texts, reason, flagged }) {
    this.now = { query: this.list.data.query, id, about, text: reason ?? texts[0], flagged }
    this.list.store("words", this.now)
  }

  says = ({ id }) => (this.now?.id === id ? this.now.about : null)

  parts(row) {
    const { now } = this
    if (now?.id !== row.id) return []
    const { label, most, hint } = ABOUT[now.about]
    const changed = (fields) => this.list.store("words", Object.assign(now, fields))
    const pressed = (event) => {
      if (event.key === "Escape") this.leave()
      else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault()
        this.save()
      }
      event.stopPropagation()
    }
    const saved = (event) => {
      event.preventDefault()
      this.save()
    }
    this.field = el("textarea", "", null, { "aria-label": label, rows: now.about === "note" ? 2 : 1, maxlength: most, oninput: ({ target }) => changed({ text: target.value }), onkeydown: pressed })
    this.field.value = now.text
    const flag = el("input", "", null, { type: "checkbox", checked: now.flagged ? "" : null, onchange: ({ target }) => changed({ flagged: target.checked }), onkeydown: pressed })
    return [
      el("form", "q-form", null, { onsubmit: saved }, this.field,
        el("div", "q-actions", null, {},
          el("button", "q-button", "Save", { type: "submit", title: "Save (Enter); without words it is taken away" }),
          el("button", "q-button", "Leave", { type: "button", title: "Leave it as it was (Esc)", onclick: () => this.leave() }),
          now.about === "note" && el("label", "q-flag", null, { title: "So that it is not overlooked" }, flag, " Flag"),
          el("span", "q-hint", `${hint} · Enter saves · Esc leaves`))),
    ]
  }
}

// What is said of a question in somebody's own words, in small: why it was reworded, what
// I noted, then what others did.
function notesOf(row) {
  const flag = row.flagged || row.others_flagged
  const reworded = row.state === "kept" && row.why && `reworded${row.by && ` by ${row.by}`}: ${row.why}`
  const said = [reworded, row.note && `me: ${row.note}`, row.others_note].filter(Boolean).join(" · ")
  if (!flag && !said) return ""
  return el("small", "q-note", null, {}, flag && el("i", "", "⚑", { role: "img", "aria-label": "flagged", title: "Flagged" }), el("span", "", said || "flagged by me"))
}
