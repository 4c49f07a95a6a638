// Rows are plain HTML drawn by Python; a click on one that carries data-pick is sent
// back. One listener serves every list of the page, so a list stays one element.
export default function (component) {
  const { data, setTriggerValue } = component
  const onClick = (event) => {
    const row = event.target.closest("[data-pick]")
    if (!row) return
    event.preventDefault()
    window.curatorPicked = row.dataset.pick
    setTriggerValue("pick", row.dataset.pick)
  }
  document.addEventListener("click", onClick)
  // A redrawn list has new elements: give the focus back to the row that had it.
  const frame = requestAnimationFrame(() => {
    for (const row of document.querySelectorAll("[data-pick][aria-current]"))
      row.scrollIntoView({ block: "nearest" })
    const picked = window.curatorPicked
    if (picked && document.activeElement === document.body) {
      const row = document.querySelector(`[data-pick="${CSS.escape(picked)}"]`)
      if (row) row.focus({ preventScroll: true })
    }
  })
  return () => {
    cancelAnimationFrame(frame)
    document.removeEventListener("click", onClick)
  }
}
