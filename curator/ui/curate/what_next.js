// What next: a few things to do in this query, each with why. `.` goes to the first and
// from each to the next, then to the query where most is to be done. It only ever looks;
// what it came to has its remedy on a key, and `,` leaves it alone, with a reason.
const SHOWN = 3
const EXCUSES = ["as it should be", "not worth it", "not now"]
const REMEDY = {
  x: (list, row, { reason }) => list.retire(row, reason),
  a: (list, row) => list.keep(row),
  e: (list, row, { halves }) => list.split(row, halves),
  m: (list, row) => list.own.open(row),
  n: (list, _, step) => list.write(step),
  D: (list) => list.send("done"),
}

class WhatNext {
  constructor(list) {
    Object.assign(this, { list, at: null, leaving: false, going: false, told: "" })
    this.root = el("section", "q-next", null, { "aria-label": "What next" })
  }

  // Another query: one that `.` led to is gone on with at once.
  open() {
    const { going } = this
    Object.assign(this, { at: null, leaving: false, going: false, told: "" })
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
    Object.assign(this, { at: step.key, leaving: false, told: "" })
    if (step.question && !list.shown.some(({ id }) => id === step.question)) list.showing.filter("all")
    list.select(step.question ?? "")
    list.previewSoon() // which it may have been already
    if (step.passage) list.queue.send("passage", { name: step.passage })
    list.draw()
    if (step.question) list.goOn()
    else this.root.querySelector("[aria-current]")?.focus({ preventScroll: true })
  }

  // The answer to a look elsewhere: a line where nothing is left to do.
  answered({ line }) {
    if (!line) return
    Object.assign(this, { going: false, told: line })
    this.list.draw()
  }

  dismiss(step, reason) {
    this.leaving = false
    if (reason.trim()) this.list.send("dismiss", { key: step.key, state: step.state, reason })
    this.list.draw()
    this.root.querySelector("button")?.focus({ preventScroll: true })
  }

  draw() {
    const { steps, armed, told } = this
    this.leaving &&= Boolean(armed)
    const from = Math.max(0, steps.indexOf(armed) + 1 - SHOWN)
    const shown = steps.slice(from, from + SHOWN)
    this.list.fill(this.root, [shown, armed?.key, this.leaving, told], () => [
      button("What next", ".", () => this.next(), { title: "To the next thing to do, here and then elsewhere" }),
      el("div", "", null, {},
        ...shown.map((step) => this.line(step, step === armed)),
        (told || !steps.length) && el("p", "q-told", told || "No step to offer here.", { role: "status" })),
    ])
  }

  line(step, armed) {
    const { list } = this
    const row = list.byId.get(step.question)
    const face = el("button", "q-step", null, { type: "button", "data-key": "", "aria-current": armed ? "true" : null, title: step.why, onclick: () => this.go(step) },
      el("span", "c-number", step.number), el("span", "", step.why))
    if (!armed) return el("div", "q-todo", null, {}, face, el("span", "q-remedy", step.remedy))
    const remedy = step.page
      ? button(step.remedy, step.press, null, { "data-pick": `goto:${step.page}` })
      : button(step.remedy, step.press, () => REMEDY[step.press](list, row, step))
    const other = list.byId.get(step.other)
    return el("div", "q-todo", null, {}, face, remedy,
      step.passage && !list.data.asking.gate && !list.data.asking.wanting && button("Propose", "p", () => list.adding.ask({ passage: step.passage }), { title: "Have a model propose questions from it" }),
      other && button("The other", null, () => list.retire(other, step.reason), { title: `Retire ${other.number} instead` }),
      button("Leave it", ",", () => this.leave(), { title: "Leave it alone, with a reason, until something changes" }),
      this.leaving && this.excuse(step))
  }

  leave() {
    this.leaving = true
    this.draw()
    this.root.querySelector("input")?.focus()
  }

  excuse(step) {
    const field = el("input", "", null, { "aria-label": "Why it is left alone", placeholder: "Why? Enter saves, Esc leaves", maxlength: 200 })
    const pressed = (event) => {
      if (event.key === "Escape") {
        this.leaving = false
        this.draw()
        this.root.querySelector("[aria-current]")?.focus({ preventScroll: true })
      }
      event.stopPropagation()
    }
    const saved = (event) => {
      event.preventDefault()
      this.dismiss(step, field.value)
    }
    field.addEventListener("keydown", pressed)
    const chips = EXCUSES.map((one) => el("button", "q-chip", one, { type: "button", onclick: () => this.dismiss(step, one) }))
    return el("form", "q-excuse", null, { onsubmit: saved }, field, ...chips)
  }
}
