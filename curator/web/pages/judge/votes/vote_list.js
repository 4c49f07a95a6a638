// The questions of a query as one judge votes on them: vital or okay, a key each. A vote
// leaves as an edit (channel.js) and is shown at once; how others voted comes from
// Python, once it has the judge's own. The files named in vote_list.py are
// one module.
const CHOICES = [
  ["Vital", "vital", "v", "Vital: a response without it cannot be good"],
  ["Okay", "okay", "o", "Okay: good to have, no fault where it is missing"],
]
const lists = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!lists.has(parentElement)) lists.set(parentElement, new VoteList(parentElement))
  lists.get(parentElement).receive(data, setTriggerValue)
  return () => {
    lists.get(parentElement)?.leave()
    lists.delete(parentElement)
  }
}

class VoteList {
  constructor(root) {
    this.rows = new Map() // question → its element
    this.head = el("header", "q-head")
    this.bar = el("div", "v-bar")
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    this.list = el("div", "c-questions")
    this.foot = el("div", "v-foot", null, { role: "status" })
    root.replaceChildren(this.head, this.bar, this.line, this.list, this.foot)
    this.queue = new Edits(root)
    this.listening = new AbortController()
    // A question opened from elsewhere on the page is selected, whatever was before.
    const elsewhere = ({ target }) => target.closest?.("[data-pick]") && (this.asked = null)
    document.addEventListener("click", elsewhere, { capture: true, signal: this.listening.signal })
  }

  leave() {
    this.listening.abort()
    this.queue.leave()
    delete document.documentElement.dataset.questions
  }

  receive(data, trigger) {
    const opened = data.query !== this.data?.query || data.workspace !== this.data.workspace
    this.data = data
    const heard = this.queue.receive(data, trigger).filter(([{ type }]) => type !== "select")
    for (const [, { line }] of heard) this.say(line)
    if (heard.length && !this.queue.pending.length && this.asked) this.ask()
    if (opened) this.asked = null
    // What is answered while votes are on their way is not what is looked at by now.
    if (!this.asked) this.selected = data.selected
    else if (!this.queue.pending.length && !this.queue.asks("select") && this.asked === data.selected) this.asked = null
    this.draw()
    document.documentElement.dataset.questions = data.query
  }

  say(line) {
    tell(this.line, line)
  }

  // An undo or a redo; Python selects the question that it is about.
  back(type) {
    this.asked = null
    this.queue.save(type, { query: this.data.query })
    this.draw()
  }

  // Voting.

  // My vote as it will be once everything on its way has arrived.
  mine(row) {
    const mine = this.queue.pending.findLast(({ type, question }) => type === "vote" && question === row.id)
    return mine ? mine.vote : row.mine
  }

  vote(row, vote) {
    const following = vote && this.following(row)
    if (vote !== this.mine(row)) this.queue.save("vote", { query: this.data.query, question: row.id, vote, following: following || row.id })
    else if (following) return this.select(following)
    Object.assign(this, { selected: following || row.id, asked: following || row.id })
    this.draw()
    this.goOn(vote && !following)
  }

  // The next question without my vote, from the top if need be.
  following(row) {
    const { rows } = this.data
    const left = rows.filter((one) => one.id !== row.id && !this.mine(one))
    return (left.find((one) => rows.indexOf(one) > rows.indexOf(row)) ?? left[0])?.id
  }

  // On to what is selected now; from the last vote on, to the way to the next query.
  goOn(finished = false) {
    const row = this.rows.get(this.selected)
    const control = (finished && this.foot.querySelector("button")) || row?.querySelector(".q-text")
    control?.focus({ preventScroll: true })
    ;(finished ? this.foot : row)?.scrollIntoView({ block: "nearest" })
  }

  select(id) {
    if (this.selected === id) return
    Object.assign(this, { selected: id, asked: id })
    this.draw()
    this.goOn()
    this.ask()
  }

