// The form of what holds for all who judge. What is typed is kept in this tab until it
// is saved, and told a moment later, so that the preview follows.
const PAUSE = 400 // ms without a key until the preview follows
const NAMES = ["title", "guidelines", "blind", "human_first", "min_relevance"]
const forms = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!forms.has(parentElement)) forms.set(parentElement, new SettingsForm(parentElement, data))
  forms.get(parentElement).receive(data, setTriggerValue)
  return () => {
    forms.get(parentElement)?.leave()
    forms.delete(parentElement)
  }
}

class SettingsForm {
  constructor(root, { saved, draft, most, workspace }) {
    const field = (tag, attributes) => el(tag, "", null, { spellcheck: tag === "textarea", ...attributes })
    const labelled = (text, css, control, about) => el("label", css, null, {}, el("span", "", text), control, about && el("small", "", about))
    this.title = field("input", { autocomplete: "off", placeholder: "what the collection is called" })
    this.guidelines = field("textarea", { rows: 9, placeholder: "Markdown: what judges read first. Its first sentence stands under every query." })
    this.blind = field("input", { type: "checkbox" })
    this.human_first = field("input", { type: "number", min: 0, max: most, step: 1 })
    this.min_relevance = field("input", { type: "number", step: 1, placeholder: "not set" })
    this.button = el("button", "p-button", "Save", { type: "submit" })
    this.state = el("p", "c-note s-state", "", { role: "status" })
    this.error = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    const form = el("form", "o-form s-form", null, { onsubmit: (event) => this.submit(event), oninput: () => this.typed() },
      labelled("Title", "", this.title),
      labelled("Guidelines", "", this.guidelines),
      labelled("Blind", "s-line", this.blind, "Judges see masked system names, no judgments and no official ranks."),
      labelled("Own questions first", "s-line", this.human_first, "So many a judge writes in a query before seeing proposals there; 0 for none."),
      labelled("Relevant from", "s-line", this.min_relevance, "The judgment from which a passage counts as relevant."),
      this.error,
      el("div", "o-line", null, {}, this.button, this.state))
    root.replaceChildren(form)
    this.place = `curator/${workspace}/settings`
    this.channel = new Channel()
    this.saved = saved
    const left = kept.get("sessionStorage", this.place)
    const known = left && NAMES.every((name) => typeof left[name] === "string")
    this.fill(draft ?? (known ? left : saved))
    this.untold = known && !draft && this.dirty()
  }

  receive(data, trigger) {
    const clean = !this.dirty()
    const heard = this.channel.receive(data, trigger)
    const [sent, answer] = heard.find(([event]) => event === this.sending) ?? []
    if (sent) this.sending = null
    const before = this.saved
    this.saved = data.saved
    // Somebody else's save is shown where nothing else is written in its place.
    const same = (name, value) => this.value(name) === value[name]
    if (clean || (sent && answer.ok && NAMES.every((name, at) => this.value(name) === sent.values[at]))) this.fill(data.saved)
    else for (const name of NAMES) if (same(name, before)) this.put(name, data.saved[name])
    if (sent) this.say(answer.line)
    this.show()
    if (this.untold) this.tell((this.untold = false))
  }

  value(name) {
    return name === "blind" ? (this.blind.checked ? "yes" : "") : this[name].value
  }

  put(name, value) {
    if (name === "blind") this.blind.checked = value === "yes"
    else if (this[name].value !== value) this[name].value = value
  }

  fill(values) {
    for (const name of NAMES) this.put(name, values[name])
  }

  values = () => Object.fromEntries(NAMES.map((name) => [name, this.value(name)]))
  changed = () => NAMES.filter((name) => this.value(name) !== this.saved[name])
  dirty = () => this.changed().length > 0

  show() {
    const dirty = this.dirty()
    kept.set("sessionStorage", this.place, dirty ? this.values() : null)
    for (const control of [...NAMES.map((name) => this[name]), this.button]) Object.assign(control, { disabled: Boolean(barred), title: barred })
    if (!barred) this.button.disabled = !dirty || Boolean(this.sending)
    this.state.textContent = barred ? `${barred}.` : this.sending ? "Saving…" : dirty ? "Not saved yet." : "Saved: this holds for everyone."
  }

  say(line) {
    tell(this.error, line)
  }

  typed() {
    this.say("")
    this.show()
    clearTimeout(this.pause)
    this.pause = setTimeout(() => this.tell(), PAUSE)
  }

  send = (save) => this.channel.send("settings", { save, changed: this.changed(), values: Object.values(this.values()) })

  tell() {
    if (!this.sending) this.send(false)
  }

  submit(event) {
    event.preventDefault()
    clearTimeout(this.pause)
    if (!this.dirty()) return
    this.sending = this.send(true)
    this.show()
  }

  leave() {
    clearTimeout(this.pause)
    this.channel.leave()
  }
}
