// A channel that saves: edits leave in order, one at a time, since the next rests on the
// revision that the one before has made. They outlive a reload, and whichever page is
// open then sends them again.
class Edits extends Channel {
  constructor(root) {
    super()
    Object.assign(this, { root, pending: [] })
  }

  receive(data, trigger) {
    if (this.workspace !== data.workspace) {
      this.leave()
      this.workspace = data.workspace
      this.pending = kept.get("sessionStorage", this.place()) ?? []
      this.changed()
    }
    return super.receive(data, trigger)
  }

  place = () => `curator/${this.workspace}/pending`

  save(type, payload = {}) {
    this.pending.push(this.made(type, payload))
    this.changed()
    if (this.pending.length === 1) this.push()
  }

  take(answer) {
    const at = this.pending.findIndex(({ nonce }) => nonce === answer.nonce)
    if (at < 0) return super.take(answer)
    const [event] = this.pending.splice(at, 1)
    if (event.draft) drafts.settle(event, answer)
    for (const revisions of answer.revisions) this.follow(...revisions)
    this.changed()
    return event
  }

  // An answered edit made a new revision, on which what waits was meant to be made; but
  // a verdict is on the words that were seen.
  follow(question, before, after) {
    for (const one of this.pending)
      if (one.type !== "verdict" && one.question === question && one.based_on === before) one.based_on = after
    drafts.follow(this.workspace, question, before, after)
  }

  waiting = () => [...this.pending.slice(0, 1), ...this.unanswered].sort((one, other) => one.at - other.at)

  changed() {
    kept.set("sessionStorage", this.place(), this.pending)
    this.root.toggleAttribute("data-unsaved", this.pending.length > 0)
  }
}
