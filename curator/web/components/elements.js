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

const capital = (word) => word[0].toUpperCase() + word.slice(1)

// The text, kept together within a sentence where its letters are written from right to left.
const isolated = (text) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text)

// Who may change what the component shows, "" where whoever looks on may (channel.js).
let barred = ""

// A button that changes something, and so is barred, unless it leads elsewhere ("data-pick").
function button(label, key, action, { looks, ...attributes } = {}) {
  const bars = barred && !looks && !attributes["data-pick"]
  const title = bars ? barred : key && `${attributes.title ?? label} (${key})`
  const wants = { type: "button", "data-key": key, title, onclick: action, ...(bars && { disabled: "" }) }
  return el("button", "q-button", label, { ...attributes, ...wants }, key && el("kbd", "", key))
}

// The text with what stands between backticks as code, as html.py has it.
function coded(text) {
  const pieces = text.split("`")
  return pieces.length % 2 ? pieces.map((one, n) => (n % 2 ? el("code", "c-inline", one) : one)) : [text]
}

// A line that says something, hidden while it says nothing.
function tell(line, what) {
  line.replaceChildren(...coded(what ?? ""))
  line.hidden = !what
}

// A key held down presses once, not what comes after it too.
function onePress(root, signal) {
  const held = (event) => {
    const pressed = event.repeat && [...root.querySelectorAll("[data-key]")].some((one) => one.dataset.key === keyName(event))
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
  const said = JSON.stringify([says, barred])
  if (element.said === said) return
  element.said = said
  const { activeElement: at } = document
  const focused = element.contains(at) ? [...element.querySelectorAll("button")].indexOf(at) : -1
  element.replaceChildren(...make().filter(Boolean))
  if (focused >= 0) element.querySelectorAll("button")[focused]?.focus({ preventScroll: true })
}
