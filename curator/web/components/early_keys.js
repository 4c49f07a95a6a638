// Holds the keys that are pressed while no listener hears them: before the page's first
// one has come, and between two pages (waiting_keys.js lets them go). Those from before
// this script are lost; what follows them without a pause may be a text that one of them
// was to open a field for, so it presses nothing. No handler hears what belongs to an
// input method (keys.js): this one is the first, and keeps it from them.
if (!window.curatorHeld) {
  const PAUSE = 1000 // ms
  const WRITING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]"
  const NAMES = /^(Enter|Backspace|Arrow(Up|Down))$/
  const held = (window.curatorHeld = [])
  const line = Object.assign(document.createElement("p"), { className: "c-lost" })
  line.setAttribute("role", "status")
  let hiding = null
  const say = (window.curatorUnheard = (what) => {
    line.textContent = what
    document.querySelector(".stApp")?.append(line)
    clearTimeout(hiding)
    hiding = setTimeout(() => line.remove(), 4 * PAUSE)
  })
  let lost = (performance.eventCounts?.get("keydown") ?? 0) > 0
  let last = performance.now()
  const heard = (event) => {
    const { key, target, timeStamp } = event
    if (isComposed(event)) return event.stopImmediatePropagation()
    if (isCommand(event)) return
    noteAlphabet(event)
    const mayWait = NAMES.test(key) || (isText(key) && !keysAreOff()) || (key === "Tab" && held.length) // to another field of what opens
    if (!mayWait || target.closest?.(WRITING)) return
    lost &&= timeStamp - last < PAUSE
    last = timeStamp
    const listens = document.documentElement.dataset.listener
    if (!lost && (listens || target !== document.body)) return
    if (lost) say("Keys pressed while the page was loading were not heard.")
    else if (!event.repeat) held.push(event)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener("keydown", heard, true)
}
