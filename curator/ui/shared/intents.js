// Intents on their way to Python: one at a time, in order, each with a nonce and sent
// again until it is answered. They outlive a reload; the workspace named in them is the
// one they were meant for, and no other takes them.
const RESEND = 1500 // ms before an unanswered intent is sent again; doubles each time

class Queue {
  constructor(root) {
    Object.assign(this, { root, pending: [] })
  }

  serve(workspace, trigger) {
    this.trigger = trigger
    if (this.workspace !== workspace) {
      this.leave()
      this.workspace = workspace
      this.pending = kept.get("sessionStorage", this.place()) ?? []
      this.changed()
    }
    if (!this.resending) this.push()
  }

  leave() {
    clearTimeout(this.resending)
    this.resending = null
  }

  place = () => `curator/${this.workspace}/pending`

  add(intent) {
    this.pending.push({ nonce: nonce(), workspace: this.workspace, ...intent })
    this.changed()
    if (this.pending.length === 1) this.push()
  }

  // The intent that this answers, taken off; the next goes when its revision is known.
  take(answer) {
    const at = this.pending.findIndex(({ nonce }) => nonce === answer.nonce)
    if (at < 0) return
    const [intent] = this.pending.splice(at, 1)
    if (intent.draft) drafts.settle(intent, answer)
    this.changed()
    return intent
  }

  // An answered edit made a new revision, on which what waits was meant to be made; but
  // a verdict is on the words that were seen.
  follow(question, before, after) {
    for (const one of this.pending)
      if (one.kind !== "verdict" && one.question === question && one.based_on === before) one.based_on = after
    drafts.follow(this.workspace, question, before, after)
    this.changed()
  }

  changed() {
    kept.set("sessionStorage", this.place(), this.pending)
    this.root.toggleAttribute("data-unsaved", this.pending.length > 0)
  }

  push(wait = RESEND) {
    this.leave()
    if (!this.pending.length) return
    this.trigger("intent", this.pending[0])
    this.resending = setTimeout(() => this.push(Math.min(2 * wait, 12000)), wait)
  }
}
