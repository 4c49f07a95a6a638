// What is clicked, chosen and pressed on the page. Rows are plain HTML drawn by Python;
// a click on one that carries data-pick, or a choice in a [data-setting], is sent back,
// again until it is answered. A key presses the control that carries it (data-key), and
// waits where what was picked before it is still to be drawn (waiting_keys.js).
const IN_SIGHT = ".c-query[aria-current], .c-question[data-selected], .p-row[aria-current], .c-event[aria-current]"
// Each of these buttons is drawn in the place of another, which had the focus.
const IN_TURN = ".st-key-asking button"
let finder = null
let going = -Infinity // when `g` was pressed, whose next letter names a page
const SECOND_KEY = 1500 // ms
const channel = new Channel() // what a page could not send the next one does

function send(type, payload) {
  if (LEADS.has(type)) keepUntilDrawn()
  channel.send(type, payload)
}

export default function ({ data, parentElement, setTriggerValue }) {
  // Streamlit calls this again whenever data changes, and cleans up only at the end:
  // what the last call left has to go, or one click would count several times.
  window.curatorListener?.abort()
  const listener = (window.curatorListener = new AbortController())
  const { signal } = listener
  channel.receive(data, setTriggerValue)
  window.curatorJudge = data.workspace // of a workspace and a judge
  if (keysAreOff()) held.splice(0, held.length, ...held.filter(({ key }) => !isText(key)))
  const guide = (window.curatorTour ??= new Tour(send))
  guide.receive(data)
  const help = helpIn(parentElement, data.help)
  finder ??= new Finder(send)
  const clicked = (event) => {
    if (event.target.closest("[data-help]")) return open(help)
    if (event.target.closest("[data-end-search]")) return endSearch()
    const address = event.target.closest("[data-copy]")
    if (address) return copy(address)
    if (event.target.closest(IN_TURN)) return onceDrawn(focusNext, signal)
    const row = event.target.closest("[data-pick]")
    if (event.target.closest(".st-key-pages a")) keepUntilDrawn()
    if (!row) return
    event.preventDefault()
    window.curatorPicked = row.dataset.pick
    aimAt(row, event.isTrusted)
    turnTo(row.dataset.pick)
    const [type, ...name] = row.dataset.pick.split(":")
    send(type, { name: name.join(":") })
  }
  const chosen = ({ target }) => {
    if (target.matches(CHOOSER) && choosing !== selectorOf(target)) target.blur()
    const name = target.dataset.setting
    if (!name) return
    if (target.selectedOptions?.[0]?.matches("[data-other]")) return typed(target)
    if (!target.matches("select")) target.blur()
    channel.send("set", { name: `${name}=${target.value}` })
  }
  document.addEventListener("click", clicked, { signal })
  document.addEventListener("change", chosen, { signal })
  const { pathname } = location
  window.addEventListener("popstate", () => location.pathname !== pathname && keepUntilDrawn(), { signal })
  document.addEventListener("focusin", ({ target }) => choosing && !target.matches(choosing) && choose(null), { signal })
  document.addEventListener("pointerdown", ({ target }) => (choose(null), target.closest(SETTINGS) || closeSettings()), { signal, capture: true })
  document.addEventListener("toggle", ({ target }) => target.matches(SETTINGS) && keepSettings(target.open), { signal, capture: true })
  tips(signal)
  document.addEventListener("keydown", (event) => find(event, data), { signal, capture: true })
  document.addEventListener("keydown", (event) => pressed(event, data), { signal })
  window.curatorConnection ??= new Connection()
  window.curatorConnection.health = data.health
  // Dialogs stand outside of the element that has Streamlit's theme.
  document.documentElement.style.colorScheme = getComputedStyle(document.querySelector(".stApp")).colorScheme
  document.documentElement.dataset.listener = "ready"
  onceDrawn(bringIntoSight, signal)
  release((event) => press(keyName(event), data))
  return () => {
    listener.abort()
    choose(null)
    keepSettings(false)
    clearTimeout(releasing)
    arrived = false
    drawn = null
    delete document.documentElement.dataset.listener
  }
}

// Heard before any field, which may keep its keys to itself.
function find(event, data) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !isCommand(event) || keyName(event).toLowerCase() !== "k") return
  finder.open(data.find)
  event.preventDefault()
}

