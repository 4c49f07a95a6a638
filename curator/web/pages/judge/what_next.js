// What next: a few things to do in this query, each with why. `.` goes to the first and
// from each to the next, then to the query where most is to be done. It only ever looks;
// what it came to has its remedy on a key, and `,` leaves it alone, with a reason.
const EXCUSES = ["as it should be", "not worth it", "not now"]
const REMEDY = {
  x: (list, row, { reason }) => list.retire(row, reason),
  a: (list, row) => list.keep(row),
  e: (list, row, { halves }) => list.split(row, halves),
  m: (list, row) => list.own.open(row, "note"),
  n: (list, _, step) => list.write(step),
  D: (list) => list.send("done"),
}

class WhatNext {
  constructor(list) {
    Object.assign(this, { list, at: null, now: null, going: false, told: "" })
    this.root = el("section", "q-next", null, { "aria-label": "What next" })
  }

  // Another query: one that `.` led to is gone on with at once.
  open() {
    const { going } = this
    Object.assign(this, { at: null, now: null, going: false, told: "" })
    if (going) this.next()
  }

  // What an edit under way is about is as good as done.
  get steps() {
    const { data, queue } = this.list
    const busy = ({ question, key }) => queue.pending.some((one) => (question && one.question === question) || (one.type === "dismiss" && one.key === key))
    return data.next.filter((step) => !busy(step))
  }

  // The step that was gone to; none once anything else is selected.
  get armed() {
    return this.steps.find(({ key, question }) => key === this.at && (question ?? "") === (this.list.selected ?? ""))
  }

  next() {
    const { steps } = this
    const following = steps[steps.findIndex(({ key }) => key === this.at) + 1]
    if (following) return this.go(following)
    this.going = true
    this.list.queue.send("onward", { query: this.list.data.query })
  }

  go(step) {
    const { list } = this
    Object.assign(this, { at: step.key, now: null, told: "" })
    if (step.question && !list.shown.some(({ id }) => id === step.question)) list.showing.filter("all")
    list.select(step.question ?? "")
    list.previewSoon() // which it may have been already
    if (step.passage) list.queue.send("passage", { name: step.passage })
    list.draw()
    if (step.question) return list.goOn()
    const line = this.root.querySelector("[aria-current]")
    line?.focus({ preventScroll: true })
    line?.scrollIntoView({ block: "nearest" })
  }

  // The answer to a look elsewhere: a line where nothing is left to do.
  answered({ line }) {
    if (!line) return
    Object.assign(this, { going: false, told: line })
    this.list.draw()
  }

  dismiss(step, reason, draft = null) {
    this.now = null
    if (reason.trim()) this.list.send("dismiss", { key: step.key, state: step.state, reason, texts: [reason], draft })
    this.list.draw()
    this.root.querySelector("button")?.focus({ preventScroll: true })
  }

  draw() {
    const { steps, armed, told, writing } = this
    const step = armed ?? steps[0]
    // A click on its words goes to the step itself, the key and "Next" on to the following.
    const pressed = ({ detail, target }) => (step && detail && !target.closest("b, kbd") ? this.go(step) : this.next())
    this.list.fill(this.root, [step, armed?.key, writing?.at, told], () => [
      el("button", "q-step", null, { type: "button", "data-key": ".", "aria-current": armed ? "true" : null, title: "To the next thing to do, here and then elsewhere (.)", onclick: pressed },
        el("b", "", "Next"), el("kbd", "", "."), el("span", "c-number", told ? "" : step?.number), el("span", "", told || step?.why || "No step to offer here.", told ? { role: "status" } : {})),
      ...(armed ? this.remedies(step) : [el("span", "q-remedy", step?.remedy)]),
    ])
  }

  remedies(step) {
    const { list } = this
    const row = list.byId.get(step.question)
    const remedy = step.page
      ? button(step.remedy, step.press, null, { "data-pick": `goto:${step.page}` })
      : button(step.remedy, step.press, () => REMEDY[step.press](list, row, step))
    const other = list.byId.get(step.other)
    return [
      remedy,
      other && button("The other", null, () => list.retire(other, step.reason), { title: `${capital(VERBS.retire.base)} ${other.number} instead` }),
      button("Leave it", ",", () => this.leave(), { title: "Leave it alone, with a reason, until something changes" }),
      this.writing && this.form,
    ]
  }

  // Why a step is left alone is a draft until it is saved, in one form however often
  // the steps are drawn.
  get writing() {
    return this.now?.step === this.armed?.key ? this.now : null
  }

  stepOf = (draft) => this.steps.find(({ key }) => key === draft.step)

  leave(draft = this.list.left.find((one) => one.about === "dismiss" && one.step === this.at)) {
    const { armed, list } = this
    this.now = draft ? { ...draft, refused: null, tab: TAB } : drafts.begin(list.here, { question: armed.question ?? null, about: "dismiss", step: armed.key, text: "" })
    this.form = this.excuse(armed)
    list.draw()
    this.form.firstChild.focus()
  }

  goOn(draft) {
    this.go(this.stepOf(draft))
    this.leave(draft)
  }

  excuse(step) {
    const { now } = this
    const field = el("input", "", null, { "aria-label": "Why it is left alone", placeholder: "Why? Enter saves, Esc leaves", oninput: ({ target }) => drafts.write(now, { text: target.value }) })
    field.value = now.text
    const pressed = (event) => {
      event.stopPropagation()
      if (event.key !== "Escape") return
      this.now = null
      if (!now.text.trim()) drafts.drop(now)
      this.list.draw()
      this.root.querySelector("[aria-current]")?.focus({ preventScroll: true })
    }
    const saved = (event) => {
      event.preventDefault()
      this.dismiss(step, field.value, now.id)
    }
    field.addEventListener("keydown", pressed)
    const chips = EXCUSES.map((one) => el("button", "q-chip", one, { type: "button", onclick: () => this.dismiss(step, one) }))
    return el("form", "q-excuse", null, { onsubmit: saved }, field, ...chips)
  }
}
