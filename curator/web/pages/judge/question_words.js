// A judge's own words on a question, in a field beneath its row: a note, with a flag, or
// why it was retired or reworded. They are drafts until they are saved.
const ABOUT = {
  note: { name: "note", label: "Note on the question", hint: "Everybody who judges sees it", of: ({ note, flagged }) => ({ text: note, flagged }) },
  reason: { name: "reason", label: "Why, in your own words", hint: "Kept in the history", of: ({ why }) => ({ text: why }) },
  dismiss: { name: "why a step is left alone" }, // what_next.js
}

class OwnWords {
  constructor(list) {
    Object.assign(this, { list, now: null })
  }

  // The field as it was when the page was left.
  restore() {
    const { workspace, query } = this.list.data
    const before = this.list.stored("words")
    const draft = before?.query === query && drafts.get({ workspace, id: before.draft ?? "" })
    this.now = draft && this.list.byId.has(draft.question) ? { ...draft, tab: TAB } : null
  }

  // `about` is "note" or "reason"; what was typed there before goes on.
  open(row, about, draft) {
    this.list.close()
    this.list.select(row.id)
    const isIt = (one) => one?.question === row.id && one.about === about
    if (!isIt(this.now) || (draft && draft.id !== this.now.id)) {
      this.close()
      draft ??= this.list.left.find(isIt)
      this.now = draft ? { ...draft, refused: null, tab: TAB } : drafts.begin(this.list.here, { question: row.id, about, ...ABOUT[about].of(row) })
      if (draft) drafts.put(this.now)
      this.list.store("words", { query: this.list.data.query, draft: this.now.id })
      this.list.draw()
    }
    this.field?.focus()
  }

  // What says nothing that is not saved is no draft.
  close() {
    const { now } = this
    if (!now) return
    this.now = null
    this.list.store("words", null)
    if (!now.text.trim() || this.isSaved(now.about, now.text, now.flagged, this.list.byId.get(now.question))) drafts.drop(now)
  }

  leave() {
    this.close()
    this.list.draw()
    this.list.goOn()
  }

  isSaved(about, text, flagged, row) {
    const saved = row && ABOUT[about].of?.(row)
    return saved?.text === text.trim() && Boolean(saved.flagged) === Boolean(flagged)
  }

  save() {
    const { id: draft, question, about, flagged } = this.now
    const text = this.now.text.trim()
    drafts.put(this.now)
    this.now = null
    this.list.store("words", null)
    const words = about === "note" ? { flagged } : { reason: text }
    this.list.send(about, { question, about, texts: [text], ...words, draft })
    this.list.goOn()
  }

  says = ({ id }) => (this.now?.question === id ? [this.now.about, this.now.at] : null)

  parts(row) {
    const { now } = this
    if (now?.question !== row.id) return []
    const { label, hint } = ABOUT[now.about]
    const changed = (fields) => drafts.write(now, fields)
    const pressed = (event) => {
      event.stopPropagation()
      if (event.key === "Escape") this.leave()
      else if (event.key === "Enter" && !event.shiftKey) saved(event)
    }
    const saved = (event) => {
      event.preventDefault()
      this.save()
    }
    this.field = el("textarea", "", null, { "aria-label": label, rows: now.about === "note" ? 2 : 1, oninput: ({ target }) => changed({ text: target.value }), onkeydown: pressed })
    this.field.value = now.text
    const flag = el("input", "", null, { type: "checkbox", checked: now.flagged ? "" : null, onchange: ({ target }) => changed({ flagged: target.checked }), onkeydown: pressed })
    return [
      el("form", "q-form", null, { onsubmit: saved }, this.field,
        el("div", "q-actions", null, {},
          el("button", "q-button", "Save", { type: "submit", title: "Save (Enter); without words it is taken away" }),
          el("button", "q-button", "Leave", { type: "button", title: "Leave, the draft is kept (Esc)", onclick: () => this.leave() }),
          now.about === "note" && el("label", "q-flag", null, { title: "So that it is not overlooked" }, flag, " Flag"),
          el("span", "q-hint", `${hint} · Enter saves · Esc leaves, draft kept`))),
    ]
  }
}

// What is said of a question in somebody's own words, in small: why it was reworded, what
// I noted, then what others did.
function notesOf(row) {
  const flag = row.flagged || row.others_flagged
  const reworded = row.state === "kept" && row.why && `${VERBS.reword.past}${row.by && ` by ${isolated(row.by)}`}: ${isolated(row.why)}`
  const said = [reworded, row.note && `me: ${isolated(row.note)}`, row.others_note].filter(Boolean).join(" · ")
  if (!flag && !said) return ""
  return el("small", "q-note", null, {}, flag && el("i", "", "⚑", { role: "img", "aria-label": "flagged", title: "Flagged" }), el("span", "", said || "flagged by me"))
}
