// Verdicts on the answers quoted beneath the passage: each line has two controls, and
// the one pressed is what the judge says. Python draws the lines; a press is shown at
// once.

const verdictsOf = (question, answer) =>
  [...document.querySelectorAll(".p-answer")].filter(
    ({ dataset }) => dataset.question === question && dataset.answer === answer,
  )

// What a press on a control asks for, given what is still on its way: the same again
// takes the verdict back.
function verdictWish(control, pending) {
  const { question, answer, mine } = control.closest(".p-answer").dataset
  const before = pending.findLast((one) => one.kind === "verdict" && one.question === question && one.texts[0] === answer)
  const now = before ? before.verdict : mine
  const verdict = now === control.dataset.verdict ? "" : control.dataset.verdict
  showVerdict(question, answer, verdict)
  return { question, texts: [answer], verdict }
}

function showVerdict(question, answer, verdict) {
  for (const line of verdictsOf(question, answer))
    for (const one of line.querySelectorAll("[data-verdict]"))
      one.setAttribute("aria-pressed", String(one.dataset.verdict === verdict))
}

// A verdict that was refused is shown no longer: what Python drew stands.
function verdictRefused({ question, texts: [answer] }) {
  showVerdict(question, answer, verdictsOf(question, answer)[0]?.dataset.mine)
}

// What came of it, in a line.
function verdictSaid({ texts: [answer], verdict }) {
  const quoted = `‘${inOneLine(answer)}’`
  return verdict ? `Called ${quoted} ${verdict}.` : `No longer a verdict of yours on ${quoted}.`
}
