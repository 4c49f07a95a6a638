// The form that names a grader: a field with a list of all there are, and prices where
// one is named that may cost money. Built once, so that what is typed outlives every drawing.
const forms = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!forms.has(parentElement)) forms.set(parentElement, new GraderForm(parentElement, data))
  forms.get(parentElement).receive(data, setTriggerValue)
  return () => {
    forms.get(parentElement)?.leave()
    forms.delete(parentElement)
  }
}

class GraderForm {
  constructor(root, { offered, prompts, paid, ray }) {
    const options = offered.map(([value, about]) => el("option", "", about, { value, label: about }))
    this.name = el("input", "", null, { list: "g-offered", "aria-label": "Grader", placeholder: "Grader, such as flan-t5-large or chat:gpt-4o-mini", autocomplete: "off", spellcheck: "false", oninput: () => this.show() })
    const price = (label) => el("input", "", null, { type: "number", min: 0, step: "any", placeholder: label, "aria-label": `Dollars for a million tokens ${label}` })
    this.priceIn = price("in")
    this.priceOut = price("out")
    const number = (label, title, min) => el("input", "", null, { type: "number", min, step: 1, placeholder: label, "aria-label": title, title })
    this.depth = number("depth", "Only passages in some system's top ranks, to this depth, and judged ones", 1)
    this.sample = number("sample", "So many other passages of each query, drawn at random", 1)
    this.seed = number("seed", "Draws another sample; 0 if empty")
    this.judged = el("input", "", null, { type: "checkbox", checked: "" })
    const judged = el("label", "", null, { title: "Judged passages are within the budget at any depth" }, this.judged, "judged")
    for (const field of [this.depth, this.sample]) field.addEventListener("input", () => this.show())
    const budget = el("label", "g-budget", "budget", { title: "Optional: grades that are left out stay unknown" }, this.depth, this.sample, this.seed)
    this.prices = el("label", "", "$ a million tokens", { title: "Optional: then the cost is counted too" }, this.priceIn, this.priceOut)
    this.ray = el("input", "", null, { type: "checkbox" })
    const engine = el("label", "", null, { title: `Models run as workers of ${ray}; a linear AVA model and words stay here`, hidden: !ray }, this.ray, "on Ray")
    this.count = el("button", "p-button", "Count", { type: "submit", title: "What it lacks and what that takes; nothing is asked yet" })
    this.tryIt = el("button", "p-button", "Try it", { type: "button", title: "Sends one prompt about a made-up passage", onclick: () => this.channel.send("try_endpoint", { name: this.name.value.trim() }) })
    const form = el("form", "g-form", null, { onsubmit: (event) => this.submit(event) }, this.name, el("datalist", "", null, { id: "g-offered" }, ...options), budget, judged, this.prices, engine, this.count, this.tryIt)
    this.about = el("p", "c-note", "")
    this.known = new Map(offered)
    this.prompts = new Map(prompts)
    this.paid = paid
    root.replaceChildren(form, this.about)
    this.channel = new Channel()
    this.stop = new AbortController()
    keepFocus(this.stop.signal)
    this.show()
  }

  receive(data, trigger) {
    this.channel.receive(data, trigger)
    this.count.textContent = data.counting ? "Counting…" : "Count"
    this.show()
  }

  show() {
    const name = this.name.value.trim()
    this.prices.hidden = !this.paid.some((one) => name.startsWith(one))
    this.tryIt.hidden = Boolean(barred) || !name.startsWith("chat:")
    this.judged.parentElement.hidden = !this.depth.value
    this.count.disabled = Boolean(barred) || !name
    this.name.disabled = Boolean(barred)
    this.count.title = this.name.title = barred || "What it lacks and what that takes; nothing is asked yet"
    this.seed.hidden = !this.sample.value
    const family = [...this.known.keys()].filter((one) => name === one || (/[:/]$/.test(one) && name.startsWith(one)) || name.startsWith(`${one}/`))
    const asks = name.split("/").slice(1).filter((one) => this.prompts.has(one)).map((one) => `${one}: ${this.prompts.get(one)}`)
    const about = [this.known.get(family.at(-1)), ...asks].filter(Boolean).join(". ")
    this.about.textContent = about || "After a slash: qa asks for answers, qa/verified checks them, helm, thomas, umbrela and other published prompts grade whole passages, greedy is faster, int8 too on a CPU. ava:FOLDER+GRADER checks its answers by a model. mean:ONE+OTHER and both:ONE+OTHER join two graders."
  }

  submit(event) {
    event.preventDefault()
    const prices = [this.priceIn.value, this.priceOut.value]
    const given = !this.prices.hidden && prices.some(Boolean)
    const [depth, sample, seed] = [this.depth, this.sample, this.seed].map((one) => one.value)
    this.channel.send("count", { name: this.name.value.trim(), prices: given ? prices.map((one) => one || "0").join(",") : "", depth, sample, seed, without_judged: Boolean(depth) && !this.judged.checked, engine: this.ray.checked ? "ray" : "" })
  }

  leave() {
    this.channel.leave()
    this.stop.abort()
  }
}

// The table of graders is drawn anew as grades come in: who is at a button of it stays.
function keepFocus(signal) {
  let held = null
  document.addEventListener("focusin", ({ target }) => (held = target.closest(".g-graders [data-pick]")?.dataset.pick), { signal })
  document.addEventListener("pointerdown", () => (held = null), { signal })
  const observer = new MutationObserver(() => {
    if (held && document.activeElement === document.body)
      document.querySelector(`.g-graders [data-pick="${CSS.escape(held)}"]`)?.focus({ preventScroll: true })
  })
  observer.observe(document.body, { childList: true, subtree: true })
  signal.addEventListener("abort", () => observer.disconnect())
}
