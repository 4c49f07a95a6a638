// The Passages tab's own controls: a question written from the passage selected, and
// filters, which are plain HTML (data-filter). What is being written is a draft of its
// query until it is saved (drafts.js), so no click, page or reload loses it.
const ATTENDS = 4000 // ms between two looks for texts that no other tab shows any more
const writers = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!writers.has(parentElement)) writers.set(parentElement, new Writer(parentElement))
  const writer = writers.get(parentElement)
  writer.receive(data, setTriggerValue)
  return () => {
    writer.leave()
    writers.delete(parentElement)
  }
}

function action(label, key, onclick) {
  const made = el("button", "p-button", label, { type: "button", onclick })
  if (!key) return made
  made.dataset.key = key
  made.title = `${label} (${key})`
  made.append(el("kbd", "", key))
  return made
}

class Writer {
  constructor(root) {
    this.root = root
    this.stop = new AbortController()
    const { signal } = this.stop
    document.addEventListener("click", (event) => this.clicked(event), { signal })
    document.addEventListener("change", (event) => this.chosen(event), { signal })
    document.addEventListener("keydown", (event) => this.found(event), { signal, capture: true })
    document.addEventListener("selectionchange", () => this.remember(), { signal })
    document.addEventListener("pointerdown", (event) => this.forget(event), { signal })
    // Built once and only shown or hidden: the field keeps its text, caret and focus.
    this.bar = el("div", "p-bar")
    this.bar.append(
      action("Add a question", "a", () => this.open(true)),
      action("Propose from it", "p", () => this.queue.send("propose", { query: this.data.query, passage: this.passage() })),
      action("Open beside the questions", "o", () => this.queue.send("open", { passage: this.passage() })),
      (this.ideal = idealControl(() => this.mark())),
      action("Undo", "u", () => this.queue.save("undo", { query: this.data.query, stay: true })),
    )
    this.queue = new Edits(root)
    this.attending = setInterval(() => this.attend(), ATTENDS)
    this.bar.lastChild.title = "Take back my latest edit in this query (u)"
    this.bar.children[1].title = "Have the model ask what this passage answers and the bank does not (p)"
    this.form = el("form", "p-form", "", { onsubmit: (event) => this.submit(event) })
    this.field = el("input", "", "", {
      type: "text",
      oninput: () => this.keep(),
      onkeydown: (event) => this.pressed(event),
    })
    this.subtopic = el("select", "", "", { "aria-label": "Subtopic", onchange: () => this.keep() })
    this.save = el("button", "p-button", "Add", { type: "submit" })
    const cancel = action("Cancel", "", () => this.open(false))
    cancel.title = "Esc; what is written is kept"
    this.form.append(this.field, this.subtopic, this.save, cancel)
    this.left = el("div") // texts that are not in the form
    this.said = el("p", "p-said", "", { role: "status" })
    root.replaceChildren(this.bar, this.form, this.left, this.said)
  }

  leave() {
    this.stop.abort()
    clearInterval(this.attending)
    drafts.attend(null)
    this.queue.leave()
  }

  receive(data, trigger) {
    const opened = data.query !== this.data?.query || data.workspace !== this.data.workspace
    this.data = data
    const heard = this.queue.receive(data, trigger)
    if (opened) this.read()
    for (const [event, answer] of heard) this.answered(event, answer)
    this.attend()
    if (data.said !== this.lastSaid) this.told = null // of a question, and later
    this.lastSaid = data.said
    const focused = this.form.contains(document.activeElement)
    this.name(data.noun)
    const visible = Boolean(data.passage)
    this.bar.hidden = !visible || this.writing
    for (const one of this.bar.children)
      if (one.dataset.key !== "o") Object.assign(one, { disabled: Boolean(barred) }, barred && { title: barred })
    this.form.hidden = !this.writing
    if (focused && this.form.hidden) this.bar.firstChild.focus({ preventScroll: true })
    this.marked()
    const said = this.refused || this.told?.line || data.said
    const ok = !this.refused
    tell(this.said, said)
    this.said.classList.toggle("c-error", !ok)
    this.said.setAttribute("role", ok ? "status" : "alert")
    this.said.hidden = !visible || !said
    this.field.readOnly = this.save.disabled = this.adding()
    if (this.shown !== data.sight) onceDrawn(() => this.drawn(), this.stop.signal)
    this.shown = data.sight
  }

