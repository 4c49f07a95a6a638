// A page stays on the screen until the next one is drawn: Streamlit empties it between two.
const LEADS = new Set(["goto", "at", "on-curate", "visit", "curate", "judge", "system", "ranking", "release-on-export", "unreadable", "count"])
const LONGEST_CHANGE = 3000 // ms
const STAYS = 150 // ms after a run that did not lead to another page

function keepUntilDrawn() {
  const before = document.querySelector(".st-key-middle")
  const isDrawn = () => {
    const middle = document.querySelector(".st-key-middle")
    return middle !== before && middle?.textContent && document.querySelector(".st-key-pages a")
  }
  const change = document.startViewTransition?.(
    () =>
      new Promise((resolve) => {
        let began = false
        let ending = null
        const observer = new MutationObserver(() => {
          const runs = document.querySelector(".stApp")?.dataset.testScriptState === "running"
          clearTimeout(ending)
          if (isDrawn()) end()
          else if (began && !runs) ending = setTimeout(end, STAYS)
          began ||= runs
        })
        const end = () => (observer.disconnect(), resolve())
        observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-test-script-state"] })
        setTimeout(end, LONGEST_CHANGE)
      }),
  )
  change?.ready.catch(() => {}) // another has begun meanwhile
}
