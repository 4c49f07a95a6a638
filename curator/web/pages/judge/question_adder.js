// Beneath the questions: the field for new ones, which is always open, and a model that
// proposes some.
const PAUSE = 300 // ms without a key
const SHORTEST = 6 // letters worth asking about

class Adding {
  constructor(list) {
    this.list = list
    this.lines = el("div", "q-lines")
    this.place = el("div", "q-field")
    this.asks = el("div", "q-asks")
    this.root = el("div", "q-new", null, {}, this.lines, this.place, this.asks)
  }

  // Another query, or the page anew: a text that was left here goes on in the field.
  open() {
    this.begin(this.list.left.find(({ question, about, refused }) => !question && !about && !refused))
  }

  get isActive() {
    return this.place.contains(document.activeElement)
  }

  // Goes to the field, with this draft or a text of this kind. Of words selected in the
  // passage a nugget is made, or the answer key of a question.
  write(kind = this.list.data.kind, draft) {
    if (barred) return
    const { list } = this
    list.close()
    list.own.close()
    const isKind = (one) => (one.kind ?? list.data.kind) === kind
    draft ??= isKind(this.draft) ? this.draft : list.left.find((one) => !one.question && !one.about && isKind(one))
    const chosen = selectedWords()
    if (chosen && !draft?.text.trim()) {
      const words = chosen.words.trim().split(/\s+/).join(" ")
      draft = { ...this.fresh(kind), ...(kind === "nugget" ? { text: words } : { key: words }), passage: list.reader.root.dataset.passage }
      drafts.put(draft)
    }
    if (draft !== this.draft) this.begin(draft ?? this.fresh(kind))
    this.field.focus()
    list.draw()
  }

  fresh = (kind) => drafts.begin(this.list.here, { question: null, text: "", kind: kind ?? this.list.data.kind })

  // Puts a draft into the field; one that is there already stays a draft of the query.
  begin(draft) {
    const { list } = this
    this.drop()
    this.draft = { ...(draft ?? this.fresh()), refused: null, tab: TAB }
    if (draft) drafts.put(this.draft)
    const kind = this.draft.kind ?? list.data.kind
    this.field = writingField({ draft: this.draft, label: `New ${kind}, or a list with one on each line`, saved: (texts) => this.save(kind, texts), left: () => this.leave(), key: "" })
    this.field.placeholder = `Write a new ${kind}`
    const { form } = this.field
    const actions = form.querySelector(".q-actions")
    const wanted = this.draft.subtopic ?? list.byId.get(list.selected)?.subtopic ?? ""
    this.subtopicOf = this.subtopicChoice(wanted, "no subtopic", (id) => drafts.write(this.draft, { subtopic: id }))
    if (this.subtopicOf) actions.prepend(this.subtopicOf)
    this.reach = el("p", "q-reach", "", { role: "status", dir: "auto" })
    actions.before(this.reach)
    const submit = form.querySelector("[type=submit]")
    const written = () => {
      const lines = this.draft.text.split("\n").filter((line) => line.trim()).length
      submit.textContent = lines > 1 ? `Add ${lines} ${kind}s` : "Add"
      this.place.toggleAttribute("data-text", Boolean(this.draft.text || this.draft.key))
      this.askReach()
    }
    form.addEventListener("written", written)
    const focused = () => {
      list.store("editing", { query: list.data.query, id: "new" })
      const { text, subtopic } = this.draft
      if (this.subtopicOf && !text && subtopic == null) this.subtopicOf.value = list.byId.get(list.selected)?.subtopic ?? ""
    }
    this.field.addEventListener("focus", focused)
    this.field.addEventListener("blur", () => document.hasFocus() && this.list.store("editing", null))
    this.field.disabled = Boolean(barred)
    this.place.replaceChildren(form, button("", "n", () => this.write(), { title: `Write a new ${kind}, or a list with one on each line`, "aria-label": `Write a new ${kind}` }))
    written()
  }

  // A draft without a text is none.
  drop() {
    if (this.draft && !this.draft.text.trim() && this.draft.key == null) drafts.drop(this.draft)
  }

  leave() {
    this.drop()
    this.field.blur()
    this.list.draw()
  }

  save(kind, texts) {
    const { list, draft } = this
    drafts.put(draft)
    this.field.blur()
    const { passage, step = null } = draft
    list.send("add", { texts, item_kind: kind, subtopic: this.subtopicOf?.value || null, step, draft: draft.id, ...(passage && { passage }), ...keyOf(draft) })
    this.begin()
    list.draw()
    ;[...list.list.querySelectorAll(".q-coming")].at(-1)?.scrollIntoView({ block: "nearest" })
  }

  // Of one question, where somebody pauses; a list has none.
  askReach() {
    clearTimeout(this.pause)
    const text = this.draft.text.trim()
    this.sayReach()
    if (text.length < SHORTEST || text.includes("\n") || text === this.list.data.reach?.text) return
    this.pause = setTimeout(() => this.draft.text.trim() === text && this.list.queue.send("weigh", { question: "", texts: [text] }), PAUSE)
  }

  sayReach() {
    const { reach } = this.list.data
    this.reach.textContent = reach && reach.text === this.draft.text.trim() ? reach.words : ""
  }

  // What is typed has its reach as soon as Python says it.
  draw() {
    const { asking, kind } = this.list.data
    this.list.fill(this.lines, [asking.gate, asking.said], () => this.results())
    this.list.fill(this.asks, [asking.gate, asking.waiting, kind], () => this.controls())
    this.sayReach()
  }

  controls() {
    const { gate, waiting } = this.list.data.asking
    const other = { question: "nugget", nugget: "question" }[this.list.data.kind]
    const add = button(`New ${other}`, "N", () => this.write(other))
    if (gate) return [add]
    const name = waiting ? `Proposals ${waiting}` : "Proposals"
    return [add, button(name, "p", null, { "data-pick": "proposals:", title: "Have a model propose questions" })]
  }

  subtopicChoice(chosen, none, choose) {
    const { subtopics } = this.list.data
    if (!subtopics.length) return null
    const options = [["", none], ...subtopics].map(([id, label]) => el("option", "", label, { value: id, selected: id === chosen ? "" : null }))
    return el("select", "", null, { "aria-label": "Subtopic", onchange: (event) => choose(event.target.value) }, ...options)
  }

  // Asks about a passage; where none can be asked the dialog says why.
  propose(about) {
    const { wanting, gate } = this.list.data.asking
    if (!wanting && !gate) this.ask(about)
    else this.asks.querySelector("[data-key=p]")?.click()
  }

  ask = (about) => this.list.send("ask", about)

  // What a judge has to write first, and what became of the latest question to a model.
  results() {
    const { gate, said } = this.list.data.asking
    const line = said &&
      el("p", `c-line${said.error ? " c-error" : ""}`, `${said.line} `, { role: said.error ? "alert" : "status" },
        said.again && button("Ask again", null, () => this.ask({ subtopic: said.subtopic, passage: said.passage, again: true })),
        button("Dismiss", null, null, { "data-pick": "forget:asked" }))
    return [gate && el("p", "q-gate", gate, { role: "status" }), line]
  }
}