function pressed(event, data) {
  if (isCommand(event)) return
  const { target } = event
  const key = keyName(event)
  if (target.closest?.(WRITING)) return leaveField(target, key)
  if (wasTyped(event) || (isText(key) && keysAreOff())) return
  if (wentTo(key, data) || (key === "Escape" && closeSettings())) return event.preventDefault()
  const sideways = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[key]
  if (sideways && target.closest(".c-tabs")) return target[sideways]?.focus()
  // Enter and the arrows belong to the control that has the focus.
  if (key === "Enter" && target.closest("button, a, summary")) return
  if (key.startsWith("Arrow") && target.closest("[role=radiogroup], [role=listbox], [role=tablist]")) return
  // Enter in a dialog of Streamlit is its first action.
  if (key === "Enter" && target.matches("[role=dialog]")) return target.querySelector("button[kind=primary]")?.click()
  if (document.querySelector("dialog[open], [role=dialog]")) return
  // What ends a search comes before what ends the tour.
  if (!document.querySelector(`[data-key="${CSS.escape(key)}"]`) && window.curatorTour.pressed(key)) return event.preventDefault()
  if (mustWait(boundTo(key, data))) {
    if (!event.repeat && held.push(event) === 1) release((event) => press(keyName(event), data)) // held down, it goes as far as is seen
  } else if (!boundTo(key, data) || !press(key, data)) return
  event.preventDefault()
  event.stopPropagation()
}

const boundTo = (name, { keys }) => keys.find((one) => one.pressed.includes(name))

// After `g` a letter opens its page.
function wentTo(key, { letters }) {
  const page = performance.now() - going < SECOND_KEY && letters[key]
  going = -Infinity
  if (page) send("goto", { name: page })
  return Boolean(page)
}

function press(name, data) {
  if (wentTo(name, data)) return true
  const found = boundTo(name, data)
  const done = !found || act(found, name)
  const opens = OPENS.test(name) && !document.querySelector(`.c-reader [data-key="${name}"]`)
  if (data.help.page !== "Judge" || !opens || !questionsNow() || document.activeElement?.closest(WRITING)) return done
  unopened = { name, at: performance.now() }
  if (name === "w") window.curatorUnheard(NO_REASON)
  return false
}

// Keys that on the Judge page open a field to write in. Where one opens none, as beside two texts that wait
// to be decided on, what comes after it without a pause was typed: it presses nothing.
const OPENS = /^[enNmw,]$/
const PAUSE = 1000 // ms
let unopened = null // the key, and when it or what was typed for it was pressed last
const NO_REASON = "No reason here: only a retired or reworded question has one."

function wasTyped(event) {
  if (event.key === "Escape") unopened = null
  if (!unopened || performance.now() - unopened.at > PAUSE || (!isText(event.key) && event.key !== "Enter")) return false
  unopened.at = performance.now()
  const why = unopened.name === "w" ? `${NO_REASON} What` : `${unopened.name} opened nothing here, so what`
  window.curatorUnheard(`${why} was typed after it was not heard.`)
  event.preventDefault()
  event.stopPropagation()
  return true
}

