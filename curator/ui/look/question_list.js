// The question list: rows, selection, one editor at a time, previews, intents. Python
// sends everything as data. An edit leaves as an intent, sent again until Python answers
// its nonce; what is being written is a draft until then. The files named in
// widgets/question_list.py are one module.
const REST = 140 // ms the pointer rests, or a selection stands, before its preview
const PROBE = 4000 // ms between two looks whether the server is there
const GONE = "Not connected. Your text is kept here."
const lists = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!lists.has(parentElement)) lists.set(parentElement, new QuestionList(parentElement))
  lists.get(parentElement).receive(data, setTriggerValue)
  return () => {
    lists.get(parentElement)?.leave()
    lists.delete(parentElement)
  }
}

class QuestionList {
  constructor(root) {
    this.rows = new Map() // question or heading → its element
    this.conflicts = new Map() // question → what was refused, and why
    this.head = el("header", "q-head")
    this.bar = el("div", "c-listhead")
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    this.list = el("div", "c-questions")
    this.adder = el("div", "q-new")
    this.preview = el("aside", "q-preview", null, { "aria-label": "If retired", hidden: "" })
    this.root = root
    root.replaceChildren(this.head, this.bar, this.line, this.list, this.adder, this.preview)
    this.listening = new AbortController()
    const escaped = (event) => event.key === "Escape" && this.showPreview(null)
    document.addEventListener("keydown", escaped, { capture: true, signal: this.listening.signal })
    this.queue = new Queue(root, () => this.probe())
    drafts.alive()
    this.probing = setInterval(() => this.probe(), PROBE)
  }

  leave() {
    this.listening.abort()
    clearInterval(this.probing)
    this.queue.leave()
    delete document.documentElement.dataset.questions
  }

  receive(data, trigger) {
    const opened = data.query !== this.data?.query || data.workspace !== this.data.workspace
    if (opened || data.solo || data.latest !== this.data.latest) this.showPreview(null)
    this.trigger = trigger
    this.data = data
    this.queue.serve(data.workspace, trigger)
    for (const answer of data.answers) this.answered(answer)
    if (opened) Object.assign(this, { editing: null, asked: null, order: null })
    if (!this.asked || this.asked === data.selected) Object.assign(this, { asked: null, selected: data.selected })
    this.byId = new Map(data.groups.flatMap((group) => group.rows.map((row) => [row.id, row])))
    this.draw()
    if (opened && this.stored("editing")?.query === data.query) this.edit(this.stored("editing").id)
    if (this.refused && !this.editing) this.edit(this.refused)
    this.refused = null
    document.documentElement.dataset.questions = data.query
  }

  stored = (name) => kept.get("sessionStorage", `curator/${this.data.workspace}/${name}`)
  store = (name, value) => kept.set("sessionStorage", `curator/${this.data.workspace}/${name}`, value)
  place = (id, revision = "") => `curator/${this.data.workspace}/${id}/${revision}`

  // Intents

  send(kind, fields = {}) {
    this.queue.add({ kind, query: this.data.query, ...fields })
    this.draw()
  }

  answered(answer) {
    const { ok, line, conflict, question, revisions } = answer
    const intent = this.queue.take(answer)
    if (!intent) return
    this.say(line)
    if (ok && intent.place) drafts.drop(intent.place, intent.draft)
    // What waits, or is being written, was made on top of this very edit.
    for (const [id, before, after] of revisions) {
      this.queue.follow(id, before, after)
      if (this.editing === id && this.basedOn === before) this.basedOn = after
      else if (drafts.get(this.place(id, before))) drafts.move(this.place(id, before), this.place(id, after))
    }
    if (ok) {
      this.conflicts.delete(intent.question)
      if (intent.kind === "add" && question) Object.assign(this, { asked: null, selected: question })
    } else if (conflict) this.conflicts.set(intent.question, { ...conflict, place: intent.place, draft: intent.draft })
    else if (intent.place && intent.query === this.data.query) this.refused = intent.question ?? "new"
    this.queue.push()
  }

  say(line) {
    this.line.textContent = line ?? ""
    this.line.hidden = !line
  }

