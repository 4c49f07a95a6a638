// The one channel to Python: events {nonce, type, workspace, at, …}, each sent again
// until its nonce is answered. The workspace named in one is what it was meant for.
const RESEND = 1500 // ms before an unanswered event is sent again; doubles each time
const LONGEST_WAIT = 12000
const MOST = 20 // unanswered events of which nothing but a look is lost

function nonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((n) => n.toString(16).padStart(2, "0")).join("")
}

class Channel {
  unanswered = []

  // What Python has drawn anew: [event, answer] of each event that it answers.
  receive({ workspace, answers, barred: why }, trigger) {
    barred = why
    Object.assign(this, { workspace, trigger })
    const heard = answers.map((answer) => [this.take(answer), answer]).filter(([event]) => event)
    if (heard.length || !this.resending) this.push()
    return heard
  }

  made(type, payload) {
    return { nonce: nonce(), type, workspace: this.workspace, at: performance.timeOrigin + performance.now(), ...payload }
  }

  send(type, payload = {}) {
    const event = this.made(type, payload)
    this.unanswered = [...this.unanswered, event].slice(-MOST)
    this.push()
    return event
  }

  take(answer) {
    const at = this.unanswered.findIndex(({ nonce }) => nonce === answer.nonce)
    return at < 0 ? null : this.unanswered.splice(at, 1)[0]
  }

  waiting() {
    return this.unanswered
  }

  asks = (type) => this.unanswered.some((one) => one.type === type)

  push(wait = RESEND) {
    this.leave()
    const events = this.waiting()
    if (!events.length) return
    this.trigger("events", events)
    this.resending = setTimeout(() => this.push(Math.min(2 * wait, LONGEST_WAIT)), wait)
  }

  leave() {
    clearTimeout(this.resending)
    this.resending = null
  }
}
