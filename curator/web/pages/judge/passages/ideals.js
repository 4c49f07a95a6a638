// Ideal answers: the control that marks the passage shown, or the words selected in it,
// and takes marks away again. A span counts characters of the passage's own text.

function idealControl(onclick) {
  const made = action("Ideal answer", "i", onclick)
  made.title = "Mark the passage, or the words selected in it, as an ideal answer; again to take the mark away (i)"
  made.setAttribute("aria-pressed", "false")
  made.addEventListener("mousedown", (event) => event.preventDefault()) // the selection stays
  return made
}

// What a press does now, given the words selected in the passage: marks that they touch
// go, else they are marked. Without words all marks of the passage go, else the whole of
// it is marked. What will then be marked is noted in the page at once, for the next press.
function idealWish(passage, chosen) {
  const marks = JSON.parse(passage.dataset.ideals ?? "[]")
  const touched = chosen ? marks.filter(([start, end]) => end === null || (start < chosen.end && chosen.start < end)) : marks
  const marked = !touched.length
  const spans = marked ? [chosen ? [chosen.start, chosen.end] : [0, null]] : touched
  const left = marked ? [...marks, ...spans] : marks.filter((mark) => !touched.includes(mark))
  passage.dataset.ideals = JSON.stringify(left)
  getSelection().removeAllRanges()
  return { marked, spans, words: (marked && chosen?.words) || "", left: left.length }
}

// What came of it, in a line.
function idealSaid({ marked, words }) {
  if (!marked) return "No longer marked as an ideal answer."
  if (!words) return "Marked the whole passage as an ideal answer."
  return `Marked ‘${inOneLine(words)}’ as an ideal answer.`
}
const SAID = 60 // characters of the words marked or judged that are repeated

function inOneLine(words) {
  const line = words.trim().split(/\s+/).join(" ")
  return [...line].length > SAID ? `${[...line].slice(0, SAID - 1).join("").trimEnd()}…` : line
}

const passageId = (passage) => passage?.ariaLabel.slice("Passage ".length)
const passageOf = (id) => [...document.querySelectorAll(".p-passage")].find((one) => passageId(one) === id)

// The words selected in a passage: whose, where and which; null where none are. Where a
// selection goes beyond the passage it begins in, what is in that one counts.
function chosenWords() {
  const selection = getSelection()
  if (selection.isCollapsed || !selection.rangeCount) return null
  const elementOf = (node) => (node?.nodeType === Node.TEXT_NODE ? node.parentElement : node)
  const ends = [selection.anchorNode, selection.focusNode].map((node) => elementOf(node)?.closest(".p-passage"))
  const passage = ends.find(Boolean)
  if (!passage) return null
  // A long passage that is not the current one stands in two parts.
  let before = 0
  let start = null
  let words = ""
  for (const text of passage.querySelectorAll(".p-text")) {
    const found = selectedIn(text, selection.getRangeAt(0))
    if (found?.words) {
      start ??= before + found.before
      words += found.words
    }
    before += lengthOf(textOf(rangeOver(text)))
  }
  return words.trim() ? { passage: passageId(passage), start, end: start + lengthOf(words), words } : null
}

const lengthOf = (text) => [...text].length // characters, not UTF-16 units

function rangeOver(text) {
  const range = document.createRange()
  range.selectNodeContents(text)
  return range
}

// What of this text is in the range, and how many characters of it stand before.
function selectedIn(text, range) {
  if (!range.intersectsNode(text)) return null
  const within = rangeOver(text)
  if (range.compareBoundaryPoints(Range.START_TO_START, within) > 0) within.setStart(range.startContainer, range.startOffset)
  if (range.compareBoundaryPoints(Range.END_TO_END, within) < 0) within.setEnd(range.endContainer, range.endOffset)
  const before = rangeOver(text)
  before.setEnd(within.startContainer, within.startOffset)
  return { before: lengthOf(textOf(before)), words: textOf(within) }
}

// Select these words anew in a text that was drawn again.
function chooseAgain(passage, { start, end }) {
  const range = document.createRange()
  const texts = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT)
  let at = 0
  let begun = false
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!node.parentElement.closest(".p-text") || node.parentElement.closest("sup")) continue
    const letters = [...node.data]
    const unit = (place) => letters.slice(0, place - at).join("").length
    const stop = at + letters.length
    if (!begun && start < stop) {
      range.setStart(node, unit(start))
      begun = true
    }
    if (begun && end <= stop) {
      range.setEnd(node, unit(end))
      getSelection().removeAllRanges()
      getSelection().addRange(range)
      return
    }
    at = stop
  }
}

// The passage's own text in a range: the numbers of answers are not part of it.
function textOf(range) {
  const copy = range.cloneContents()
  for (const number of copy.querySelectorAll("sup")) number.remove()
  return copy.textContent
}
