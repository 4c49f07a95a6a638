// A field to write in. All that is typed is kept at once. Enter saves, Shift+Enter breaks
// the line, Esc leaves and keeps the draft. With a `key`, the question's answer key as
// lines, a field for that stands beneath: Tab selects all of it.
function writingField({ draft, label, saved, left, key }) {
  const field = el("textarea", "", null, { "aria-label": label, rows: 1, placeholder: draft.base == null ? label : null })
  field.value = draft.text
  const fit = (one) => {
    one.style.height = "0"
    one.style.height = `${one.scrollHeight + 2}px`
  }
  const keyField = key != null && keyFieldOf(draft, key)
  const holds = key && el("p", "q-holds", "Does the key still hold for these words? It stays unless it is changed here.", { role: "status", hidden: "" })
  const grow = () => {
    fit(field)
    if (keyField) fit(keyField)
    if (holds) holds.hidden = draft.key != null || field.value.trim() === draft.base
    drafts.write(draft, { text: field.value })
    form.dispatchEvent(new Event("written"))
  }
  const done = (event) => {
    event.preventDefault()
    const texts = field.value.split("\n").map((line) => line.trim()).filter(Boolean)
    if (texts.length) saved(texts)
  }
  const pressed = (event) => {
    event.stopPropagation()
    if (event.key === "Escape") left()
    else if (event.key === "Enter" && !event.shiftKey) done(event)
  }
  const actions = el("div", "q-actions", null, {},
    el("button", "q-button", "Save", { type: "submit", title: "Save (Enter)" }),
    el("button", "q-button", "Leave", { type: "button", title: "Leave, the draft is kept (Esc)", onclick: left }),
    el("span", "q-hint", `Enter saves · Shift+Enter new line${keyField ? " · Tab answer key" : ""} · Esc leaves, draft kept`))
  const form = el("form", "q-form", null, { onsubmit: done }, field, keyField, holds, actions)
  form.addEventListener("input", grow)
  for (const one of [field, keyField].filter(Boolean)) {
    one.addEventListener("keydown", pressed)
    requestAnimationFrame(() => fit(one))
  }
  return field
}

// `draft.key` is what the key becomes, null while it stays as it is.
function keyFieldOf(draft, key) {
  const field = el("textarea", "q-key", null, { "aria-label": "Answer key", rows: 1, placeholder: "Answer key: an answer a line; of choices “- ” a wrong and “* ” a right one" })
  field.value = draft.key ?? key
  field.addEventListener("input", () => (draft.key = field.value === key ? null : field.value))
  field.addEventListener("focus", () => field.select())
  return field
}
