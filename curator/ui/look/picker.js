// Rows are plain HTML drawn by Python; a click on one that carries data-pick is sent
// back. One listener serves every list of the page, so a list stays one element.
const IN_SIGHT =
  ".c-query[aria-current], .c-question[aria-current], .st-key-row_actions, " +
  ".stForm:has(.st-key-save_rewording), .st-key-conflict"

export default function (component) {
  const { data, setTriggerValue } = component
  // Streamlit calls this again whenever data changes, and cleans up only at the end:
  // the last call's listener has to go, or one click would count several times.
  window.curatorListener?.abort()
  const listener = (window.curatorListener = new AbortController())
  const onClick = (event) => {
    const row = event.target.closest("[data-pick]")
    if (!row) return
    event.preventDefault()
    window.curatorPicked = row.dataset.pick
    setTriggerValue("pick", row.dataset.pick)
  }
  document.addEventListener("click", onClick, { signal: listener.signal })
  // A redrawn list has new elements: give the focus back to the row that had it.
  const frame = requestAnimationFrame(() => {
    if (innerWidth <= 860) return // one column: nothing scrolls by itself
    for (const place of document.querySelectorAll(IN_SIGHT))
      place.scrollIntoView({ block: "nearest" })
    const picked = window.curatorPicked
    if (picked && document.activeElement === document.body)
      document
        .querySelector(`[data-pick="${CSS.escape(picked)}"]`)
        ?.focus({ preventScroll: true })
  })
  return () => {
    cancelAnimationFrame(frame)
    listener.abort()
  }
}
