// The pairs of a batch, one at a time: the question, the passage, a key for each answer.
// An answer leaves as an edit (channel.js) and the next pair is there at once; what graders
// and others say of a pair comes from Python, once it has the judge's own answer. The
// files named in check_list.py are one module.
const lists = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!lists.has(parentElement)) lists.set(parentElement, new CheckList(parentElement))
  lists.get(parentElement).receive(data, setTriggerValue)
  return () => {
    lists.get(parentElement)?.leave()
    lists.delete(parentElement)
  }
}

class CheckList {
  constructor(root) {
    this.bar = el("div", "k-bar")
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    this.pair = el("section", "k-pair", null, { "aria-label": "The pair to be checked" })
    this.said = el("div", "k-said")
    root.replaceChildren(this.bar, this.line, this.pair, this.said)
    this.queue = new Edits(root)
    this.look = new Look()
    this.listening = new AbortController()
    const { signal } = this.listening
    document.addEventListener("visibilitychange", () => this.look.turned(), { signal })
    onePress(root, signal)
  }

  leave() {
    this.listening.abort()
    this.queue.leave()
    delete document.documentElement.dataset.questions
  }

  receive(data, trigger) {
    this.data = data
    for (const [{ type }, { ok, line }] of this.queue.receive(data, trigger))
      if (!ok && (type === "check" || type === "draw")) this.say(line)
    this.draw()
    document.documentElement.dataset.questions = "checks"
  }

  say(line) {
    tell(this.line, line)
  }

  // My answer as it will be once everything on its way has arrived.
  mine(row) {
    const { of, draw } = this.data
    const last = this.queue.pending.findLast((one) => one.type === "check" && one.of === of && one.draw === draw && one.place === row.place)
    return last ? last.answer : row.mine
  }

  current = () => this.data.rows.find((row) => !row.gone && !this.mine(row))
  last = () => this.data.rows.findLast((row) => !row.gone && this.mine(row))

  answer(row, answer) {
    this.save(row, answer, this.look.seconds)
  }

  back() {
    this.save(this.last(), "", null)
  }

  save({ place }, answer, seconds) {
    const { of, draw, rows } = this.data
    this.say("")
    this.queue.save("check", { of, draw, place, answer, before: this.mine(rows[place]), seconds })
    this.draw()
  }

  another() {
    const { of, draw } = this.data
    this.say("")
    this.queue.send("draw", { of, draw })
  }

  // Drawing.

  draw() {
    const { of, draw, rows, summary } = this.data
    const row = this.current()
    const answered = rows.filter((one) => this.mine(one)).length
    fill(this.bar, [rows.length, answered, row?.place], () => this.progress(row, answered))
    fill(this.pair, [of, draw, row ?? [summary, this.queue.pending.length]], () => (row ? this.shown(row) : this.finished()))
    fill(this.said, [rows.map((one) => [this.mine(one), one])], () => this.list())
    const shown = JSON.stringify([of, draw, row?.place])
    if (this.asked === shown) return
    this.asked = shown
    this.look.start()
    if (!row && document.activeElement === document.body) this.pair.querySelector("button")?.focus({ preventScroll: true })
  }

  progress(row, answered) {
    const total = this.data.rows.length
    const track = { role: "progressbar", "aria-label": "Answered of these", "aria-valuemin": 0, "aria-valuemax": total, "aria-valuenow": answered }
    const back = button("Take back", "z", () => this.back(), { title: "Take my last answer back, and see that pair again", disabled: !this.last() && "" })
    return [
      el("b", "", row ? `${row.place + 1} of ${total}` : `${answered} of ${total}`, { role: "status" }),
      el("div", "c-track", null, track, el("div", "", null, { style: `width:${((100 * answered) / total).toFixed(1)}%` })),
      back,
    ]
  }

  shown(row) {
    const choose = ([answer, label, key, title]) => {
      const made = button(label, key, () => this.answer(row, answer), { title })
      made.classList.add(`k-${answer}`)
      return made
    }
    return [
      row.words !== row.query && el("p", "k-query", row.number ? `${row.query} · question ${row.number}` : row.query),
      el("h2", "k-words", row.words),
      el("div", "k-text", null, { tabindex: 0, role: "region", "aria-label": "Passage" },
        el("p", "", row.text, { dir: "auto" })),
      el("div", "k-answers", null, { role: "group", "aria-label": row.asks },
        el("span", "", row.asks), ...row.answers.map(choose)),
      // Not its id: that may tell which system wrote it.
      el("p", "k-why", `Asked because: ${row.reason}`),
    ]
  }

  finished() {
    const waiting = this.queue.pending.length > 0
    return [
      el("h2", "k-words", `All ${this.data.rows.length} are answered`),
      ...(waiting ? ["Saving…"] : this.data.summary).map((line) => el("p", "k-told", line)),
      el("div", "k-answers", null, {},
        el("button", "k-next", this.data.another, { type: "button", "data-key": "e", onclick: () => this.another() }, el("kbd", "", "Enter"))),
    ]
  }

  // What was answered, the latest first, beside what graders and others say.
  list() {
    const { rows, graders } = this.data
    const answered = rows.filter((row) => this.mine(row)).reverse()
    if (!answered.length) return []
    const second = rows.some((row) => row.others)
    const cell = (row, name) => {
      const [label, contradicts] = row.said[name] ?? ["–", false]
      return el("td", contradicts ? "n c-warning" : "n", label, { title: contradicts ? `${name} contradicts me` : null })
    }
    const line = (row) => {
      const mine = this.mine(row)
      const told = mine === row.mine
      return el("tr", "", null, {},
        el("td", "n", row.place + 1),
        el("td", `k-mine k-${mine}`, mine),
        el("td", "k-asked", null, { title: `${row.words} · ${row.passage}` }, row.words),
        ...graders.map(([name]) => (told ? cell(row, name) : el("td", "n", "…"))),
        second && el("td", row.disputed ? "k-others c-warning" : "k-others", told ? row.others : "", { title: row.others || null }))
    }
    const head = (text, css, title) => el("th", css, text, { scope: "col", title })
    return [
      el("table", "v-table", null, {},
        el("caption", "", "Answered, and what was said of it"),
        el("thead", "", null, {}, el("tr", "", null, {},
          head("#", "n"), head("I say"), head(this.data.noun),
          ...graders.map(([name, label]) => head(label, "n k-grader", name)), second && head("others", "k-others"))),
        el("tbody", "", null, {}, ...answered.map(line))),
    ]
  }
}
