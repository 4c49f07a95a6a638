// The verdicts of the Answers tab. Python draws the answers; a press on one of the two
// controls of a line (verdicts.js) leaves as an edit (channel.js). The files named in
// answer_list.py are one module.
const judges = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!judges.has(parentElement)) judges.set(parentElement, new AnswerJudge(parentElement))
  judges.get(parentElement).receive(data, setTriggerValue)
  return () => {
    judges.get(parentElement)?.leave()
    judges.delete(parentElement)
  }
}

class AnswerJudge {
  constructor(root) {
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    root.replaceChildren(this.line)
    this.queue = new Edits(root)
    this.listening = new AbortController()
    const pressed = ({ target }) => {
      const control = target.closest?.(".a-row button[data-verdict]")
      if (control) this.judge(control)
    }
    document.addEventListener("click", pressed, { signal: this.listening.signal })
  }

  leave() {
    this.listening.abort()
    this.queue.leave()
  }

  judge(control) {
    const { query } = control.closest(".a-row").dataset
    this.queue.save("verdict", { query, ...verdictWish(control, this.queue.pending) })
  }

  receive(data, trigger) {
    for (const [event, { ok, line }] of this.queue.receive(data, trigger)) {
      if (event.type === "verdict") verdictAnswered(event, ok)
      this.say(ok ? "" : line)
    }
    showPending(this.queue.pending)
  }

  say(line) {
    tell(this.line, line)
  }
}