  async probe() {
    drafts.alive()
    const there = await fetch(this.data.health, { cache: "no-store" }).then((found) => found.ok, () => false)
    // Streamlit would put a box over the page, and the caret into it: see frame.css.
    document.documentElement.toggleAttribute("data-gone", !there)
    if (!there) this.say(GONE)
    else if (this.line.textContent === GONE) this.say("")
  }

  // Drawing: an element whose content is the same stays, with its caret and focus.

  draw() {
    const wanted = this.ordered().flatMap(({ heading, rows }) => [
      ...(heading ? [this.kept(`# ${heading}`, () => el("h2", "", heading))] : []),
      ...rows.map((row) => this.row(row)),
    ])
    if (!this.byId.size) wanted.push(this.kept("", () => el("p", "c-empty", this.data.empty)))
    for (const child of [...this.list.children]) if (!wanted.includes(child)) child.remove()
    wanted.forEach((node, n) => this.list.children[n] !== node && this.list.insertBefore(node, this.list.children[n] ?? null))
    for (const [id, node] of this.rows) if (!node.isConnected) this.rows.delete(id)
    this.drawHead()
    this.drawAdder()
  }

  kept(id, make) {
    if (!this.rows.has(id)) this.rows.set(id, make())
    return this.rows.get(id)
  }

  // Replaces the content only if what it says has changed.
  fill(element, says, make) {
    const said = JSON.stringify(says)
    if (element.said === said) return
    element.said = said
    const focused = element.contains(document.activeElement) ? (document.activeElement.dataset.key ?? "") : null
    element.replaceChildren(...make().filter(Boolean))
    if (focused != null) (element.querySelector(`[data-key="${focused}"]`) ?? element.querySelector("button"))?.focus({ preventScroll: true })
  }

  drawHead() {
    const { title, query, background, guidelines, done, kept, others, measure } = this.data
    this.fill(this.head, [title, query, background, guidelines, done], () => [
      el("div", "", null, {},
        el("h1", "c-title", `${title} `, {}, el("small", "", query)),
        background && el("p", "c-background", background),
        guidelines && el("button", "q-link", "Guidelines", { type: "button", "data-pick": "guidelines:" })),
      done
        ? button("Reopen", null, () => this.send("reopen"))
        : el("span", "q-primary", null, {}, button("Done, next", "D", () => this.send("done"))),
    ])
    this.fill(this.bar, [kept, others, measure, this.order?.by], () => [
      el("b", "", kept),
      el("span", "", others),
      this.orderChoice(),
      button("Undo", "u", () => this.send("undo"), { title: "Take back my latest edit in this query" }),
      button("Redo", "U", () => this.send("redo"), { title: "Make again what I took back" }),
      el("em", "", measure && `Influence on ${measure}`),
    ])
  }

  orderChoice() {
    const choose = (event) => {
      const by = event.target.value
      const value = { look: (row) => (row.reason ? 0 : 1), influence: (row) => -(row.bar ?? -1) }[by]
      const rows = [...this.byId.values()]
      this.order = value && { by, ids: rows.sort((a, b) => value(a) - value(b)).map((row) => row.id) }
      this.draw()
    }
    const choices = { import: "as imported", influence: "by influence", look: "needing a look first" }
    const options = Object.entries(choices).map(([by, label]) => {
      return el("option", "", label, { value: by, selected: by === (this.order?.by ?? "import") ? "" : null })
    })
    return el("label", "", "Order: ", {}, el("select", "", null, { onchange: choose }, ...options))
  }

  // The order asked for stays as it was when it was asked for; what is new comes last.
  ordered() {
    const { groups } = this.data
    if (!this.order) return groups
    const at = (row) => (this.order.ids.indexOf(row.id) + 1 || Infinity)
    return groups.map((group) => ({ ...group, rows: [...group.rows].sort((a, b) => at(a) - at(b)) }))
  }

  row(row) {
    // An edit on its way shows at once.
    const under = { retire: () => ({ state: "retired" }), restore: () => ({ state: "kept" }), reword: ({ texts }) => ({ text: texts[0] }) }
    const edits = this.queue.pending.filter(({ kind, question }) => question === row.id && under[kind])
    const shown = Object.assign({}, row, ...edits.map((intent) => under[intent.kind](intent)))
    const selected = row.id === this.selected
    const drafted = drafts.of(this.place(row.id)).filter(({ text }) => text !== shown.text)
    const element = this.kept(row.id, () => this.newRow(row.id))
    element.classList.toggle("c-retired", shown.state === "retired")
    element.toggleAttribute("data-selected", selected)
    this.fill(element.firstChild, [{ ...shown, what: null }, selected, drafted.length, this.justRetired === row.id], () => this.face(shown, selected, drafted))
    const found = this.conflicts.get(row.id) ?? (edits.length ? null : this.stale(row))
    if (this.editing !== row.id) this.fill(element.lastChild, [found], () => this.conflict(row, found))
    return element
  }