  // The one marked: the list is drawn a moment before its data comes here.
  passage() {
    return passageId(document.querySelector(".p-passage[aria-current]")) ?? this.data.passage
  }

  // Marks: what the page shows says what a press does, so each edit says it whole.

  // A click in a passage makes it the current one, which is drawn anew without what was
  // selected in it: so the words are remembered until they are marked or let go.
  remember() {
    this.words = chosenWords() ?? this.words
  }

  forget({ target }) {
    if (!this.ideal.contains(target)) this.words = null
  }

  showWords() {
    const passage = this.words && getSelection().isCollapsed && passageOf(this.words.passage)
    if (passage && !this.form.contains(document.activeElement)) chooseAgain(passage, this.words)
  }

  mark() {
    this.remember()
    const passage = passageOf(this.words?.passage ?? this.passage())
    if (!passage) return
    const wish = idealWish(passage, this.words)
    this.words = null
    this.refused = ""
    this.queue.save("ideal", { query: this.data.query, passage: passageId(passage), ...wish })
    this.ideal.setAttribute("aria-pressed", String(wish.left > 0))
  }

  judge(control) {
    this.refused = ""
    const wish = verdictWish(control, this.queue.pending)
    this.queue.save("verdict", { query: this.data.query, passage: passageId(control.closest(".p-passage")), ...wish })
  }

  marked() {
    showPending(this.queue.pending)
    if (!this.queue.pending.length) this.ideal.setAttribute("aria-pressed", String(this.data.ideal))
    if (this.beside !== this.data.passage) {
      this.refused = ""
      if (this.told?.passage !== this.data.passage) this.told = null
      if (this.words?.passage !== this.data.passage) this.words = null
    }
    this.beside = this.data.passage
    if (this.words) onceDrawn(() => this.showWords(), this.stop.signal)
  }

  // A nugget grader's board rests on nuggets, so that is what is written under it.
  name(noun) {
    const asked = `A ${noun} this passage ${noun === "nugget" ? "holds" : "answers"}`
    this.field.placeholder = asked
    this.field.setAttribute("aria-label", asked)
    const adds = this.bar.firstChild
    adds.firstChild.textContent = `Add a ${noun}`
    adds.title = `Add a ${noun} (a)`
  }

  drawn() {
    if (innerWidth > 860) // in one column, nothing scrolls by itself
      document.querySelector(".p-passage[aria-current]")?.scrollIntoView({ block: "nearest" })
    // A redrawn filter is a new element: give it the focus back.
    const pressed = this.focused && `[data-filter="${CSS.escape(this.focused)}"]`
    if (pressed && document.activeElement === document.body)
      document.querySelector(pressed)?.focus({ preventScroll: true })
    this.focused = null
  }

  // What is written: one text in the form, others beneath it.

  get here() {
    return { workspace: this.data.workspace, page: "passages", query: this.data.query }
  }

  attend() {
    if (!this.data) return
    drafts.attend(this.here)
    this.showLeft()
  }

  texts() {
    const { page, query } = this.here
    const open = this.writing && this.draft.id
    return drafts.shown(this.data.workspace).filter((one) => one.page === page && one.query === query && one.id !== open)
  }

  showLeft() {
    const left = this.texts()
    const says = JSON.stringify(left)
    if (this.left.says === says) return
    this.left.says = says
    const discard = (one) => {
      drafts.drop(one)
      this.showLeft()
    }
    const line = (one) => leftLine(one, "draft", { goOn: () => this.open(true, one), discard: () => discard(one) })
    this.left.replaceChildren(...left.map(line))
  }

