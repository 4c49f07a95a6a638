// Rows are plain HTML drawn by Python; a click on one that carries data-pick is sent
// back. One listener serves every list of the page, so a list stays one element.
const IN_SIGHT =
  ".c-query[aria-current], .c-question[aria-current], .st-key-row_actions, " +
  ".stForm:has(.st-key-save_rewording), .st-key-conflict"
const QUIET = 60 // ms without a change: the page is drawn
const PATIENCE = 2000

export default function (component) {
  // Streamlit calls this again whenever data changes, and cleans up only at the end:
  // what the last call left has to go, or one click would count several times.
  window.curatorPicker?.abort()
  const picker = (window.curatorPicker = new AbortController())
  document.addEventListener(
    "click",
    (event) => {
      const row = event.target.closest("[data-pick]")
      if (!row) return
      event.preventDefault()
      window.curatorPicked = row.dataset.pick
      component.setTriggerValue("pick", row.dataset.pick)
    },
    { signal: picker.signal },
  )
  document.documentElement.dataset.picker = "ready"
  onceDrawn(bringIntoSight, picker.signal)
  return () => {
    picker.abort()
    delete document.documentElement.dataset.picker
  }
}

function bringIntoSight() {
  if (innerWidth > 860) // in one column, nothing scrolls by itself
    for (const place of document.querySelectorAll(IN_SIGHT))
      place.scrollIntoView({ block: "nearest" })
  // A redrawn list has new elements: give the focus back to the row that had it.
  const picked = window.curatorPicked
  if (picked && document.activeElement === document.body)
    document
      .querySelector(`[data-pick="${CSS.escape(picked)}"]`)
      ?.focus({ preventScroll: true })
}

function onceDrawn(then, signal) {
  let timer = setTimeout(then, QUIET)
  const observer = new MutationObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(then, QUIET)
  })
  observer.observe(document.body, { childList: true, subtree: true })
  const stop = () => observer.disconnect()
  setTimeout(stop, PATIENCE)
  signal.addEventListener("abort", () => {
    clearTimeout(timer)
    stop()
  })
}
