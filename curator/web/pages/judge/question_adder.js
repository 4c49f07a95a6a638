// Beneath the questions: write new ones, have a model propose some, and what became of it.
const PAUSE = 300 // ms without a key
const SHORTEST = 6 // letters worth asking about

class Adding {
  constructor(list) {
    Object.assign(this, { list, about: null, told: false, unfolded: new Set() })
  }

  reset() {
    Object.assign(this, { about: null, told: false })
  }

  // What a drawing rests on; what is being written stays whatever else becomes of it.
  says() {
    const { query, subtopics, asking } = this.list.data
    return this.list.editing === "new" ? [this.list.draft.at] : [query, subtopics, asking, this.told]
  }

  // The list of subtopics stands at the one that would be asked about now; what is typed
  // has its reach as soon as Python says it.
  follow() {
    if (this.reach?.isConnected) this.sayReach()
    if (this.choice?.isConnected) this.choice.value = this.subtopic()
  }

  // The subtopic to ask about: chosen here, the selected question's, or the first that
  // nobody asks about; "" for all of the query.
  subtopic() {
    const { subtopics, asking } = this.list.data
    const wanted = this.about ?? this.list.byId.get(this.list.selected)?.subtopic ?? asking.subtopic
    return subtopics.some(([id]) => id === wanted) ? wanted : ""
  }

  parts() {
    const { gate, wanting, model, host } = this.list.data.asking
    if (this.list.editing === "new") return [gate && this.gateLine(gate), this.form()]
    const other = { question: "nugget", nugget: "question" }[this.list.data.kind]
    const add = [button(`Write a new ${this.list.data.kind}`, "n", () => this.list.edit("new")), button(`New ${other}`, "N", () => this.list.edit("new", null, other))]
    if (gate) return [this.gateLine(gate), ...add]
    this.choice = this.subtopicChoice(this.subtopic(), "every subtopic", (id) => (this.about = id))
    const propose = button("Propose", "p", () => this.propose(), { title: "Have a model propose questions" })
    const where = el("small", "q-where", `${model} at ${host}`, { title: "Propose sends the query, its questions and, from a passage, its text there" })
    return [...this.lines(), ...add, propose, !wanting && this.choice, !wanting && where]
  }

  gateLine = (gate) => el("p", "q-gate", gate, { role: "status" })

  form() {
    const { list } = this
    const { draft } = list
    const kind = draft.kind ?? list.data.kind
    const choose = (id) => {
      draft.subtopic = id
      if (draft.text) drafts.put(draft)
    }
    const subtopic = this.subtopicChoice(draft.subtopic ?? list.byId.get(list.selected)?.subtopic ?? "", "no subtopic", choose)
    const save = (texts, one) => list.send("add", { texts, item_kind: kind, subtopic: subtopic?.value || null, step: one.step ?? null, draft: one.id, ...keyOf(one) })
    const form = list.writing(`New ${kind}, or a list with one on each line`, save)
    const count = () => {
      const lines = draft.text.split("\n").filter((line) => line.trim()).length
      form.querySelector("[type=submit]").textContent = lines > 1 ? `Add ${lines} ${kind}s` : "Add"
    }
    this.reach = el("p", "q-reach", "", { role: "status", dir: "auto" })
    form.querySelector(".q-actions").before(this.reach)
    form.addEventListener("written", () => (count(), this.askReach()))
    this.askReach()
    count()
    if (subtopic) form.querySelector(".q-actions").prepend(subtopic)
    return form
  }

  // Of one question, where somebody pauses; a list has none.
  askReach() {
    clearTimeout(this.pause)
    const text = this.list.draft.text.trim()
    this.sayReach()
    if (text.length < SHORTEST || text.includes("\n") || text === this.list.data.reach?.text) return
    this.pause = setTimeout(() => this.list.draft?.text.trim() === text && this.list.queue.send("weigh", { question: "", texts: [text] }), PAUSE)
  }

  sayReach() {
    const { reach } = this.list.data
    this.reach.textContent = reach && reach.text === this.list.draft?.text.trim() ? reach.words : ""
  }

  subtopicChoice(chosen, none, choose = () => {}) {
    const { subtopics } = this.list.data
    if (!subtopics.length) return null
    const options = [["", none], ...subtopics].map(([id, label]) => el("option", "", label, { value: id, selected: id === chosen ? "" : null }))
    return el("select", "", null, { "aria-label": "Subtopic", onchange: (event) => choose(event.target.value) }, ...options)
  }

  propose() {
    if (this.list.data.asking.wanting) {
      this.told = true
      return this.list.draw()
    }
    this.ask({ subtopic: this.subtopic() || null })
  }

  ask = (about) => this.list.send("ask", about)

  lines() {
    const { wanting, said, unread } = this.list.data.asking
    const again = ({ subtopic, passage }) => button("Ask again", null, () => this.ask({ subtopic, passage, again: true }))
    const setup = el("p", "c-line", `${wanting} `, { role: "status" }, el("button", "q-link", "Settings", { type: "button", "data-pick": "goto:Settings" }))
    const line =
      said &&
      el("p", `c-line${said.error ? " c-error" : ""}`, `${said.line} `, { role: said.error ? "alert" : "status" },
        said.again && again(said),
        button("Dismiss", null, null, { "data-pick": "forget:asked" }))
    // What somebody has unfolded stays so when something else is said beside it.
    const folded = ({ target }, raw) => this.unfolded[target.open ? "add" : "delete"](raw)
    const answer = (one) =>
      el("details", "q-unread", null, { open: this.unfolded.has(one.raw) ? "" : null, ontoggle: (event) => folded(event, one.raw) },
        el("summary", "", one.line),
        el("pre", "", one.raw, { tabindex: 0 }),
        again(one))
    return [wanting && this.told && setup, line, ...unread.map(answer)]
  }
}
