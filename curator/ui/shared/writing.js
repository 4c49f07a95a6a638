// A field to write in. All that is typed is kept at once. Enter saves, Shift+Enter breaks
// the line, Esc leaves and keeps the draft.
function writingField({ draft, label, saved, left }) {
  const field = el("textarea", "", null, { "aria-label": label, rows: 1, placeholder: draft.base == null ? label : null })
  field.value = draft.text
  let mine = draft.text
  const grow = () => {
    field.style.height = "0"
    field.style.height = `${field.scrollHeight + 2}px`
    const there = drafts.get(draft)
    if (there && there.text !== mine) draft.id = nonce() // another tab goes on with that one
    drafts.put(Object.assign(draft, { text: (mine = field.value) }))
    form.dispatchEvent(new Event("written"))
  }
  const done = (event) => {
    event.preventDefault()
    const texts = field.value.split("\n").map((line) => line.trim()).filter(Boolean)
    if (texts.length) saved(texts)
  }
  const pressed = (event) => {
    if (event.key === "Escape") left()
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) done(event)
    event.stopPropagation()
  }
  const actions = el("div", "q-actions", null, {},
    el("button", "q-button", "Save", { type: "submit", title: "Save (Enter)" }),
    el("button", "q-button", "Leave", { type: "button", title: "Leave, the draft is kept (Esc)", onclick: left }),
    el("span", "q-hint", "Enter saves · Shift+Enter new line · Esc leaves, draft kept"))
  const form = el("form", "q-form", null, { onsubmit: done }, field, actions)
  field.addEventListener("input", grow)
  field.addEventListener("keydown", pressed)
  requestAnimationFrame(() => (field.style.height = `${field.scrollHeight + 2}px`))
  return field
}
