// Which questions the list shows and in what order, and what is done with all proposals
// among them at once.
const SURE = 3 // so many proposals are decided at once without a second question

const ORDERS = {
  import: ["as imported"],
  influence: ["by influence", (row) => -(row.bar ?? -1)],
  look: ["needing a look first", (row) => (row.reason ? 0 : 1)],
}
const SHOWS = {
  all: ["all", () => true],
  proposed: ["proposed", (row) => row.state === "proposed"],
  near: ["proposed, near-duplicates", (row) => row.state === "proposed" && row.near],
  unanswered: ["proposed, nothing answers it", (row) => row.state === "proposed" && row.unanswered],
  kept: ["kept", (row) => row.state === "kept"],
  unvoted: ["kept, without my vote", (row) => row.state === "kept" && !row.vote],
  retired: [VERBS.retire.past, (row) => row.state === "retired"],
  noted: ["noted or flagged", (row) => noted(row)],
}

const noted = (row) => row.flagged || row.others_flagged || Boolean(row.note || row.others_note)

class Showing {
  constructor(list) {
    Object.assign(this, { list, order: null, show: "all", asked: null, added: [] })
  }

  // Another query, or the page anew, is looked at as the last one was.
  restore() {
    const before = this.list.stored("showing")
    Object.assign(this, { order: this.orderBy(before?.by), show: before?.show in SHOWS ? before.show : "all", asked: null, added: [] })
  }

  remember = () => this.list.store("showing", { by: this.order?.by, show: this.show })

  // The groups as they are shown. The order asked for stays as it was when it was asked
  // for, and what is new comes last; what is in work, or has a text that is not saved,
  // stays whatever it has become, and so does what was added since.
  groups(groups) {
    const at = (row) => this.order.ids.indexOf(row.id) + 1 || Infinity
    const wanted = SHOWS[this.show][1]
    const written = new Set(this.list.left.map(({ question }) => question))
    const stays = ({ id }) => id === this.list.editing || id === this.list.justRetired?.id || id === this.list.own.now?.question || this.added.includes(id) || written.has(id)
    return groups
      .map((group) => {
        const rows = group.rows.filter((row) => wanted(row) || stays(row))
        return { ...group, rows: this.order ? rows.sort((a, b) => at(a) - at(b)) : rows }
      })
      .filter(({ rows }) => rows.length)
  }

  anyNoted = () => [...this.list.byId.values()].some(noted)

  choices() {
    const states = new Set([...this.list.byId.values()].map(({ state }) => state))
    const offered = (name) => ({ all: true, kept: states.has("kept"), unvoted: [...this.list.byId.values()].some(({ vote }) => vote), retired: states.has("retired"), noted: this.anyNoted() })[name] ?? states.has("proposed")
    const order = this.choice("Order", "t", ORDERS, this.order?.by ?? "import", (by) => this.sort(by))
    const names = Object.keys(SHOWS).filter((name) => offered(name) || name === this.show)
    if (names.length < 3 && states.size < 2 && this.show === "all") return [order]
    const shows = Object.fromEntries(names.map((name) => [name, SHOWS[name]]))
    return [order, this.choice("Show", "T", shows, this.show, (name) => this.filter(name))]
  }

  choice(label, key, choices, chosen, choose) {
    const options = Object.entries(choices).map(([name, [said]]) => el("option", "", said, { value: name, selected: name === chosen ? "" : null }))
    return el("label", "", `${label}: `, {}, el("select", "q-choice", null, { "data-key": key, title: `${label} of the list, which stays in the next query (${key})`, onchange: (event) => choose(event.target.value) }, ...options))
  }

  orderBy(by) {
    const value = ORDERS[by]?.[1]
    const rows = [...this.list.byId.values()]
    return value ? { by, ids: rows.sort((a, b) => value(a) - value(b)).map((row) => row.id) } : null
  }

  sort(by) {
    this.order = this.orderBy(by)
    this.remember()
    this.list.draw()
  }

  filter(name) {
    Object.assign(this, { show: name, asked: null, added: [] })
    this.remember()
    this.list.sinceDecided.start()
    this.list.draw()
  }

  // The proposals on the screen, with the revisions that are read there.
  proposals = () => this.list.undecided().map(({ id, revision }) => [id, revision])

  bulk() {
    const many = this.proposals()
    const { by } = this.list.data
    const whose = by && many.length && el("em", "", `proposals by ${by}`, { title: `What they would reach and move, by ${by}` })
    return [...this.decisions(many), whose]
  }

  decisions(many) {
    if (many.length < 2) return []
    const number = many.length
    const says = JSON.stringify(many)
    if (this.asked?.says !== says) this.asked = null
    if (this.asked) return this.guard(this.asked.kind, many)
    const wish = (kind) => () => {
      if (number <= SURE) return this.decide(kind, many)
      this.asked = { kind, says }
      this.list.draw()
      this.list.bulk.querySelector("button")?.focus()
    }
    return [
      button(`Keep all ${number} shown`, null, wish("keep all")),
      button(`${capital(VERBS.drop.base)} all ${number} shown`, null, wish("drop all")),
    ]
  }

  // More than a few are decided only once it was said twice.
  guard(kind, many) {
    const leave = () => {
      this.asked = null
      this.list.draw()
    }
    return [
      el("b", "", `${kind === "keep all" ? "Keep" : capital(VERBS.drop.base)} ${many.length}?`, { role: "status" }),
      button("Yes", null, () => this.decide(kind, many)),
      button("No", null, leave, { looks: true }),
    ]
  }

  decide(kind, many) {
    this.asked = null
    const { sinceDecided, looked } = this.list
    const { seconds } = sinceDecided
    for (const one of [sinceDecided, looked]) one.start()
    this.list.send(kind, { many, seconds })
  }
}
