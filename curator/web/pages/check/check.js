// The queue of the Check page, one item at a time: the question, the passage, a key for
// each answer; beneath it what was answered. An answer leaves as an edit (edits.js) and
// the next item is there at once; what graders and others say comes from Python, once the
// item has the judge's own answer. The files named in page.py are one module.
const lists = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!lists.has(parentElement)) lists.set(parentElement, new CheckQueue(parentElement))
  lists.get(parentElement).receive(data, setTriggerValue)
  return () => {
    lists.get(parentElement)?.leave()
    lists.delete(parentElement)
  }
}

const COMMENT = { label: "What you say of this item", placeholder: "Say why; Ctrl+Enter saves it for everybody to read" }
const REASON = { label: "Reason", placeholder: "Reason, kept with the decision (not needed)" }

class CheckQueue {
  constructor(root) {
    this.bar = el("div", "k-bar")
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    this.item = el("section", "k-pair", null, { "aria-label": "The item to answer" })
    this.list = el("div", "k-said")
    this.queue = new Edits(root)
    this.remark = new RemarkBox(el("div", "k-remark"), { ...COMMENT, button: "Say it" }, this.queue)
    root.replaceChildren(this.bar, this.line, this.item, this.remark.root, this.list)
    this.look = new Look()
    this.refused = new Map() // row id → why its answer was not saved
    this.listening = new AbortController()
    const { signal } = this.listening
    document.addEventListener("visibilitychange", () => this.look.turned(), { signal })
    onePress(root, signal)
    const ask = this.remark.goTo.bind(this.remark)
    this.remark.goTo = (draft) => (this.row(draft.on) ? this.open(draft.on) : ask(draft))
  }

  leave() {
    this.listening.abort()
    clearTimeout(this.asking)
    this.remark.leave()
    this.queue.leave()
    delete document.documentElement.dataset.questions
  }

  receive(data, trigger) {
    const other = JSON.stringify([data.workspace, data.queue]) !== JSON.stringify([this.data?.workspace, this.data?.queue])
    const elsewhere = data.opened !== this.data?.opened && data.opened !== this.asked && !this.asking && !this.queue.asks("open-item")
    this.data = data
    const heard = this.queue.receive(data, trigger)
    if (other) this.refused.clear()
    // What was opened in the browser holds, unless the address names another item since.
    if (other || elsewhere) this.asked = this.opened = data.opened
    for (const [sent, { ok, line }] of heard) {
      const row = data.rows.find(({ save }) => matches(sent, save))
      if (!ok && row) this.refused.set(row.id, line)
      else if (!ok && !sent.texts) this.told = line
    }
    this.draw(heard)
    document.documentElement.dataset.questions = "checks"
  }

  // Why something was not done: the next pairs not drawn, answers not saved.
  drawLine() {
    const refused = [...this.refused.keys()].map((id) => this.row(id)?.title ?? id).join(", ")
    tell(this.line, this.told || (refused && `Not saved: ${refused}. ${[...this.refused.values()].at(-1)}`))
  }

  row = (id) => this.data.rows.find((row) => row.id === id)

  // My answer as it will be once everything on its way has arrived.
  mine({ mine, save }) {
    const last = this.queue.pending.findLast((sent) => matches(sent, save))
    return last ? last.answer : mine
  }

  waits = (row) => row.open && !this.mine(row)
  // Without anything that waits, a revealed round is read from its top.
  current = () => this.row(this.opened) ?? this.data.rows.find(this.waits) ?? this.data.rows.find((row) => row.source === "norming" && !row.open)

  answer(row, answer) {
    const before = this.mine(row)
    if (answer === before) return
    this.refused.delete(row.id)
    this.told = ""
    const decides = row.save.type === "decide"
    const more = decides ? { reason: this.remark.field.value.trim(), ...this.remark.words() } : { before }
    if (row.save.type === "check") more.seconds = answer ? this.look.seconds : null
    this.queue.save(row.save.type, { ...row.save, answer, ...more })
    this.last = row.id
    this.open(answer && row.open ? this.following(row) : row.id, { silently: true })
  }

  // The next item that waits, from the top if need be.
  following(row) {
    const { rows } = this.data
    const at = rows.indexOf(row)
    return [...rows.slice(at + 1), ...rows.slice(0, at)].find(this.waits)?.id ?? null
  }

  // The answer to take back: of what is opened, else my last one.
  taken() {
    const answered = (row) => row?.open && this.mine(row) && row
    return answered(this.row(this.opened)) || answered(this.row(this.last)) || this.data.rows.findLast((row) => row.source !== "disagreements" && answered(row))
  }

  // Opened by hand, the address says so; by an answer, Python follows it.
  open(id, { silently = false } = {}) {
    this.opened = id
    clearTimeout(this.asking)
    this.asking = null
    if (!silently)
      this.asking = setTimeout(() => {
        this.asking = null
        this.queue.send("open-item", { name: id })
      }, 40)
    this.asked = silently ? this.data.opened : id
    this.draw()
    if (!silently) this.bar.scrollIntoView({ block: "nearest" })
  }

  // My answer becomes the known one, by which other judges are rated.
  markGold({ save, gold }) {
    const { of, draw, place } = save
    this.queue.save("gold", { of, draw, place, gold: gold.startsWith("Make") })
  }

  another() {
    this.told = ""
    this.queue.send("draw", this.data.draw)
  }

  // Drawing.

