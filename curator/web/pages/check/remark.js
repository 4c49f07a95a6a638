// A field for one's own words about one thing of a page, such as an item of a round: a
// draft of that thing until it is saved. Those about other things stand beneath it, each
// with the way there. Words are saved by themselves ("saves" names the event), or go with
// a decision. Part of another component, it has its queue.
const ATTENDS = 4000 // ms between two looks for texts that no other tab shows any more

class RemarkBox {
  constructor(root, { label, placeholder, button }, queue = new Edits(root)) {
    this.field = el(button ? "textarea" : "input", "", null, { rows: 2, "aria-label": label, placeholder, oninput: () => this.keep() })
    this.button = button && el("button", "p-button", button, { type: "submit" })
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    const pressed = (event) => {
      if (event.key === "Escape") this.field.blur()
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(event)
    }
    this.form = el("form", "o-form c-remark", null, { onsubmit: (event) => this.submit(event), onkeydown: pressed }, this.field, this.line, this.button)
    this.left = el("div")
    root.replaceChildren(this.form, this.left)
    Object.assign(this, { root, queue })
    this.attending = setInterval(() => this.show(), ATTENDS)
  }

  leave() {
    clearInterval(this.attending)
    drafts.attend(null)
    this.queue.leave()
  }

  receive(data, trigger) {
    this.receiveFrom(data, this.queue.receive(data, trigger))
  }

  // Other data, and what the queue has heard.
  receiveFrom(data, heard) {
    const moved = data.on !== this.data?.on || data.workspace !== this.data.workspace
    this.data = data
    for (const [sent, answer] of heard) this.answered(sent, answer)
    if (moved) this.take()
    this.show()
  }

  get here() {
    return { workspace: this.data.workspace, page: this.data.page, query: "" }
  }

  texts() {
    const busy = [this.draft?.id, ...this.queue.pending.map(({ draft }) => draft)]
    return drafts.shown(this.data.workspace).filter((one) => one.page === this.data.page && !busy.includes(one.id))
  }

  // What is written of the thing that is shown now.
  take(draft) {
    const { on, title, pick } = this.data
    this.draft = null
    draft ??= this.texts().find((one) => one.on === on)
    this.draft = draft ? { ...draft, tab: TAB } : drafts.begin(this.here, { question: null, on, title, pick, text: "" })
    if (draft) drafts.put(this.draft)
    this.field.value = this.draft.text
    this.say(this.draft.refused?.line)
  }

  show() {
    drafts.attend(this.here)
    this.form.hidden = this.data.on == null
    if (this.button) this.button.disabled = !this.field.value.trim()
    const discard = (one) => {
      drafts.drop(one)
      this.show()
    }
    const goOn = (one) => {
      if (one.on !== this.data.on) return this.goTo(one)
      this.take(one)
      this.show()
    }
    const line = (one) => leftLine(one, one.title, { goOn: () => goOn(one), discard: () => discard(one) })
    const left = this.texts()
    fill(this.left, left, () => left.map(line))
  }

  // To what a text is about; what lists these things itself opens it without asking.
  goTo({ pick }) {
    const [type, ...name] = pick.split(":")
    this.queue.send(type, { name: name.join(":") })
  }

  say(line) {
    tell(this.line, line)
  }

  keep() {
    drafts.write(this.draft, { text: this.field.value, refused: null })
    if (!this.field.value.trim()) drafts.drop(this.draft)
    this.say("")
    this.show()
  }

  answered({ draft }, { ok, line }) {
    if (!ok && !draft) this.say(line)
    if (draft && this.draft?.id === draft) this.take(ok ? undefined : drafts.get(this.draft))
  }

  // What goes with an event that saves the words.
  words() {
    const text = this.field.value.trim()
    return text ? { texts: [text], draft: this.draft.id, page: this.data.page } : {}
  }

  submit(event) {
    event.preventDefault()
    const text = this.field.value.trim()
    if (!this.data.saves) this.field.blur() // keys decide
    else if (text) this.queue.save(this.data.saves, { ...this.data.about, text, ...this.words() })
  }
}
