// Keys that wait: before the page is there, and while it does not show yet what was picked
// last in a list. They are meant for that, must not change what is still drawn, and what
// is typed for a key that opens a field goes into it.
const ROWS = ".c-query, .c-question, .c-release"
const UNDRAWN = 2000 // ms in which a list may not show yet what was picked and answered
const WRITING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]"
const REACHED = "a[href], button, input, select, textarea, summary, [contenteditable], [tabindex]"
const held = (window.curatorHeld ??= []) // the keys' events, oldest first (early_keys.js)
let arrived = false // whether the page has been drawn since this listener began
let releasing = null // the timer of release
let aim = null // {pick, at}: what was picked, and when

// A click by hand means something else than the keys before it were meant for.
function aimAt(row, byHand) {
  if (!row.matches(ROWS) && !(questionsNow() && row.dataset.pick.startsWith("query:"))) return
  aim = { pick: row.dataset.pick, at: performance.now() }
  if (byHand) held.length = 0
}

// Whether what was picked last is "coming", is "drawn" by now, or is "gone": no row
// leads to it any more, or it is answered and not drawn, and what keys asked for goes
// with it. A server may take its time to answer.
function aimed() {
  if (!aim) return "drawn"
  if (channel.waiting().some(({ type, name }) => `${type}:${name}` === aim.pick)) aim.at = performance.now()
  const said = isDrawn(aim.pick) ? "drawn" : isComing(aim) ? "coming" : "gone"
  if (said !== "coming") aim = null
  if (said === "gone" && held.splice(0).length) window.curatorUnheard("What was picked did not come, so the keys pressed for it were not heard.")
  return said
}

const picking = (pick) => `[data-pick="${CSS.escape(pick)}"]`

// A list of questions says itself whose they are; other rows are marked by Python.
const questionsNow = () => document.documentElement.dataset.questions
const isDrawn = (pick) =>
  pick.startsWith("query:") && questionsNow()
    ? pick === `query:${questionsNow()}`
    : Boolean(document.querySelector(`${picking(pick)}[aria-current]`))
const isComing = ({ pick, at }) =>
  performance.now() - at < UNDRAWN && Boolean((pick.startsWith("query:") && questionsNow()) || document.querySelector(picking(pick)))

// Whether a key has to wait. A step within the list that was picked in goes on from
// there at once, and so does a step to another query.
function mustWait(found) {
  if (!arrived || held.length) return true
  if (found?.pressed.some(isReaderBehind)) return true
  if (!found || ["help", "focus"].includes(found.act) || aimed() !== "coming") return false
  const { selector } = found
  return !selector || (selector !== ".c-query" && ![...document.querySelectorAll(selector)].some((row) => row.dataset.pick === aim.pick))
}

// A key for the reader waits until it shows the passage picked last, an answer also until
// it asks of the question selected: no other pair is answered. Between two drawings the
// reader is empty for a moment.
const LATE = 5000 // ms in which the reader may not follow yet
let turned = null // the passage picked last, until it is drawn
let behind = 0 // when the reader was first seen not to follow, 0 while it does

function turnTo(pick) {
  if (pick.startsWith("passage:")) turned = pick.slice("passage:".length)
}

function isPassageOld() {
  if (turned === document.querySelector(".c-reader")?.dataset.passage) turned = null
  return turned !== null
}

function isPairOld() {
  const asked = document.querySelector(".c-reader")?.dataset.asked ?? ""
  return isPassageOld() || asked !== (document.querySelector(".c-question[data-selected]")?.dataset.question ?? "")
}

function isReaderBehind(key) {
  if (!/^[yYw[\]]$/.test(key) || !document.querySelector(".st-key-reader")) return false
  const old = !document.querySelector(".c-reader") || (/y/i.test(key) ? isPairOld() : isPassageOld())
  behind = old ? behind || performance.now() : 0
  if (old && performance.now() - behind > LATE) turned = null // it does not come
  return old && performance.now() - behind < LATE
}

// A page is there when Python has drawn it, and its list of questions itself, if one comes.
const LIST = ".st-key-question_list, .st-key-check_list"
let drawn = null // when Python was first seen to have drawn it
function isThere() {
  if (document.querySelector(".stApp")?.dataset.testScriptState === "running") return false
  drawn ??= performance.now()
  return Boolean(questionsNow()) || !document.querySelector(LIST) || performance.now() - drawn > UNDRAWN
}

// Presses the keys that wait, in their order, once they need not. In a field that one of
// them has opened they are typed; after one that can do nothing the others are dropped.
function release(press) {
  clearTimeout(releasing)
  arrived ||= isThere()
  while (arrived && held.length && aimed() !== "coming" && !isReaderBehind(keyName(held[0]))) {
    const event = held.shift()
    const field = document.activeElement?.closest(WRITING)
    if (field) type(field, event)
    else if (!press(event)) held.splice(0).forEach(wasTyped)
  }
  if (!arrived || held.length) releasing = setTimeout(() => release(press), 20)
}

function type(field, { key, shiftKey }) {
  const pressed = new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true })
  if (!field.dispatchEvent(pressed)) return
  if (key === "Tab") return tabFrom(field, shiftKey ? -1 : 1)
  if (isText(key) || key === "Enter") document.execCommand("insertText", false, key === "Enter" ? "\n" : key)
  else if (key === "Backspace") document.execCommand("delete")
}

// A key that is only dispatched moves no focus: to the next thing that Tab reaches, or back.
function tabFrom(field, step) {
  const reached = ({ disabled, tabIndex }) => !disabled && tabIndex >= 0
  const there = [...document.querySelectorAll(REACHED)].filter((one) => reached(one) && one.checkVisibility())
  there[there.indexOf(field) + step]?.focus()
}

// The place of the row that a step begins from, -1 without one.
function placeIn(rows, selector) {
  const at = (pick) => rows.findIndex((row) => row.dataset.pick === pick)
  const found = aimed() === "coming" ? at(aim.pick) : -1
  if (found >= 0) return found
  if (selector === ".c-query" && at(`query:${questionsNow()}`) >= 0) return at(`query:${questionsNow()}`)
  return rows.findIndex((row) => row.matches("[aria-current], [data-selected]"))
}
