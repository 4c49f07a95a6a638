// The form that says how a model is asked. What is typed is told a moment later, so that
// the preview follows, and is kept in this tab; Save makes it what the workspace's pages ask.
const PAUSE = 400 // ms without a key until the preview follows
const ALWAYS = ["model", "endpoint", "temperature", "prompt", "count"]
const OWN = ["text", "kind"] // of a prompt of one's own only
const NEEDED = "One of the first two or {passage} must stand in it; any other brace is a brace."
const forms = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!forms.has(parentElement)) forms.set(parentElement, new RequestForm(parentElement, data))
  forms.get(parentElement).receive(data, setTriggerValue)
  return () => {
    forms.get(parentElement)?.leave()
    forms.delete(parentElement)
  }
}

class RequestForm {
  constructor(root, { prompts, kinds, placeholders, most, saved, draft, workspace }) {
    this.prompts = new Map(prompts.map(([value, , about]) => [value, about]))
    const options = (pairs) => pairs.map(([value, label]) => el("option", "", label, { value }))
    const field = (tag, attributes, ...children) => el(tag, "", null, { spellcheck: "false", ...attributes }, ...children)
    const labelled = (text, css, control) => {
      control.setAttribute("aria-label", text) // else a list's choices belong to its name
      return el("label", css, null, {}, el("span", "", text), control)
    }
    this.model = field("input", { placeholder: "such as gpt-4o-mini", autocomplete: "off" })
    this.endpoint = field("input", { placeholder: "as the environment says, or https://…/v1", autocomplete: "off" })
    this.temperature = field("input", { type: "number", min: 0, max: 2, step: "any", placeholder: "its own" })
    this.prompt = field("select", {}, ...options(prompts))
    this.count = field("input", { type: "number", min: 1, max: most, step: 1 })
    this.text = field("textarea", { rows: 6, placeholder: "Write questions about '{query_title}' …" })
    this.kind = field("select", {}, ...options(kinds))
    this.button = el("button", "p-button", "Save", { type: "submit", title: "Models are then asked like this" })
    this.tryIt = el("button", "p-button", "Try it", { type: "button", onclick: () => this.channel.send("try_endpoint", { name: this.model.value, endpoint: this.endpoint.value }) })
    this.own = el("div", "o-own", null, {}, labelled("Your prompt", "o-text", this.text), el("p", "c-note", `In braces: ${placeholders.join(", ")}. ${NEEDED}`), labelled("It asks for", "o-kind", this.kind))
    this.about = el("p", "c-note", "")
    this.state = el("p", "c-note o-state", "", { role: "status" })
    this.error = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    const line = el("div", "o-line", null, {}, labelled("Model", "o-model", this.model), labelled("Endpoint", "o-endpoint", this.endpoint), labelled("Temperature", "o-number", this.temperature), labelled("Prompt", "o-prompt", this.prompt), labelled("Questions", "o-number", this.count), this.button, this.tryIt)
    const form = el("form", "o-form", null, { onsubmit: (event) => this.submit(event), oninput: () => this.typed() }, line, this.about, this.own, this.error, this.state)
    root.replaceChildren(form)
    this.channel = new Channel()
    this.saved = saved
    this.place = `curator/${workspace}/request`
    const left = kept.get("sessionStorage", this.place)
    const known = left && [...ALWAYS, ...OWN].every((name) => typeof left[name] === "string")
    this.fill(draft ?? (known ? left : saved))
    this.untold = known && !draft && this.dirty()
  }

  receive(data, trigger) {
    const { saved, stored } = data
    const clean = !this.dirty()
    const heard = this.channel.receive(data, trigger)
    const [sent, answer] = heard.find(([event]) => event === this.sending) ?? []
    if (sent) this.sending = null
    this.saved = saved
    this.stored = stored
    // Somebody else's save is shown where nothing is being written here; of one's own,
    // what has been typed since stays.
    if (clean || (sent && answer.ok && this.is(sent))) this.fill(saved)
    if (sent) this.say(answer.line)
    this.show()
    if (this.untold) this.tell((this.untold = false))
  }

  fill(values) {
    const names = values.prompt === "own" ? [...ALWAYS, ...OWN] : ALWAYS
    for (const name of names) if (this[name].value !== values[name]) this[name].value = values[name]
    this.show()
  }

  values() {
    return Object.fromEntries([...ALWAYS, ...OWN].map((name) => [name, this[name].value]))
  }

  is(values) {
    const names = this.prompt.value === "own" ? [...ALWAYS, ...OWN] : ALWAYS
    return names.every((name) => this[name].value.trim() === values[name].trim())
  }

  dirty() {
    return !this.is(this.saved)
  }

  show() {
    const own = this.prompt.value === "own"
    kept.set("sessionStorage", this.place, this.dirty() ? this.values() : null)
    this.own.hidden = !own
    this.about.textContent = this.prompts.get(this.prompt.value)
    this.about.hidden = own
    for (const name of [...ALWAYS, ...OWN]) Object.assign(this[name], { disabled: Boolean(barred), title: barred })
    const named = this.model.value.trim() || this.endpoint.value.trim()
    this.button.disabled = Boolean(barred) || !named || (!this.dirty() && this.stored)
    Object.assign(this.tryIt, { disabled: Boolean(barred), title: barred || "Sends one prompt about a made-up passage, as typed here" })
    this.state.textContent = barred ? `${barred}.` : this.sending ? "Saving…" : this.dirty() ? "Not saved yet." : this.stored ? "Saved: proposals are asked for like this; chat graders are asked at the same endpoint." : "Name a model or an endpoint, then save."
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

  submit(event) {
    event.preventDefault()
    clearTimeout(this.pause)
    this.sending = this.channel.send("request", { save: true, ...this.values() })
    this.show()
  }

  tell() {
    if (!this.sending) this.channel.send("request", { save: false, ...this.values() })
  }

  leave() {
    clearTimeout(this.pause)
    this.channel.leave()
  }
}
