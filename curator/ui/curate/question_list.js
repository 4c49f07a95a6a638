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
    this.bulk = el("div", "q-bulk")
    this.list = el("div", "c-questions")
    this.adder = el("div", "q-new")
    this.preview = el("aside", "q-preview", null, { hidden: "" })
    this.showing = new Showing(this)
    this.adding = new Adding(this)
    this.looked = new Look() // at the question that is selected
    this.sinceDecided = new Look()
    this.root = root
    root.replaceChildren(this.head, el("div", "q-top", null, {}, this.bar, this.bulk), this.line, this.list, this.adder, this.preview)
    this.listening = new AbortController()
    const turned = () => [this.looked, this.sinceDecided].forEach((one) => one.turned())
    document.addEventListener("visibilitychange", turned, { signal: this.listening.signal })
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
    if (opened) this.open()
    if (!this.asked || this.asked === data.selected) {
      if (data.selected !== this.selected) this.looked.start()
      Object.assign(this, { asked: null, selected: data.selected })
    }
    this.byId = new Map(data.groups.flatMap((group) => group.rows.map((row) => [row.id, row])))
    this.draw()
    if (!this.preview.hidden) this.showPreview(this.previewing) // by grades that came since
    if (opened && this.stored("editing")?.query === data.query) this.edit(this.stored("editing").id)
    if (this.refused && !this.editing) this.edit(this.refused)
    this.refused = null
    document.documentElement.dataset.questions = data.query
  }

  // Another query, or the page anew.
  open() {
    Object.assign(this, { editing: null, asked: null, justRetired: null })
    for (const one of [this.showing, this.adding]) one.reset()
    for (const one of [this.looked, this.sinceDecided]) one.start()
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
    } else if (conflict) {
      this.conflicts.set(intent.question, { ...conflict, place: intent.place, draft: intent.draft })
      if (intent.next) Object.assign(this, { asked: null, selected: intent.question })
    }
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
    const groups = this.showing.groups(this.data.groups)
    this.shown = groups.flatMap(({ rows }) => rows)
    const wanted = groups.flatMap(({ heading, rows }) => [
      ...(heading ? [this.kept(`# ${heading}`, () => el("h2", "", heading))] : []),
      ...rows.map((row) => this.row(row)),
    ])
    if (!this.byId.size) wanted.push(this.kept("", () => el("p", "c-empty", this.data.empty)))
    else if (!this.shown.length) wanted.push(this.kept("# ", () => this.nothingShown()))
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
    const { order, show } = this.showing
    this.fill(this.bar, [kept, others, measure, order?.by, show], () => [
      el("b", "", kept),
      el("span", "", others),
      ...this.showing.choices(),
      button("Undo", "u", () => this.send("undo"), { title: "Take back my latest edit in this query" }),
      button("Redo", "U", () => this.send("redo"), { title: "Make again what I took back" }),
      el("em", "", measure && `Influence on ${measure}`),
    ])
    this.fill(this.bulk, [this.showing.proposals(), this.showing.asked, this.data.by], () => this.showing.bulk())
  }

  nothingShown = () =>
    el("p", "c-empty", "No such question here. ", {}, el("button", "q-link", "Show all", { type: "button", onclick: () => this.showing.filter("all") }))

  row(row) {
    const { edits, shown } = underWay(this.queue.pending, row)
    const selected = row.id === this.selected
    const drafted = drafts.of(this.place(row.id)).filter(({ text }) => text !== shown.text)
    const element = this.kept(row.id, () => this.newRow(row.id))
    element.classList.toggle("c-retired", shown.state === "retired")
    element.classList.toggle("c-proposed", shown.state === "proposed")
    element.toggleAttribute("data-selected", selected)
    this.fill(element.firstChild, [{ ...shown, what: null }, selected, drafted.length, this.justRetired?.id === row.id], () => faceOf(this, shown, selected, drafted))
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

  // Deciding.

  keep(row) {
    this.send("keep", { question: row.id, based_on: row.revision, ...this.decided(row) })
    this.goOn()
  }

  retire(row) {
    const decided = this.decided(row)
    const proposed = row.state === "proposed"
    this.justRetired = { id: row.id, said: proposed ? "Dropped." : "Retired." }
    this.send("retire", { question: row.id, based_on: row.revision, ...decided })
    if (proposed) this.goOn()
  }

  // The proposals on the screen of which nothing was asked yet.
  undecided = () => this.shown.filter((row) => underWay(this.queue.pending, row).shown.state === "proposed")

  // What goes with a decision on a proposal: how long it was looked at, and which is
  // next. That is selected.
  decided(row) {
    this.justRetired = null
    if (row.state !== "proposed") return {}
    const { seconds } = this.looked
    for (const one of [this.looked, this.sinceDecided]) one.start()
    clearTimeout(this.asking) // of a selection that is over
    const at = this.shown.findIndex(({ id }) => id === row.id)
    const left = this.undecided().filter(({ id }) => id !== row.id)
    const next = (left.find((one) => this.shown.indexOf(one) > at) ?? left[0])?.id
    if (next) Object.assign(this, { selected: next, asked: next })
    return { seconds, next }
  }

  // On to what is selected now.
  goOn() {
    const row = this.rows.get(this.selected)
    row?.querySelector(".q-text").focus({ preventScroll: true })
    row?.scrollIntoView({ block: "nearest" })
  }

  select(id) {
    if (this.selected === id) return
    Object.assign(this, { selected: id, asked: id, justRetired: null })
    this.looked.start()
    this.adding.about = null
    this.draw()
    this.goOn()
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
      const fields = { question: id, based_on: this.basedOn, place, draft: field.value }
      const same = texts.join(" ") === row.text
      if (same && row.state !== "proposed") return drafts.drop(place, field.value)
      this.send(same ? "keep" : "reword", { ...fields, texts: [texts.join("\n")], ...this.decided(row) })
    }
    const field = this.writing(place, row.text, row.text, "Text of the question", save)
    if (row.state === "proposed") field.closest("form").querySelector("[type=submit]").textContent = "Keep"
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
    this.fill(this.adder, this.adding.says(), () => this.adding.parts())
    this.adding.follow()
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

  // What retiring the question, or keeping the proposal, would do, without asking anyone.

  showPreview(id) {
    const row = this.byId?.get(id)
    this.previewing = id
    this.preview.hidden = !row?.what || row.state === "retired" || this.data.solo || this.queue.pending.length > 0
    if (this.preview.hidden) return
    this.preview.setAttribute("aria-label", row.what.label)
    this.preview.replaceChildren(...previewOf(row.what))
  }
}