  // Has Python look at the question selected here, if it does not by then.
  ask() {
    clearTimeout(this.asking)
    this.asking = setTimeout(() => this.asked && this.asked !== this.data.selected && this.queue.send("select", { question: this.asked }), 40)
  }

  // Drawing.

  draw() {
    const { title, query, background, guidelines, rows, empty } = this.data
    const voted = rows.filter((row) => this.mine(row)).length
    fill(this.head, [title, query, background, guidelines], () => [
      el("div", "", null, {},
        el("h1", "c-title", `${title} `, {}, el("small", "", query)),
        background && el("p", "c-background", background),
        guidelines && el("button", "q-guide", guidelines, { type: "button", "data-pick": "guidelines:", title: "The guidelines, beside the work (G)" })),
    ])
    fill(this.bar, [voted, rows.length], () => this.progress(voted, rows.length))
    const wanted = rows.map((row) => this.row(row, row.number))
    if (!rows.length) wanted.push(this.kept("", () => el("p", "c-empty", empty)))
    for (const child of [...this.list.children]) if (!wanted.includes(child)) child.remove()
    wanted.forEach((node, n) => this.list.children[n] !== node && this.list.insertBefore(node, this.list.children[n] ?? null))
    for (const [id, node] of this.rows) if (!node.isConnected) this.rows.delete(id)
    this.drawFoot(rows.length > 0 && voted === rows.length)
  }

  kept(id, make) {
    if (!this.rows.has(id)) this.rows.set(id, make())
    return this.rows.get(id)
  }

  progress(voted, total) {
    const share = total ? (100 * voted) / total : 0
    const track = { role: "progressbar", "aria-label": "Voted in this query", "aria-valuemin": 0, "aria-valuemax": total, "aria-valuenow": voted }
    return [
      el("b", "", `${voted} of ${total}`),
      el("span", "", "voted here"),
      el("div", "c-track", null, track, el("div", "", null, { style: `width:${share.toFixed(1)}%` })),
      button("Undo", "u", () => this.back("undo"), { title: "Take back my latest edit in this query" }),
      button("Redo", "U", () => this.back("redo"), { title: "Make again what I took back" }),
    ]
  }

  row(row, number) {
    const [selected, mine] = [row.id === this.selected, this.mine(row)]
    const element = this.kept(row.id, () => this.newRow(row.id))
    element.toggleAttribute("data-selected", selected)
    fill(element.firstChild, [row, number, mine, selected], () => this.face(row, number, mine, selected))
    return element
  }

  newRow(id) {
    const clicked = ({ target }) => !target.closest("button:not(.q-text)") && this.select(id)
    return el("div", "c-question", null, { "data-question": id }, el("div", "q-face", null, { onclick: clicked }))
  }

  face(row, number, mine, selected) {
    const choose = ([label, vote, key, title]) => {
      const made = button(label, selected ? key : null, () => this.vote(row, vote), { title, "aria-pressed": String(mine === vote) })
      made.classList.add(`v-${vote}`)
      return made
    }
    const told = mine && mine === row.mine ? row.others : ""
    return [
      el("span", "c-number", number),
      el("button", "q-text c-text", row.text, { type: "button", "aria-current": selected && "true" }),
      el("div", "v-choices", null, { role: "group", "aria-label": `My vote on question ${number}` }, ...CHOICES.map(choose)),
      el("div", "c-meta", null, {},
        row.meta && el("span", "", row.meta),
        told && el("span", row.disputed ? "v-disputed" : "", told, { title: told })),
      selected && mine ? el("div", "v-back", null, {}, button("Take back", "w", () => this.vote(row, ""), { title: "Take my vote back" })) : null,
    ]
  }

  drawFoot(finished) {
    const { next, all, here } = this.data
    fill(this.foot, [finished, next, all, here], () => {
      if (!finished) return []
      if (!next) return [el("span", "", all)]
      const go = el("button", "v-next", `Next: ${isolated(next.name)}`, { type: "button", "data-pick": `query:${next.query}` }, el("kbd", "", "Enter"))
      return [el("span", "", here), go]
    })
  }
}
