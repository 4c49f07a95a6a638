// The reader's own controls: ideal answers, and verdicts on a grader's answers. Python
// draws them; what is pressed leaves as an edit of the question list.
class Reader {
  constructor(list, signal) {
    this.list = list
    document.addEventListener("click", ({ target }) => this.clicked(target), { signal })
    // Words stay selected under a press on the button that marks them.
    document.addEventListener("mousedown", (event) => event.target.closest?.(".c-marks") && event.preventDefault(), { signal })
  }

  get root() {
    return document.querySelector(".c-reader")
  }

  clicked(target) {
    const verdict = target.closest?.(".c-reader button[data-verdict]")
    if (verdict && !barred) this.save("verdict", verdictWish(verdict, this.list.queue.pending))
    if (target.closest?.(".c-marks")) this.mark()
    if (target.closest?.(".c-propose")) this.list.adding.propose({ passage: this.root.dataset.passage })
  }

  save = (type, wish) => this.list.queue.save(type, { query: this.list.data.query, passage: this.root.dataset.passage, ...wish })

  // Marks that the words selected touch go, else the words are marked. Without words all
  // marks of the passage go, else the whole of it is marked. What will be marked then is
  // noted in the page at once, for the next press.
  mark() {
    const { root } = this
    const words = selectedWords()
    const marks = JSON.parse(root.dataset.ideals)
    const touched = words ? marks.filter(([start, end]) => end === null || (start < words.end && words.start < end)) : marks
    const marked = !touched.length
    const spans = marked ? [words ? [words.start, words.end] : [0, null]] : touched
    const left = marked ? spans.concat(marks) : marks.filter((mark) => !touched.includes(mark))
    root.dataset.ideals = JSON.stringify(left)
    root.querySelector(".c-marks").setAttribute("aria-pressed", String(left.length > 0))
    getSelection().removeAllRanges()
    this.save("ideal", { marked, spans, words: (marked && words?.words) || "" })
  }
}

// The words selected in the passage and where they stand, in characters of its own text;
// null where none are.
function selectedWords() {
  const text = document.querySelector(".c-body > .p-text")
  const selection = getSelection()
  if (!text || selection.isCollapsed || !selection.rangeCount) return null
  const chosen = selection.getRangeAt(0)
  if (!chosen.intersectsNode(text)) return null
  const within = document.createRange()
  within.selectNodeContents(text)
  const before = within.cloneRange()
  if (chosen.compareBoundaryPoints(Range.START_TO_START, within) > 0) within.setStart(chosen.startContainer, chosen.startOffset)
  if (chosen.compareBoundaryPoints(Range.END_TO_END, within) < 0) within.setEnd(chosen.endContainer, chosen.endOffset)
  before.setEnd(within.startContainer, within.startOffset)
  const words = textOf(within)
  const start = [...textOf(before)].length // characters, not UTF-16 units
  return words.trim() ? { start, end: start + [...words].length, words } : null
}

// The numbers of answers are not part of the passage's text.
function textOf(range) {
  const copy = range.cloneContents()
  for (const number of copy.querySelectorAll("sup")) number.remove()
  return copy.textContent
}