  read() {
    this.writing = false
    this.subtopic.replaceChildren(
      el("option", "", "no subtopic", { value: "" }),
      ...this.data.subtopics.map(([value, text]) => el("option", "", text, { value })),
    )
    this.subtopic.hidden = !this.data.subtopics.length
    const old = `curator/${this.data.workspace}/passages/${this.data.query}` // as it was kept once
    const { text, subtopic, writing } = kept.get("localStorage", old) ?? {}
    if (text) drafts.put(drafts.begin(this.here, { question: null, text, subtopic, writing }))
    kept.set("localStorage", old, null)
    const before = this.texts()
    this.writing = before.some(({ writing }) => writing)
    this.take(before.find(({ writing }) => writing))
  }

  take(draft) {
    this.draft = { ...(draft ?? drafts.begin(this.here, { question: null, text: "" })), tab: TAB }
    this.field.value = this.stored = this.draft.text
    this.subtopic.value = this.draft.subtopic ?? ""
    if (this.subtopic.selectedIndex < 0) this.subtopic.value = ""
  }

  keep() {
    const there = drafts.get(this.draft)
    if (there && there.text !== this.stored) this.draft.id = nonce() // another tab goes on with that one
    this.stored = this.field.value
    Object.assign(this.draft, { text: this.stored, subtopic: this.subtopic.value, writing: this.writing, refused: null })
    drafts[this.stored ? "put" : "drop"](this.draft)
  }

  open(writing, draft) {
    if (this.writing) {
      this.writing = false
      this.keep()
    }
    if (writing) {
      this.take(draft ?? this.texts()[0])
      this.writing = true
      this.keep()
    }
    this.showLeft()
    this.bar.hidden = writing || !this.data.passage
    this.form.hidden = !writing
    if (writing) this.said.hidden = true
    const control = writing ? this.field : this.bar.firstChild
    control.focus({ preventScroll: true })
    control.scrollIntoView({ block: "nearest" })
  }

  pressed(event) {
    if (event.key === "Escape") this.open(false)
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.form.requestSubmit()
  }

  submit(event) {
    event.preventDefault()
    const text = this.field.value.trim()
    if (!text || this.adding()) return
    this.field.readOnly = this.save.disabled = true
    const { query } = this.data
    this.keep()
    this.queue.save("add", { query, passage: this.passage(), texts: [text], item_kind: this.data.noun, subtopic: this.subtopic.value || null, draft: this.draft.id })
  }

  adding = () => this.queue.pending.some(({ type, draft }) => type === "add" && draft === this.draft.id)

  // What was sent is saved, or was refused; by then the form may hold another text.
  answered(event, { ok, line }) {
    if (["filter", "open", "propose"].includes(event.type)) return
    if (event.type === "verdict") verdictAnswered(event, ok)
    this.refused = ok ? "" : line
    const said = { verdict: verdictSaid, ideal: idealSaid, undo: () => line }[event.type] // of other pages nothing
    this.told = ok && said && { passage: event.passage ?? this.data.passage, line: said(event) }
    if (!ok || event.type !== "add" || this.draft.id !== event.draft) return
    this.writing = false
    this.take()
  }

  clicked(event) {
    const row = event.target.closest("[data-pick]")
    if (row && this.words && row.dataset.pick !== `passage:${this.words.passage}`) {
      this.words = null // a key goes on to another passage
      getSelection().removeAllRanges()
    }
    const verdict = event.target.closest("button[data-verdict]")
    if (verdict) return this.judge(verdict)
    const control = event.target.closest("button[data-filter]")
    if (!control) return
    this.focused = control.dataset.filter
    this.queue.send("filter", { name: control.dataset.filter })
  }

  // Enter goes to what was found, Esc back to all.
  found({ key, target }) {
    if (!["Enter", "Escape"].includes(key) || !target.matches?.(".p-find")) return
    if (key === "Escape") {
      target.value = ""
      if (target.defaultValue) this.queue.send("filter", { name: "words:" })
    }
    target.blur()
  }

  chosen({ target }) {
    if (!target.matches("select[data-filter], input[data-filter]")) return
    if (!target.matches("select")) target.blur() // lists keep it while keys choose (listener.js)
    this.queue.send("filter", { name: `${target.dataset.filter}:${target.value}` })
  }
}