  newRow(id) {
    const rest = () => (this.resting = setTimeout(() => this.showPreview(id), REST))
    const left = () => {
      clearTimeout(this.resting)
      this.showPreview(null)
    }
    const clicked = (event) => !event.target.closest("button:not(.q-text), textarea, select, .q-desk") && this.select(id)
    const twice = (event) => event.target.closest(".q-text") && this.edit(id)
    const face = el("div", "q-face", null, { onclick: clicked, ondblclick: twice, onmouseenter: rest, onmouseleave: left })
    return el("div", "c-question", null, { "data-question": id }, face, el("div", "q-desk"))
  }

  face(row, selected, drafted) {
    const text = el(row.state === "retired" ? "s" : "span", "", row.text)
    const open = (event) => selected && event.detail === 0 && this.edit(row.id)
    const draft = drafted.length && el("button", "q-link", "draft", { type: "button", title: "Go on writing", onclick: () => this.edit(row.id) })
    const said = row.state === "retired" ? this.saidOfRetired(row, selected) : this.saidOfKept(row, selected)
    const meta = el("div", "c-meta", null, {}, draft, ...said)
    const length = row.bar != null && el("i", "", null, { style: `width:${row.bar}%` })
    const bar = el("span", `c-bar${length ? "" : " c-none"}${row.state === "retired" ? " c-was" : ""}`, null, {}, length)
    return [
      el("span", "c-number", row.number),
      el("button", "c-text q-text", null, { type: "button", "data-key": "", "aria-current": selected ? "true" : null, onclick: open }, text),
      meta,
      el("span", "c-reason", row.state === "retired" ? "" : row.reason),
      el("span", "c-influence", row.influence, {}, bar),
    ]
  }

  saidOfKept(row, selected) {
    return [
      row.state === "proposed" && el("b", "", "Proposed"),
      selected && row.editable && button("Edit", "e", () => this.edit(row.id)),
      selected && button("Retire", "x", () => this.retire(row)),
      selected && button("Solo", "s", null, { "data-pick": `solo:${row.id}`, title: "The board under this question alone" }),
      el("span", "", row.meta),
    ]
  }

  saidOfRetired(row, selected) {
    const just = this.justRetired === row.id
    const by = just ? "Retired." : row.retired_by ? `Retired by ${row.retired_by}` : "Retired"
    const chip = (reason) => {
      const give = () => this.send("reason", { question: row.id, reason: reason === row.why ? "" : reason })
      return el("button", "q-chip", reason, { type: "button", "aria-pressed": String(reason === row.why), onclick: give })
    }
    const mine = selected && (row.mine || just)
    return [
      el("b", "", by, { role: just ? "status" : null }),
      just && el("button", "q-link", "Undo (u)", { type: "button", onclick: () => this.send("undo") }),
      selected && button("Restore", "x", () => this.send("restore", { question: row.id, based_on: row.revision })),
      mine ? el("span", "", "reason, optional") : row.why && el("span", "", row.why),
      ...(mine ? this.data.reasons.map(chip) : []),
    ]
  }

  retire(row) {
    this.justRetired = row.id
    this.send("retire", { question: row.id, based_on: row.revision })
  }

  select(id) {
    if (this.selected === id) return
    Object.assign(this, { selected: id, asked: id, justRetired: null })
    this.draw()
    const row = this.rows.get(id)
    row.querySelector(".q-text").focus({ preventScroll: true })
    row.scrollIntoView({ block: "nearest" })
    clearTimeout(this.resting)
    // What is missing there is said beneath it; a selection does not cover that.
    if (!document.querySelector(".c-cannot")) this.resting = setTimeout(() => this.showPreview(id), REST)
    clearTimeout(this.asking)
    this.asking = setTimeout(() => this.trigger("selected", id), 40)
  }