// Copies an address of the app. Browsers let pages without https copy nothing: there it is shown.
async function copy(control) {
  const address = new URL(control.dataset.copy, location.href.split(/[?#]/)[0]).href
  try {
    await navigator.clipboard.writeText(address)
    control.textContent = "Copied"
  } catch {
    prompt("Copy this link", address)
  }
}

// Out of the search box, the lists on top and a release's name: Esc to the page, Enter to what was found.
function leaveField(field, key) {
  const search = field.matches(".st-key-search input")
  if (key === "Escape" && search) return endSearch(field)
  if (field.matches(CHOOSER)) {
    choose(["Escape", "Enter"].includes(key) ? null : selectorOf(field))
    if (!choosing) return closeSettings(), field.blur()
  }
  if (key === "Enter" && field.matches(".q-choice")) return field.blur()
  if (key === "Escape" && field.matches("[data-setting], .q-choice, .st-key-release_fields input")) field.blur()
  if (key !== "Enter" || !search) return
  field.blur()
  // The list is filtered a moment later; whom it will begin with can be seen now.
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = (row) => words.every((word) => `${row.textContent} ${row.dataset.pick}`.toLowerCase().includes(word))
  if (words.length) [...document.querySelectorAll(".c-query")].find(found)?.click()
}

// The settings stay open however often the toolbar is drawn anew, until Esc or a click elsewhere.
const SETTINGS = ".c-settings"
const reopening = new MutationObserver(() => document.querySelector(`${SETTINGS}:not([open])`)?.setAttribute("open", ""))

function keepSettings(open) {
  if (open) reopening.observe(document.body, { childList: true, subtree: true })
  else reopening.disconnect()
}

// Returns whether they were open.
function closeSettings() {
  keepSettings(false)
  const opened = document.querySelector(`${SETTINGS}[open]`)
  opened?.removeAttribute("open")
  return Boolean(opened)
}

// A list that keys choose from has the focus until Esc or Enter, however often it is drawn
// anew by what they choose; one chosen from by hand gives it back to the page.
const CHOOSER = "select[data-setting]"
let choosing = null // which list that is, as a selector
const selectorOf = ({ dataset: { setting } }) => `select[data-setting="${setting}"]`
const staying = new MutationObserver(() => document.activeElement === document.body && document.querySelector(choosing)?.focus({ preventScroll: true }))

function choose(wanted) {
  if (choosing !== wanted) staying[wanted ? "observe" : "disconnect"](document.body, { childList: true, subtree: true })
  choosing = wanted
}

// Empties the search for queries. Its field is Streamlit's own: it hears of a value that
// is typed, and sends it on when the field is left.
function endSearch(field = document.querySelector(".st-key-search input")) {
  if (field.value) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "")
    field.focus()
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
  field.blur()
}

// A key for a question, where none is selected, is meant for the first one.
const OF_QUESTION = /^[exmasvoyYw]$/
function selectFirst(key) {
  const first = OF_QUESTION.test(key) && !document.querySelector(".c-question[data-selected]") && document.querySelector(".c-question .q-text")
  first?.click?.()
  return Boolean(first)
}

function act({ act: how, selector, pressed: names }, key, again = true) {
  if (key === "D") aim = null // it opens the next query by itself
  if (how === "go") return Boolean((going = performance.now()))
  if (how === "help") return open(document.querySelector("dialog.c-keys"))
  if (how === "next" || how === "previous") return step(selector, how === "next" ? 1 : -1)
  const name = names.length > 1 && key === "Enter" ? names[0] : key
  const wanted = selector || `[data-key="${CSS.escape(name)}"], .st-key-key_${CSS.escape(name)} button`
  const control = [...document.querySelectorAll(wanted)].find((one) => !one.disabled && one.getClientRects().length && !(one.closest(".c-pair") && isPairOld()))
  if (!control && again && selectFirst(key)) return act({ act: how, selector, pressed: names }, key, false)
  if (!control) return key === "Enter" && act({ pressed: ["."] }, ".") // where no question is selected
  if (how === "focus" || control.matches("select")) control.focus()
  else control.click()
  return true
}

function step(selector, by) {
  const rows = [...document.querySelectorAll(selector)]
  const at = placeIn(rows, selector)
  const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by]
  const control = row?.firstElementChild?.matches(".q-face") ? row.firstElementChild : row
  control?.click()
  return Boolean(rows.length)
}

// "other…" turns a list into a field for a name of one's own; leaving it turns it back.
function typed(list) {
  const field = document.createElement("input")
  field.setAttribute("aria-label", list.dataset.setting)
  field.dataset.setting = list.dataset.setting
  field.placeholder = "such as P@5"
  field.onblur = () => field.isConnected && field.replaceWith(list)
  list.selectedIndex = [...list.options].findIndex((option) => option.defaultSelected)
  list.replaceWith(field)
  field.focus()
}

// The keys of this page, and beneath them what the words mean.
function helpIn(root, help) {
  const dialog = root.querySelector("dialog") ?? root.appendChild(el("dialog", "c-keys", null, { "aria-label": "Keys and words", onclick: (event) => event.target === dialog && dialog.close() }))
  const keys = (pairs) => el("dl", "c-keylist", null, {}, ...pairs.map(([shown, does]) => el("div", "", null, {}, el("dt", "", null, {}, ...shown.split(" ").map((one) => el("kbd", "", one))), el("dd", "", does))))
  const off = ({ target }) => kept.set("localStorage", keysOffPlace(), target.checked ? null : true)
  const singly = () => el("label", "c-singly", null, { title: "Off: letters, digits and signs press nothing outside fields, for you in this browser" }, el("input", "", null, { type: "checkbox", checked: !keysAreOff() && "", onchange: off }), " Single keys")
  const words = () => el("dl", "c-words", null, {}, ...help.words.flatMap(([term, meaning]) => [el("dt", "", term), el("dd", "", meaning)]))
  fill(dialog, help, () => [
    el("header", "", null, {}, el("h2", "", `Keys on ${help.title}`), singly(), el("button", "q-button", "Tour", { type: "button", title: "Six steps through the pages", onclick: () => (dialog.close(), window.curatorTour.go(0)) }), el("button", "q-button", "Close", { type: "button", autofocus: "", onclick: () => dialog.close() })),
    el("div", "c-keysbody", null, { tabindex: 0 }, keys(help.keys), el("details", "", null, {}, el("summary", "", "Words"), words())),
  ])
  return dialog
}

function open(dialog) {
  if (!dialog.open) dialog.showModal()
  dialog.querySelector(".c-keysbody").scrollTop = 0
  return true
}

// The last one is next: of two answers the one that does nothing.
function focusNext() {
  if (document.activeElement !== document.body) return
  const there = [...document.querySelectorAll(IN_TURN)].filter((one) => one.getClientRects().length)
  there.at(-1)?.focus()
}

function bringIntoSight() {
  aimed() // what is drawn by now may be gone again by the next key
  // What was just written comes before what is selected, as long as it is on its way.
  const coming = [...document.querySelectorAll(".q-coming")].at(-1)
  if (innerWidth > 860) // in one column, nothing scrolls by itself
    for (const place of document.querySelectorAll(IN_SIGHT)) (place.matches(".c-question") && coming ? coming : place).scrollIntoView({ block: "nearest" })
  // A redrawn list has new elements: give the focus back to the row that had it.
  const picked = window.curatorPicked
  if (picked && document.activeElement === document.body)
    document.querySelector(`[data-pick="${CSS.escape(picked)}"]`)?.focus({ preventScroll: true })
}
