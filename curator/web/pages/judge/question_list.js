// The question list: rows, selection, one editor at a time, previews, edits. Python
// sends everything as data. An edit is sent again until Python answers it (channel.js);
// what is being written is a draft until then. Every draft is in the open
// editor, on its way, or in `left`, which all that is drawn shows: with its question,
// beneath the list, or as a link to where it is. The files named in
// question_list.py are one module.
const REST = 140 // ms the pointer rests, or a selection stands, before its preview
const SETTLES = 400 // ms in which the page comes to rest after a drawing
const ATTENDS = 4000 // ms between two looks for texts that no other tab shows any more
const HERE = ["curate", "passages"] // pages of drafts: Passages was one of its own once
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
    this.weighing = new Set() // texts that were asked about
    this.fresh = [] // proposals that came and were not seen yet
    this.left = [] // drafts of this query, neither on their way nor in the editor
    this.head = el("header", "q-head")
    this.bar = el("div", "c-listhead")
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    this.bulk = el("div", "q-bulk")
    this.list = el("div", "c-questions")
    this.rest = el("div", "q-rest")
    this.preview = el("aside", "q-preview", null, { hidden: "" })
    this.showing = new Showing(this)
    this.adding = new Adding(this)
    this.own = new OwnWords(this)
    this.nextUp = new WhatNext(this)
    this.looked = new Look() // at the question that is selected
    this.sinceDecided = new Look()
    this.root = root
    root.replaceChildren(this.head, this.nextUp.root, el("div", "q-top", null, {}, this.bar, this.bulk), this.line, this.list, el("div", "q-foot", null, {}, this.rest, this.adding.root), this.preview)
    this.listening = new AbortController()
    this.reader = new Reader(this, this.listening.signal)
    const turned = () => [this.looked, this.sinceDecided].forEach((one) => one.turned())
    document.addEventListener("visibilitychange", turned, { signal: this.listening.signal })
    for (const hand of ["keydown", "pointerdown"]) document.addEventListener(hand, () => (this.touched = performance.now()), { signal: this.listening.signal, capture: true })
    const escaped = (event) => event.key === "Escape" && this.showPreview(null)
    document.addEventListener("keydown", escaped, { capture: true, signal: this.listening.signal })
    this.queue = new Edits(root)
    this.attending = setInterval(() => this.attend(), ATTENDS)
  }

  leave() {
    this.listening.abort()
    clearInterval(this.attending)
    this.queue.leave()
    drafts.attend(null)
    delete document.documentElement.dataset.questions
  }

  receive(data, trigger) {
    const opened = data.query !== this.data?.query || data.workspace !== this.data.workspace
    if (opened || data.solo || data.latest !== this.data.latest) this.showPreview(null)
    if (opened && this.data && innerWidth <= 860) document.querySelector(".stMain")?.scrollTo(0, 0) // one column
    this.data = data
    for (const [event, answer] of this.queue.receive(data, trigger)) this.answered(event, answer)
    if (opened) this.open()
    // A selection that is still to be sent or answered was made after what is drawn here.
    const choosing = this.asking != null || this.queue.asks("select")
    const wasSelected = this.selected
    if (!choosing && (this.asked == null || this.asked === (data.selected ?? ""))) {
      if (data.selected !== this.selected) this.looked.start()
      Object.assign(this, { asked: null, selected: data.selected })
    }
    const known = this.byId
    this.byId = new Map(data.groups.flatMap((group) => group.rows.map((row) => [row.id, row])))
    if (opened) for (const one of [this.own, this.showing]) one.restore()
    const came = (is) => (opened ? [] : [...this.byId.values()].filter(({ id, state }) => state === is && !known.has(id)).map(({ id }) => id))
    this.fresh = [...(opened ? [] : this.fresh), ...came("proposed")]
    if (this.hasAdded) this.showing.added.push(...came("kept"))
    this.hasAdded = false
    if (opened) {
      this.sortTexts()
      this.adding.open()
    }
    this.attend()
    // What undo selects has the focus too, for Enter is of the row that has it.
    if (!opened && this.selected !== wasSelected && !this.isWriting && document.activeElement?.closest(".c-question")) this.goOn()
    onceDrawn(() => showPending(this.queue.pending), this.listening.signal)
    if (!this.preview.hidden) this.showPreview(this.previewing) // by grades that came since
    const before = opened && this.stored("editing")
    if (before?.query === data.query && before.id === "new") this.adding.field.focus()
    else if (before?.query === data.query) this.edit(before.id, this.left.find(({ id }) => id === before.draft))
    const refused = this.left.find(({ id }) => id === this.refused)
    if (refused && refused.about !== "dismiss" && !this.isWriting) this.goOnWith(refused)
    this.refused = null
    this.showFresh()
    if (opened) this.nextUp.open()
    document.documentElement.dataset.questions = data.query
  }

  // Another query, or the page anew.
  open() {
    Object.assign(this, { editing: null, draft: null, asked: null, justRetired: null, lifting: false })
    this.ask(null)
    for (const one of [this.looked, this.sinceDecided]) one.start()
  }

  // Proposals that came since come into sight, unless something is being written: it
  // stays where it is, and a line leads to them.
  showFresh(asked = false) {
    this.fresh = this.fresh.filter((id) => this.byId.get(id)?.state === "proposed")
    const there = this.fresh.map((id) => this.rows.get(id)).filter(Boolean)
    if (!there.length || (!asked && this.isWriting)) return
    for (const row of [there.at(-1), there[0]]) row.scrollIntoView({ block: "nearest" })
    // A selection drawn at the same time may have been brought into sight in their place:
    // then a line leads to them.
    clearTimeout(this.settling)
    const seen = () => {
      this.settling = null
      if (asked || this.inSight(there[0])) this.fresh = this.fresh.filter((id) => !there.includes(this.rows.get(id)))
      this.drawRest()
    }
    this.settling = setTimeout(seen, asked ? 0 : SETTLES)
  }

  get isWriting() {
    return Boolean(this.editing || this.own.now || this.adding.isActive)
  }

  inSight(row) {
    const { top, bottom } = row.getBoundingClientRect()
    return bottom > this.root.parentElement.getBoundingClientRect().top && top < this.adding.root.getBoundingClientRect().top
  }

  freshLine() {
    const many = this.fresh.length
    const shown = this.fresh.some((id) => this.rows.has(id))
    const show = () => {
      if (!shown) this.showing.filter("all")
      this.showFresh(true)
    }
    return el("p", "q-left", `${many} new ${many === 1 ? "proposal" : "proposals"} `, { role: "status" }, el("button", "q-link", shown ? "Show" : "Not among those shown: show all", { type: "button", onclick: show }))
  }

  stored = (name) => kept.get("sessionStorage", `curator/${this.data.workspace}/${name}`)
  store = (name, value) => kept.set("sessionStorage", `curator/${this.data.workspace}/${name}`, value)

  get here() {
    return { workspace: this.data.workspace, page: "curate", query: this.data.query }
  }

  attend() {
    if (!this.data) return
    drafts.attend(this.here)
    this.draw()
  }

  // Edits

  send(type, payload = {}) {
    this.queue.save(type, { query: this.data.query, ...payload })
    this.draw()
  }

  answered(event, { ok, line, conflict, question, revisions }) {
    if (event.type === "onward") return this.nextUp.answered({ line })
    if (event.type === "restrict") this.lifting = false
    if (event.type === "verdict") verdictAnswered(event, ok)
    if (["select", "weigh", "passage"].includes(event.type)) return
    if (["note", "dismiss"].includes(event.type)) this.previewSoon() // by which nothing moves
    this.say(line)
    // What is being written was made on top of this very edit.
    for (const [id, before, after] of revisions)
      if (this.draft?.question === id && this.draft.revision === before) this.draft.revision = after
    const added = ok && event.type === "add" && question
    this.hasAdded ||= Boolean(added)
    if (this.goneOn(event)) return
    if (added) Object.assign(this, { asked: null, selected: question })
    else if (conflict && event.following) Object.assign(this, { asked: null, selected: event.question })
    else if (!ok && !conflict) this.refused = event.draft
  }

  // Whether anything was pressed since an event was sent: then what becomes of it is
  // shown where it is, and takes neither keys nor letters that are meant for another.
  goneOn = ({ at }) => Boolean(this.touched) && performance.timeOrigin + this.touched > at

  say(line) {
    tell(this.line, line)
  }

  // Drawing: an element whose content is the same stays, with its caret and focus.

  draw() {
    this.sortTexts()
    const groups = this.showing.groups(this.data.groups)
    this.shown = groups.flatMap(({ rows }) => rows)
    const wanted = groups.flatMap(({ heading, rows }) => [
      ...(heading ? [this.kept(`# ${heading}`, () => el("h2", "", heading))] : []),
      ...rows.map((row) => this.row(row)),
    ])
    wanted.push(...this.coming(), ...this.gone())
    if (!this.byId.size) wanted.push(this.kept("", () => el("p", "c-empty", this.data.empty)))
    else if (!this.shown.length) wanted.push(this.kept("# ", () => this.nothingShown()))
    const { activeElement: at } = document
    for (const child of [...this.list.children]) if (!wanted.includes(child)) child.remove()
    wanted.forEach((node, n) => this.list.children[n] !== node && this.list.insertBefore(node, this.list.children[n] ?? null))
    for (const [id, node] of this.rows) if (!node.isConnected) this.rows.delete(id)
    if (this.list.contains(at) && at !== document.activeElement) at.focus({ preventScroll: true }) // its row has moved
    this.drawHead()
    this.drawRest()
    this.adding.draw()
    this.nextUp.draw()
  }

  kept(id, make) {
    if (!this.rows.has(id)) this.rows.set(id, make())
    return this.rows.get(id)
  }

  // Replaces the content only if what it says has changed.
  fill(element, says, make) {
    const said = JSON.stringify([says, barred])
    if (element.said === said) return
    element.said = said
    const { activeElement: at } = document
    const focused = element.contains(at)
    element.replaceChildren(...make().filter(Boolean))
    if (!focused) return
    const again = element.contains(at) ? at : (element.querySelector(`[data-key="${at.dataset.key ?? ""}"]`) ?? element.querySelector("button"))
    again?.focus({ preventScroll: true })
  }

  drawHead() {
    const { title, query, background, guidelines, done, marked, finished, kept, others, measure, restricting } = this.data
    this.fill(this.head, [title, query, background, guidelines, done, marked, finished, restricting, this.lifting], () => [
      el("div", "", null, {},
        el("h1", "c-title", `${title} `, {}, el("small", "", query)),
        background && el("p", "c-background", background),
        marked && el("p", `q-marked${marked.includes(";") ? " c-warning" : ""}`, marked, { title: "Who has finished this query, and who has changed a question since. Looked at it again? Reopen, then Done." }),
        finished && this.allDone(),
        guidelines && el("button", "q-guide", guidelines, { type: "button", "data-pick": "guidelines:", title: "The guidelines, beside the work (G)" })),
      restricting && this.restriction(restricting),
      done
        ? button("Reopen", null, () => this.send("reopen"))
        : el("span", "q-primary", null, {}, button("Done, next", "D", () => this.send("done"))),
    ])
    const { order, show } = this.showing
    this.fill(this.bar, [kept, others, measure, order?.by, show, this.showing.anyNoted()], () => [
      el("b", "", kept, { "data-tip": `Kept questions count; proposed and ${VERBS.retire.past} ones do not.` }),
      el("span", "", others),
      ...this.showing.choices(),
      button("Undo", "u", () => this.send("undo"), { title: "Take back my latest edit in this query" }),
      button("Redo", "U", () => this.send("redo"), { title: "Make again what I took back" }),
    ])
    this.fill(this.bulk, [this.showing.proposals(), this.showing.asked, this.data.by], () => this.showing.bulk())
  }

  // An organizer's; what everybody has seen is seen, so lifting it takes a second click.
  restriction(act) {
    if (act === "restrict") return button("Restrict", null, () => this.send("restrict", { lift: false }), { title: "Show the texts of this query to organizers alone, and send them nowhere; its numbers stay" })
    const ask = (asking) => () => {
      this.lifting = asking
      this.drawHead()
    }
    // What does nothing stands where the first click was: a double click lifts nothing.
    if (this.lifting) return el("span", "q-lifting", null, {}, button("Keep restricted", null, ask(false)), button("Show its texts to everybody", null, () => this.send("restrict", { lift: true })))
    return button("Lift restriction", null, ask(true), { title: "Everybody here sees the texts of this query again; asks once more" })
  }

  // After the last query is done there is something to do yet, elsewhere.
  allDone = () =>
    el("p", "q-finished", null, { role: "status" },
      el("b", "", "You have marked every query done."),
      el("button", "q-link", "See where judges disagree", { type: "button", "data-pick": "goto:Trust" }),
      el("button", "q-link", "Release the bank", { type: "button", "data-pick": "goto:Export" }))

  nothingShown = () =>
    el("p", "c-empty", "No such question here. ", {}, el("button", "q-link", "Show all", { type: "button", onclick: () => this.showing.filter("all") }))

  row(row) {
    const { shown } = underWay(this.queue.pending, row)
    const selected = row.id === this.selected
    const left = this.left.filter(({ question }) => question === row.id)
    const element = this.kept(row.id, () => this.newRow(row.id))
    element.classList.toggle("c-retired", shown.state === "retired")
    element.classList.toggle("c-proposed", shown.state === "proposed")
    element.toggleAttribute("data-selected", selected)
    this.fill(element.firstChild, [{ ...shown, what: null }, selected, this.justRetired?.id === row.id], () => faceOf(this, shown, selected))
    this.fill(element.children[2], this.own.says(row), () => this.own.parts(row))
    this.fill(element.lastChild, [left, row.text, row.revision, row.editable, left.length && this.data.weighed], () => left.map((one) => this.textLeft(one, row)))
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
    return el("div", "c-question", null, { "data-question": id }, face, ...[1, 2, 3].map(() => el("div", "q-desk")))
  }

  // Deciding.

  keep(row) {
    this.send("keep", { question: row.id, based_on: row.revision, ...this.decided(row) })
    this.goOn()
  }

  retire(row, reason = null) {
    const decided = this.decided(row)
    const proposed = row.state === "proposed"
    this.justRetired = { id: row.id, said: `${capital(VERBS[proposed ? "drop" : "retire"].past)}.` }
    this.send("retire", { question: row.id, based_on: row.revision, reason, ...decided })
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
    this.ask(null) // no selection that is over
    return { seconds, following: this.selectNext(row, this.undecided()) }
  }

  // Selects the first of these rows after the given one, from the top if need be.
  selectNext(row, rows) {
    const at = this.shown.findIndex(({ id }) => id === row.id)
    const left = rows.filter(({ id }) => id !== row.id)
    const following = (left.find((one) => this.shown.indexOf(one) > at) ?? left[0])?.id
    if (following) Object.assign(this, { selected: following, asked: following })
    return following
  }

  // The same vote again takes it back; after any other comes the next question without one.
  vote(row, vote) {
    this.ask(null)
    const taken = vote === row.vote
    const open = (one) => one.state === "kept" && !one.vote
    const left = taken ? [] : this.shown.filter((one) => open(underWay(this.queue.pending, one).shown))
    const following = this.selectNext(row, left) ?? row.id
    this.send("vote", { question: row.id, vote: taken ? "" : vote, following })
    if (following !== row.id) this.goOn()
  }

  // On to what is selected now.
  goOn() {
    const row = this.rows.get(this.selected)
    row?.querySelector(".q-text")?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: "nearest" })
  }

  // "" is none.
  select(id) {
    if ((this.selected ?? "") === id || (id && !this.byId.has(id))) return
    Object.assign(this, { selected: id, asked: null, justRetired: null })
    this.looked.start()
    this.draw()
    this.goOn()
    this.previewSoon()
    this.ask(id)
  }

  // Tells Python of a selection once it has stood a moment.
  ask(id) {
    clearTimeout(this.asking)
    this.asking = null
    if (id == null) return
    const send = () => {
      this.asking = null
      this.queue.send("select", { question: id })
    }
    this.asking = setTimeout(send, 40)
  }

  // What is selected has its preview once it has stood a while.
  previewSoon() {
    clearTimeout(this.resting)
    // What is missing there is said beneath it; a selection does not cover that.
    if (!document.querySelector(".c-cannot:not([data-elsewhere])")) this.resting = setTimeout(() => this.showPreview(this.selected), REST)
  }

  // Writing.

  // Opens the editor, on this draft or one that was left; not where two texts of the
  // question wait to be decided on.
  edit(id, draft) {
    const row = this.byId.get(id)
    if (barred || !row?.editable) return
    if (this.editing === id && (!draft || draft.id === this.draft.id)) return this.field.focus()
    this.close()
    this.own.close()
    const left = this.left.filter(({ question, about }) => question === id && !about)
    draft ??= left.find((one) => !clashes(one, row))
    this.select(id)
    if (draft ? clashes(draft, row) : left.length) return
    this.draft = draft ? { ...draft, refused: null, tab: TAB } : drafts.begin(this.here, { question: id, text: row.text })
    Object.assign(this.draft, { revision: row.revision, base: row.text })
    if (draft) drafts.put(this.draft)
    this.editing = id
    this.store("editing", { query: this.data.query, id, draft: this.draft.id })
    this.draw()
    this.rows.get(id).children[1].replaceChildren(this.rewording(row))
    this.field.focus() // at once: typing may follow
  }

  // A question that asks two things: the first line rewords it, the others are new.
  split(row, halves) {
    const begun = this.left.some(({ question, about }) => question === row.id && !about)
    this.splitting = true
    this.edit(row.id, begun ? null : drafts.begin(this.here, { question: row.id, text: halves.join("\n"), revision: row.revision, base: row.text }))
    this.splitting = false
  }

  // A new question that is wanted next: of its subtopic, or from its passage, of which
  // nothing more is wanted once it is saved.
  write({ key, state, passage, subtopic }) {
    const begun = this.adding.draft.text.trim()
    this.adding.write(this.data.kind, begun ? null : { ...this.adding.fresh(), subtopic, step: passage && [key, state] })
  }

  rewording(row) {
    const { splitting } = this
    const save = (texts, draft) => {
      const about = { question: row.id, based_on: draft.revision }
      if (splitting && texts.length > 1) {
        const { kind } = this.data
        const other = drafts.begin(this.here, { question: null, text: texts.slice(1).join("\n"), kind })
        for (const one of [other, Object.assign(draft, { text: texts[0] })]) drafts.put(one)
        this.send("reword", { ...about, texts: texts.slice(0, 1), draft: draft.id, ...keyOf(draft) })
        return this.send("add", { texts: texts.slice(1), item_kind: kind, subtopic: row.subtopic, draft: other.id })
      }
      const written = { ...about, texts: [texts.join("\n")], draft: draft.id, ...keyOf(draft) }
      if (texts.join(" ") !== row.text) return this.send("reword", { ...written, ...this.decided(row) })
      if (draft.key != null) this.send("key", written)
      else drafts.drop(draft)
      if (row.state === "proposed") this.send("keep", { ...about, ...this.decided(row) })
    }
    const form = this.writing("Text of the question", save)
    if (row.state === "proposed") form.querySelector("[type=submit]").textContent = "Keep"
    if (splitting) form.querySelector("[type=submit]").textContent = "Split"
    return form
  }

  writing(label, save) {
    const { draft } = this
    const saved = (texts) => {
      this.close()
      drafts.put(draft)
      save(texts, draft)
      this.draw()
    }
    const key = this.byId.get(this.editing)?.key ?? ""
    this.field = writingField({ draft, label, saved, left: () => this.close(true), key })
    return this.field.form
  }

  close(back = false) {
    const { editing: id, draft } = this
    if (id == null) return
    Object.assign(this, { editing: null, draft: null })
    this.store("editing", null)
    if (["", draft.base].includes(draft.text.trim()) && draft.key == null) drafts.drop(draft)
    this.rows.get(id)?.children[1].replaceChildren()
    this.draw()
    if (back) this.rows.get(id)?.querySelector(".q-text")?.focus()
  }

  // Texts that are not saved.

  // What says what its question says is saved, and so is what questions here ask.
  sortTexts() {
    const { workspace, query } = this.data
    const busy = [this.draft?.id, this.adding.draft?.id, this.own.now?.id, this.nextUp.writing?.id, ...this.queue.pending.map(({ draft }) => draft)]
    const asked = new Set([...this.byId.values()].map(({ text }) => text))
    const saved = ({ question, about, text, key, flagged, refused }) =>
      (!text.trim() && key == null && !refused) ||
      (about
        ? this.own.isSaved(about, text, flagged, this.byId.get(question))
        : question
          ? this.byId.get(question)?.text === text.trim() && (key ?? this.byId.get(question).key) === this.byId.get(question).key
          : !refused && key == null && text.split("\n").every((line) => !line.trim() || asked.has(line.trim())))
    const here = (one) => HERE.includes(one.page) && one.query === query
    const left = drafts.shown(workspace).filter(({ id }) => !busy.includes(id))
    for (const one of left) if (here(one) && saved(one)) drafts.drop(one)
    this.left = left.filter((one) => here(one) && !saved(one))
    this.elsewhere = left.filter((one) => !here(one))
  }

  textLeft(draft, row) {
    const discard = () => {
      drafts.drop(draft)
      this.draw()
    }
    const goOn = () => this.goOnWith(draft)
    if (draft.about) return leftLine(draft, ABOUT[draft.about].name, { goOn: (row ?? this.nextUp.stepOf(draft)) && goOn, discard })
    if (!draft.question) return leftLine(draft, "draft", { goOn, discard })
    const asNew = { ...draft, question: null, revision: null, base: null }
    if (!row?.editable) return leftLine(draft, "add as new", { goOn: () => this.adding.write(draft.kind, asNew), discard })
    if (!clashes(draft, row)) return leftLine(draft, "draft", { goOn, discard })
    const keepMine = () => this.send("reword", { question: row.id, texts: [draft.text], based_on: row.revision, draft: draft.id, ...keyOf(draft) })
    const combine = () => {
      const text = [...new Set([row.text, draft.text])].join("\n")
      const both = { ...draft, text, revision: row.revision, base: row.text, refused: null }
      drafts.put(both)
      this.edit(row.id, both)
    }
    return conflictCards(draft, row, { keepMine, keepTheirs: discard, combine }, this.weighed(draft, row))
  }

  goOnWith(draft) {
    const row = this.byId.get(draft.question)
    if (!draft.about && !draft.question) return this.adding.write(draft.kind, draft)
    if (!draft.about) return this.edit(draft.question, draft)
    if (draft.about === "dismiss") this.nextUp.goOn(draft)
    else if (row) this.own.open(row, draft.about, draft)
  }

  // What each of two texts would do: Python is asked once, and says it when it knows.
  weighed({ text }, { id, revision }) {
    const asked = JSON.stringify([id, revision, text])
    if (!this.weighing.has(asked)) this.queue.send("weigh", { question: id, texts: [text] })
    this.weighing.add(asked)
    return this.data.weighed.find((one) => one.question === id && one.text === text)
  }

  // New questions on their way.
  coming() {
    const adds = this.queue.pending.filter(({ type, query }) => type === "add" && query === this.data.query)
    return adds.flatMap(({ nonce, texts }) => texts.map((text, n) => this.kept(`+ ${nonce} ${n}`, () => el("p", "q-coming", text, {}, el("small", "", "not saved yet")))))
  }

  // Questions that are not in the list any more, as far as somebody writes on them.
  gone() {
    const written = [...this.left, this.draft, this.own.now].map((one) => one?.question)
    const ids = [...new Set(written)].filter((id) => id && !this.byId.has(id))
    return ids.map((id) => {
      const element = this.kept(id, () => this.newRow(id))
      const left = this.left.filter(({ question }) => question === id)
      element.className = "c-question c-retired"
      element.removeAttribute("data-selected")
      this.fill(element.firstChild, ["gone"], () => [el("span", "c-text", "This question is no longer in the list.", { role: "status" })])
      this.fill(element.lastChild, [left], () => left.map((one) => this.textLeft(one)))
      return element
    })
  }

  drawRest() {
    const fresh = this.left.filter(({ question }) => !question)
    const here = this.left.length - fresh.length
    const way = ({ page, query, on }) => (on ? [`goto:${page}`, `on ${page}`] : [`query:${query}`, `in ${query}`])
    const places = new Map(this.elsewhere.map(way))
    const go = () => this.list.querySelector(".q-left, .q-conflict")?.scrollIntoView({ block: "nearest" })
    const waits = this.fresh.length > 0 && (this.isWriting || !this.settling)
    this.fill(this.rest, [fresh, here, [...places], waits && this.fresh], () => [
      waits && this.freshLine(),
      here + places.size > 0 &&
        el("p", "q-left", "Not saved yet: ", {},
          here && el("button", "q-link", `${here} here`, { type: "button", onclick: go }),
          ...[...places].map(([pick, says]) => el("button", "q-link", says, { type: "button", "data-pick": pick }))),
      ...fresh.map((one) => this.textLeft(one)),
    ])
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

// What goes with a text that is saved: its key, where that becomes another.
const keyOf = ({ key }) => (key == null ? {} : { key })