  // Writing.

  edit(id) {
    const row = this.byId.get(id)
    if (id !== "new" && !row?.editable) return
    if (this.editing && this.editing !== id) this.close()
    this.editing = id
    this.store("editing", { query: this.data.query, id })
    if (id === "new") {
      this.drawAdder()
      return this.adder.querySelector("textarea").focus() // at once: typing may follow
    }
    this.select(id)
    if (this.stale(row)) {
      this.close()
      return this.draw()
    }
    const older = drafts.of(this.place(id)).find((one) => one.revision < row.revision)
    const place = this.place(id, row.revision)
    if (older && !drafts.get(place)) drafts.move(older.place, place)
    this.basedOn = row.revision
    const save = (texts) => {
      if (texts.join(" ") === row.text) drafts.drop(place, field.value)
      else this.send("reword", { question: id, texts: [texts.join("\n")], based_on: this.basedOn, place, draft: field.value })
    }
    const field = this.writing(place, row.text, row.text, "Text of the question", save)
    this.rows.get(id).lastChild.said = null
    this.rows.get(id).lastChild.replaceChildren(field.closest("form"))
    field.focus()
  }

  writing(place, text, base, label, save) {
    const saved = (texts) => {
      this.close()
      save(texts)
      this.draw()
    }
    return writingField({ place, text, base, label, saved, left: () => this.close(true) })
  }

  close(back = false) {
    const id = this.editing
    this.editing = null
    this.store("editing", null)
    if (id == null) return
    this.rows.get(id)?.lastChild.replaceChildren()
    this.draw()
    if (back) (this.rows.get(id)?.querySelector(".q-text") ?? this.adder.querySelector("button"))?.focus()
  }

  drawAdder() {
    const { query, subtopics } = this.data
    this.fill(this.adder, [query, this.editing === "new", subtopics], () => {
      if (this.editing !== "new") return [button("New question", "n", () => this.edit("new"))]
      const place = this.place(query, "new")
      const chosen = this.byId.get(this.selected)?.subtopic
      const options = [["", "no subtopic"], ...subtopics].map(([id, label]) => el("option", "", label, { value: id, selected: id === (chosen ?? "") ? "" : null }))
      const subtopic = subtopics.length ? el("select", "", null, { "aria-label": "Subtopic" }, ...options) : null
      const save = (texts) => this.send("add", { texts, subtopic: subtopic?.value || null, place, draft: field.value })
      const field = this.writing(place, "", null, "New question, or a list with one on each line", save)
      const form = field.closest("form")
      const count = () => {
        const lines = field.value.split("\n").filter((line) => line.trim()).length
        form.querySelector("[type=submit]").textContent = lines > 1 ? `Add ${lines} questions` : "Add"
      }
      form.addEventListener("written", count)
      count()
      if (subtopic) form.querySelector(".q-actions").prepend(subtopic)
      return [form]
    })
  }

  // A draft that began from other words than the question has by now.
  stale(row) {
    const older = drafts.of(this.place(row.id)).find((one) => one.revision < row.revision)
    if (!older || older.text === row.text || older.base === row.text) return null
    const { text, base, place } = older
    return { mine: text, base, theirs: row.text, revision: row.revision, by: "Someone", place, draft: text }
  }

  conflict(row, found) {
    if (!found) return []
    const { mine, theirs, revision, place, draft } = found
    const keepTheirs = () => {
      this.conflicts.delete(row.id)
      drafts.drop(place, draft)
      this.draw()
    }
    const keepMine = () => this.send("reword", { question: row.id, texts: [mine], based_on: revision, place, draft })
    const combine = () => {
      keepTheirs()
      const here = this.place(row.id, revision)
      const texts = new Set([theirs, drafts.get(here)?.text, mine].filter(Boolean))
      drafts.put(here, [...texts].join("\n"), theirs)
      this.edit(row.id)
    }
    return [conflictCards(found, { keepMine, keepTheirs, combine })]
  }

  // What retiring the question would do, without asking anyone.

  showPreview(id) {
    const row = this.byId?.get(id)
    this.preview.hidden = !row?.what || row.state === "retired" || this.data.solo || this.queue.pending.length > 0
    if (this.preview.hidden) return
    this.preview.replaceChildren(...previewOf(row.what))
  }
}
