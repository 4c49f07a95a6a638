// Whether the page has its server: a line says so while it has not, instead of the box
// by which Streamlit would take the caret and make the page inert. Streamlit connects
// again by itself, but not after a message that it could not read, and what it could not
// fetch meanwhile it never fetches again: such a page is dead, and is loaded again once
// the server is there and nobody is typing, at most once a minute. What is being written
// is kept (drafts.js); where something is in other fields, whoever typed it says when.
const PROBE = 4000 // ms between two looks whether the server answers
const HANGS = 8000 // ms until one that does not answer counts as gone
const SHORT = 1000 // ms that a connection may be lost before anybody is told
const TYPING = 3000 // ms since the last key
const BOXED = 1000 // ms since the box came, in which it may still have the caret
const APART = 60000 // ms that a page loaded again stays
const BOXES = /^(Connection error|Bad message format)/
const UNFETCHED = "Failed to fetch dynamically imported module"
const TEXT = "textarea, input:not([type=checkbox], [type=radio])"
const KEPT = ":is(.q-form, .q-excuse, .o-form, .c-remark, .st-key-search) *" // what is lost in none
const LOST = "Not connected. What you type is kept here, and the page comes back by itself."
const DEAD = "The connection broke. The page loads again by itself, with what you typed."
const COPY = "The connection broke, so the page has to be loaded again. What you typed in its fields is not saved: copy it first."

class Connection {
  constructor() {
    Object.assign(this, { there: true, dead: false, since: null, key: 0, boxed: 0, typed: new Set(), field: null })
    this.line = document.createElement("p")
    this.line.className = "c-lost"
    this.line.setAttribute("role", "alert")
    this.line.hidden = true
    this.again = document.createElement("button")
    Object.assign(this.again, { type: "button", textContent: "Load it again", onclick: () => location.reload() })
    const changed = { childList: true, subtree: true, attributes: true, attributeFilter: ["data-test-connection-state"] }
    new MutationObserver(() => this.look()).observe(document.body, changed)
    addEventListener("keydown", (event) => this.pressed(event), true)
    addEventListener("input", ({ target }) => target.matches(`:is(${TEXT}):not(${KEPT})`) && this.typed.add(target), true)
    addEventListener("compositionupdate", () => (this.key = performance.now()), true)
    addEventListener("submit", ({ target }) => [...target.elements].forEach((field) => this.typed.delete(field)), true)
    addEventListener("pointerdown", () => (this.field = null), true)
    addEventListener("focusin", ({ target }) => target.closest(".stDialog") || (this.field = target.matches(TEXT) ? target : null), true)
    setInterval(() => this.probe(), PROBE)
  }

  async probe() {
    const asked = fetch(this.health, { cache: "no-store", signal: AbortSignal.timeout(HANGS) })
    this.there = await asked.then((found) => found.ok, () => false)
    this.look()
  }

  look() {
    this.closeBox()
    const state = document.querySelector(".stApp")?.dataset.testConnectionState ?? "CONNECTED"
    if (state === "CONNECTED" && this.state !== state) this.there = true
    this.state = state
    this.dead ||= state === "DISCONNECTED_FOREVER"
    const lost = this.dead || !this.there || state !== "CONNECTED"
    if (lost && !this.since) {
      this.since = performance.now()
      setTimeout(() => this.look(), SHORT)
    } else if (!lost && this.since) {
      this.since = null
      this.dead = document.body.innerText.includes(UNFETCHED)
    }
    this.say(lost && performance.now() - this.since >= SHORT)
    if (this.dead && this.there && this.mayLoad()) location.reload()
  }

  say(lost) {
    const says = !lost ? "" : !this.dead ? LOST : this.copying() ? COPY : DEAD
    if (!this.line.isConnected) document.querySelector(".stApp")?.append(this.line)
    if (this.line.dataset.says === says) return
    this.line.dataset.says = says
    this.line.hidden = !says
    this.line.replaceChildren(says, ...(lost && this.dead ? [this.again] : []))
    document.documentElement.toggleAttribute("data-lost", lost)
  }

  // Whether something was typed that only its field has.
  copying = () => [...this.typed].some((field) => field.isConnected && field.value)

  mayLoad() {
    const now = performance.now()
    const again = performance.getEntriesByType("navigation")[0]?.type === "reload"
    return !this.copying() && now - this.key > TYPING && (!again || now > APART)
  }

  // Streamlit's own box is closed as it comes; who is writing goes on writing.
  closeBox() {
    const box = [...document.querySelectorAll(".stDialog:not([data-closed])")].find((one) => BOXES.test(one.textContent.trim()))
    if (!box) return
    box.dataset.closed = "" // see frame.css
    this.boxed = performance.now()
    this.dead ||= box.textContent.trim().startsWith("Bad")
    box.querySelector("button")?.click()
    this.goOn()
    setTimeout(() => this.goOn(), 60)
  }

  goOn() {
    this.field?.closest("[inert]")?.removeAttribute("inert")
    this.field?.focus({ preventScroll: true })
  }

  // A key that comes while the box has the caret is meant for the field, and must not
  // become a key of the page.
  pressed(event) {
    this.key = performance.now()
    if (!this.field?.isConnected || this.field === document.activeElement || this.key - this.boxed > BOXED) return
    event.stopImmediatePropagation()
    this.goOn()
    if (!this.field.dispatchEvent(new KeyboardEvent("keydown", event))) event.preventDefault()
  }
}
