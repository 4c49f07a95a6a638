// Verdicts on answers, quoted beneath a passage: each line
// has two controls, and the one pressed is what the judge says. Python draws the lines; a
// press is shown at once.

// The words of an answer are percent-encoded, see html.py.
const answerOf = (line) => decodeURIComponent(line.dataset.answer)
const verdictsOf = (question, answer) =>
  [...document.querySelectorAll(".p-answer")].filter((line) => line.dataset.question === question && answerOf(line) === answer)

// What a press on a control asks for, given what is still on its way: the same again
// takes the verdict back. It is about the words seen, so it says their revision.
function verdictWish(control, pending) {
  const line = control.closest(".p-answer")
  const { question, revision, mine } = line.dataset
  const answer = answerOf(line)
  const before = pending.findLast((one) => one.type === "verdict" && one.question === question && one.texts[0] === answer)
  const now = before ? before.verdict : mine
  const verdict = now === control.dataset.verdict ? "" : control.dataset.verdict
  showVerdict(question, answer, verdict)
  return { question, texts: [answer], verdict, based_on: Number(revision) }
}

// Python draws the page a moment after its answer is heard; until then a press has to
// know what was saved.
function verdictAnswered({ question, texts: [answer], verdict }, ok) {
  const lines = verdictsOf(question, answer)
  if (ok) for (const line of lines) line.dataset.mine = verdict
  else showVerdict(question, answer, lines[0]?.dataset.mine)
}

// What Python drew knows nothing yet of what is still on its way, be it of this page.
function showPending(pending) {
  if (barred) for (const one of document.querySelectorAll("[data-verdict]")) Object.assign(one, { disabled: true, title: barred })
  for (const one of pending) if (one.type === "verdict") showVerdict(one.question, one.texts[0], one.verdict)
}

function showVerdict(question, answer, verdict) {
  for (const line of verdictsOf(question, answer))
    for (const one of line.querySelectorAll("[data-verdict]"))
      one.setAttribute("aria-pressed", String(one.dataset.verdict === verdict))
}
