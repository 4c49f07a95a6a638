// Does something once the page is drawn: when nothing has changed for a moment.
const QUIET = 60 // ms without a change
const PATIENCE = 2000 // ms until nobody waits any more

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
