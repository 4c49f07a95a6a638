// Elements made of data: text reaches the page by textContent only.

function el(tag, css, text, attributes = {}, ...children) {
  const made = document.createElement(tag)
  if (css) made.className = css
  if (text != null) made.textContent = text
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else if (value != null && value !== false) made.setAttribute(name, value)
  made.append(...children.filter(Boolean))
  return made
}

function button(label, key, action, attributes = {}) {
  const title = key && `${attributes.title ?? label} (${key})`
  const wants = { type: "button", "data-key": key, title, onclick: action }
  return el("button", "q-button", label, { ...attributes, ...wants }, key && el("kbd", "", key))
}

// A line that says something, hidden while it says nothing; what stands between
// backticks as code.
function tell(line, what) {
  const pieces = (what ?? "").split("`")
  line.replaceChildren(...(pieces.length % 2 ? pieces.map((one, n) => (n % 2 ? el("code", "c-inline", one) : one)) : [what]))
  line.hidden = !what
}

// A key held down presses once, not what comes after it too.
function onePress(root, signal) {
  const held = (event) => {
    const pressed = event.repeat && [...root.querySelectorAll("[data-key]")].some((one) => one.dataset.key === event.key)
    if (pressed) event.stopImmediatePropagation()
  }
  addEventListener("keydown", held, { capture: true, signal })
}

// Words in their tones; a triangle is drawn, and read as "up" or "down".
function words(parts) {
  return parts.map(({ text, tone }) => {
    if (tone !== "up" && tone !== "down") return el(tone === "strong" ? "b" : "span", tone && `c-${tone}`, text)
    const triangle = el("i", "", text[0], { role: "img", "aria-label": tone })
    return el("span", `c-${tone}`, null, {}, triangle, text.slice(1))
  })
}

// Replaces the content only if what it says has changed; the focus stays.
function fill(element, says, make) {
  const said = JSON.stringify(says)
  if (element.said === said) return
  element.said = said
  const { activeElement: at } = document
  const focused = element.contains(at) ? [...element.querySelectorAll("button")].indexOf(at) : -1
  element.replaceChildren(...make().filter(Boolean))
  if (focused >= 0) element.querySelectorAll("button")[focused]?.focus({ preventScroll: true })
}
