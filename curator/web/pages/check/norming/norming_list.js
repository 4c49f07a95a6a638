// The items of a round, the opened one with its answers and what is said of it. An answer
// leaves as an edit (edits.js) and the next item is there at once, so that a key answers
// what was shown when it was pressed; what others say comes from Python, once the round
// is revealed. The files named in answering.py are one module.
const lists = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!lists.has(parentElement)) lists.set(parentElement, new NormingList(parentElement))
  lists.get(parentElement).receive(data, setTriggerValue)
  return () => {
    lists.get(parentElement)?.leave()
    lists.delete(parentElement)
  }
}

class NormingList {
  constructor(root) {
    this.bar = el("div", "d-bar")
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    this.list = el("div", "c-questions d-list")
    root.replaceChildren(this.bar, this.line, this.list)
    this.queue = new Edits(root)
    this.remark = null // one field, beneath the item that is opened
    this.refused = new Map() // place → why my answer was not saved
    this.listening = new AbortController()
    onePress(root, this.listening.signal)
  }

  leave() {
    this.listening.abort()
    clearTimeout(this.asking)
    this.remark?.leave()
    this.queue.leave()
    delete document.documentElement.dataset.questions
  }

  receive(data, trigger) {
    const { workspace, round, revealed, named } = this.data ?? {}
    const other = data.workspace !== workspace || data.round !== round
    this.data = data
    const heard = this.queue.receive(data, trigger)
    if (other) this.refused.clear()
    // What was opened in the browser holds, unless the address names another item since.
    const elsewhere = data.named != null && data.named !== named && data.named !== this.asked && !this.asking && !this.queue.asks("normed")
    if (other || data.revealed !== revealed || elsewhere) this.asked = this.opened = data.opened
    for (const [sent, { ok, line }] of heard)
      if (!ok && sent.type === "norm" && sent.about === data.round) this.refused.set(sent.place, line)
    this.remark ??= this.remarkBox(data.remark)
    this.draw(heard)
    document.documentElement.dataset.questions = "norming"
  }

  // An item of this round is opened here: asked for, it could be overtaken by what was
  // opened just before.
  remarkBox(words) {
    const box = new RemarkBox(el("div", "n-remark"), words, this.queue)
    const ask = box.goTo.bind(box)
    box.goTo = (one) => {
      const [round, place] = one.on.split("/").map(Number)
      if (round === this.data.round && this.row(place)) this.open(place)
      else ask(one)
    }
    return box
  }

  row = (place) => this.data.rows.find((one) => one.place === place)

  // My answer as it will be once everything on its way has arrived.
  mine({ place, mine }) {
    const last = this.queue.pending.findLast((one) => one.type === "norm" && one.about === this.data.round && one.place === place)
    return last ? last.answer : mine
  }

  answer(row, answer) {
    const { round, revealed } = this.data
    const before = this.mine(row)
    this.refused.delete(row.place)
    if (answer !== before) this.queue.save("norm", { about: round, place: row.place, answer, before })
    this.last = row.place
    this.open(answer && !revealed ? this.following(row) : row.place, { silently: true })
  }

  // The next item without my answer, from the top if need be.
  following({ place }) {
    const left = this.data.rows.filter((row) => !this.mine(row)).map((row) => row.place)
    return left.find((one) => one > place) ?? left[0] ?? null
  }

  // The answer to take back: of what is opened, else the one that I gave last.
  taken() {
    const answered = (row) => row && this.mine(row) && row
    return answered(this.row(this.opened)) || answered(this.row(this.last)) || this.data.rows.findLast((row) => this.mine(row))
  }

  // Opened by hand, the address says so; by an answer, Python follows it.
  open(place, { silently = false } = {}) {
    this.opened = place
    clearTimeout(this.asking)
    this.asking = null
    if (silently) this.asked = null
    else {
      this.asked = place
      this.asking = setTimeout(() => {
        this.asking = null
        this.queue.send("normed", { name: `${this.data.round}/${place}` })
      }, 40)
    }
    this.draw()
    this.list.querySelector(".d-open")?.scrollIntoView({ block: "nearest" })
  }

  // Drawing.

  draw(heard = []) {
    const { data } = this
    const open = data.choices.length > 0
    const finished = open && !data.revealed && data.rows.every((row) => this.mine(row))
    const back = open && !data.revealed && [this.taken()?.place]
    fill(this.bar, [data.round, data.says, back, finished], () => [
      el("span", "", `Round ${data.round}`),
      el("small", "", finished ? `${data.says} · all answered` : data.says, { role: "status" }),
      back && button("Take back", "z", () => this.answer(this.taken(), ""), { title: "Take an answer back, and see that item again", disabled: this.taken() ? null : "" }),
    ])
    const places = [...this.refused.keys()].map((place) => place + 1).join(", ")
    tell(this.line, places && `Not saved: item ${places}. ${[...this.refused.values()].at(-1)}`)
    fill(this.list, [data.round, data.revealed, data.rows.map(({ place }) => place)], () => data.rows.map(() => el("div", "d-row", null, {}, el("div"))))
    data.rows.forEach((row, n) => this.item(this.list.children[n], row))
    this.say(heard)
  }

  item(element, row) {
    const here = row.place === this.opened
    element.classList.toggle("d-open", here)
    element.toggleAttribute("data-selected", here)
    fill(element.firstChild, [row, here, this.mine(row), this.data.choices], () => this.face(row, here))
  }

  face(row, here) {
    const { revealed, choices } = this.data
    const mine = this.mine(row)
    const said = revealed ? row.said.map(([, what]) => what).join(" · ") : mine && "✓"
    const choose = ([answer, key]) => button(`${answer} `, key, () => this.answer(row, answer), { "aria-pressed": String(answer === mine) })
    return [
      el("button", "c-question", null, { type: "button", "data-selected": here && "", "aria-current": here && "true", onclick: () => this.open(row.place) },
        el("b", "", row.words),
        el("small", "", row.about, {}, row.changed && " · ", row.changed && el("i", "", row.changed)),
        el("span", "d-said", said)),
      here && row.passage && el("blockquote", "d-text", row.passage, { dir: "auto" }),
      here && choices.length > 0 && el("div", "n-choices", null, { role: "group", "aria-label": "My answer" }, ...choices.map(choose)),
      here && revealed && el("dl", "n-said", null, {}, ...row.said.map(([judge, what]) => el("div", "", null, {}, el("dt", "", judge), el("dd", "", what)))),
      ...(here ? row.comments.map(([judge, text]) => el("p", "d-why", null, {}, el("b", "", judge), text)) : []),
      !here && row.comments.length > 0 && el("p", "n-count", `${row.comments.length} said`),
    ]
  }

  // The field for a comment, beneath the item that is opened once there is one.
  say(heard) {
    const { round, talks, remark, workspace } = this.data
    const place = talks && !barred ? this.opened : null
    const row = this.list.querySelector(".d-open")
    if (this.remark.root.parentElement !== (row ?? this.list)) (row ?? this.list).append(this.remark.root)
    const on = place == null ? null : `${round}/${place}`
    const names = { title: `item ${place + 1} of round ${round}`, pick: `normed:${on}` }
    this.remark.receiveFrom({ ...remark, ...names, workspace, on, about: { about: round, place } }, heard)
  }
}