  draw(heard = []) {
    const { queue, rows, summary, another } = this.data
    const row = this.current()
    const answers = rows.map((each) => this.mine(each))
    this.drawLine()
    fill(this.bar, [rows.length, answers, row?.id, this.taken()?.id, this.data.names], () => this.progress(row, answers))
    fill(this.item, [queue, row ? [row, this.mine(row)] : [summary, another, rows.length, this.queue.pending.length]], () => (row ? this.face(row) : this.finished()))
    fill(this.list, [rows, answers, row?.id], () => this.answered(row))
    this.drawRemark(row, heard)
    const shown = JSON.stringify([queue, row?.id])
    if (this.shown === shown) return
    this.shown = shown
    this.look.start()
    if (!row && document.activeElement === document.body) this.item.querySelector("button")?.focus({ preventScroll: true })
  }

  progress(row, answers) {
    const { rows, names } = this.data
    const done = answers.filter(Boolean).length
    const track = { role: "progressbar", "aria-label": "Answered of these", "aria-valuemin": 0, "aria-valuemax": rows.length, "aria-valuenow": done }
    const taken = this.taken()
    return [
      el("b", "", row ? `${rows.indexOf(row) + 1} of ${rows.length}` : `${done} of ${rows.length}`, { role: "status" }),
      el("div", "c-track", null, track, el("div", "", null, { style: `width:${((100 * done) / rows.length).toFixed(1)}%` })),
      row?.source === "disagreements" && button(names ? "Hide names" : "Show names", "w", null, { "data-pick": "who-said:", title: "Who says what: a name can sway whoever decides" }),
      row?.open && button("Later", ".", () => this.open(this.following(row), { silently: true }), { title: "The next item, this one later", disabled: this.following(row) ? null : "" }),
      button("Take back", "z", () => this.answer(this.taken(), ""), { title: "Take my last answer back, and see that item again", disabled: taken ? null : "" }),
    ]
  }

  face(row) {
    const mine = this.mine(row)
    const choose = ([answer, label, key, title]) => {
      const made = button(label, key, () => this.answer(row, answer), { title, "aria-pressed": String(answer === mine) })
      made.classList.add(`k-${answer}`)
      return made
    }
    const tells = row.source === "disagreements" || mine === row.mine
    return [
      row.about && el("p", "k-query", row.about),
      el("h2", "k-words", row.title),
      row.text && el("div", "k-text", null, { tabindex: 0, role: "region", "aria-label": "Passage" },
        el("p", "", row.text, { dir: "auto" })),
      el("div", "k-answers", null, { role: "group", "aria-label": row.asks },
        el("span", "", row.asks), ...row.choices.map(choose)),
      tells && row.said.length > 0 && el("dl", "k-others", null, {}, ...row.said.map(([who, what, warns]) =>
        el("div", "", null, {}, el("dt", "", who), el("dd", warns && "c-warning", what)))),
      ...(row.notes ?? []).map(([who, text]) => el("p", "k-note", null, {}, el("b", "", who), ` ${text}`)),
      el("p", "k-why", row.why, {}, row.gold && button(row.gold, null, () => this.markGold(row), { title: "Mix it into the pairs of other judges, who do not know which it is" })),
    ]
  }

  finished() {
    const waiting = this.queue.pending.length > 0
    const { rows, summary, another } = this.data
    return [
      el("h2", "k-words", `All ${rows.length} are answered`),
      ...(waiting ? ["Saving…"] : summary).map((line) => el("p", "k-told", line)),
      another && el("div", "k-answers", null, {},
        el("button", "k-next", another, { type: "button", "data-key": "e", onclick: () => this.another() }, el("kbd", "", "Enter"))),
    ]
  }

  // What was answered, the latest pair first, beside what graders and others say; of one
  // source alone also what waits, but for pairs, which are answered in the order drawn.
  answered(current) {
    const { rows, queue } = this.data
    const listed = rows.filter((row) => this.mine(row) || (queue[0] !== "all" && row.source !== "pairs"))
    if (!listed.length) return []
    const line = (row) => {
      const mine = this.mine(row)
      const label = row.choices.find(([answer]) => answer === mine)?.[1] ?? mine
      const said = mine === row.mine || row.source === "disagreements" ? row.said : [["", "…", false]]
      const selected = row === current
      return el("button", "c-question", null, { type: "button", "data-selected": selected && "", "aria-current": selected && "true", onclick: () => this.open(row.id) },
        el("span", "", row.title), el("b", `k-mine k-${mine}`, label),
        el("small", "", null, {}, ...said.map(([who, what, warns]) => el("span", warns && "c-warning", `${who} ${what}`, { title: warns ? `${who} contradicts me` : null }))))
    }
    const pairs = listed.filter((row) => row.source === "pairs").reverse()
    return [
      el("h2", "k-head", queue[0] === "all" || queue[0] === "pairs" ? "Answered, and what was said of it" : "All items"),
      ...[...listed.filter((row) => row.source !== "pairs"), ...pairs].map(line),
    ]
  }

  // The field for a comment or a reason, beneath an item that takes one.
  drawRemark(row, heard) {
    const kind = !barred && row?.remark
    const { field, button: submit } = this.remark
    const { label, placeholder } = kind === "reason" ? REASON : COMMENT
    field.setAttribute("aria-label", label)
    field.placeholder = placeholder
    submit.hidden = kind !== "comment"
    const { about: round, place } = row?.save ?? {}
    const about = kind && { on: row.id, title: row.remarkTitle ?? row.title, pick: `open-item:${row.id}`, about: { about: round, place } }
    const saves = kind === "comment" ? "norming-comment" : ""
    this.remark.receiveFrom({ workspace: this.data.workspace, page: "Check", on: null, saves, ...about }, heard)
  }
}

// Whether an edit is an answer to the item that is saved so.
function matches(sent, save) {
  return Object.entries(save).every(([name, value]) => sent[name] === value)
}
