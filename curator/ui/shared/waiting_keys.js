// What was picked last in a list, until the page shows it: a key pressed meanwhile is
// meant for what was picked, and must not change what is still drawn.
const ROWS = ".c-query, .c-question, .c-release, .p-passage [data-pick]"
const UNDRAWN = 2000 // ms in which a list may not show yet what was picked
const WRITING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]"
const waiting = [] // what keys ask for, until what they are meant for is there
let aim = null // {pick, at}: what was picked, and when

// A click by hand means something else than the keys before it were meant for.
function aimAt(row, byHand) {
  if (!row.matches(ROWS) && !(questionsNow() && row.dataset.pick.startsWith("query:"))) return
  aim = { pick: row.dataset.pick, at: performance.now() }
  if (byHand) waiting.length = 0
}

// Whether what was picked last is "coming", is "drawn" by now, or is "gone": no row
// leads to it any more, or it takes too long, and what keys asked for goes with it.
function aimed() {
  if (!aim) return "drawn"
  const said = isDrawn(aim.pick) ? "drawn" : isComing(aim) ? "coming" : "gone"
  if (said !== "coming") aim = null
  if (said === "gone") waiting.length = 0
  return said
}

const picking = (pick) => `[data-pick="${CSS.escape(pick)}"]`

// A list of questions says itself whose they are; other rows are marked by Python.
const questionsNow = () => document.documentElement.dataset.questions
const isDrawn = (pick) =>
  pick.startsWith("query:") && questionsNow()
    ? pick === `query:${questionsNow()}`
    : Boolean(document.querySelector(`${picking(pick)}[aria-current], [aria-current] > .p-row > .p-face${picking(pick)}`))
const isComing = ({ pick, at }) =>
  performance.now() - at < UNDRAWN && Boolean((pick.startsWith("query:") && questionsNow()) || document.querySelector(picking(pick)))

// Whether a key has to wait. A step within the list that was picked in goes on from
// there at once, and so does a step to another query.
function meantForUndrawn({ act: how, selector }) {
  if (["help", "focus"].includes(how)) return false
  if (waiting.length) return true
  if (aimed() !== "coming") return false
  return !selector || (selector !== ".c-query" && ![...document.querySelectorAll(selector)].some((row) => row.dataset.pick === aim.pick))
}

// Does this when what was picked is drawn, in the order it was asked for; never where it
// did not come, nor where a key before it has opened a field to write in.
function onceThere(what) {
  waiting.push(what)
  if (waiting.length > 1) return
  const look = () => {
    while (aimed() === "drawn" && waiting.length) {
      waiting.shift()()
      if (document.activeElement?.closest(WRITING)) waiting.length = 0
    }
    if (waiting.length) setTimeout(look, 20)
  }
  setTimeout(look, 20)
}

// The place of the row that a step begins from, -1 without one.
function placeIn(rows, selector) {
  const at = (pick) => rows.findIndex((row) => row.dataset.pick === pick)
  const found = aimed() === "coming" ? at(aim.pick) : -1
  if (found >= 0) return found
  if (selector === ".c-query" && questionsNow()) return at(`query:${questionsNow()}`)
  return rows.findIndex((row) => row.matches("[aria-current], [data-selected]"))
}
