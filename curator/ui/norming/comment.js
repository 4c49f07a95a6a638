// What is said of an item, kept in the browser until it is saved: a text for each item.
const boxes = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!boxes.has(parentElement)) boxes.set(parentElement, new CommentBox(parentElement))
  boxes.get(parentElement).receive(data, setTriggerValue)
  return () => {
    boxes.get(parentElement)?.queue.leave()
    boxes.delete(parentElement)
  }
}

class CommentBox {
  constructor(root) {
    this.text = el("textarea", "", null, { rows: 2, "aria-label": "What you say of this item", placeholder: "Say why; Ctrl+Enter saves it for everybody to read", oninput: () => this.keep() })
    this.button = el("button", "p-button", "Say it", { type: "submit" })
    this.line = el("p", "c-line c-error", "", { role: "alert", hidden: "" })
    const pressed = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.submit(event)
    root.replaceChildren(el("form", "o-form n-comment", null, { onsubmit: (event) => this.submit(event), onkeydown: pressed }, this.text, this.line, this.button))
    this.queue = new Edits(root)
  }

  place = ({ workspace, about, place }) => `curator/${workspace}/comment/${about}/${place}`

  receive(data, trigger) {
    const other = !this.data || this.place(data) !== this.place(this.data)
    this.data = data
    for (const [sent, { ok, line }] of this.queue.receive(data, trigger)) {
      const about = this.place({ ...data, ...sent })
      if (ok && kept.get("localStorage", about)?.trim() === sent.text?.trim()) {
        kept.set("localStorage", about, null)
        if (about === this.place(data)) this.text.value = ""
      }
      this.line.textContent = ok ? "" : line
      this.line.hidden = ok
    }
    if (other) this.text.value = kept.get("localStorage", this.place(data)) ?? ""
    this.button.disabled = !this.text.value.trim()
  }

  keep() {
    kept.set("localStorage", this.place(this.data), this.text.value || null)
    this.button.disabled = !this.text.value.trim()
  }

  submit(event) {
    event.preventDefault()
    const text = this.text.value.trim()
    if (text) this.queue.save("norming-comment", { about: this.data.about, place: this.data.place, text })
  }
}
