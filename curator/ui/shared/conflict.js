// Two texts of one question: both are shown, and nothing is given up unasked.
function conflictCards({ mine, theirs, base, by, revision }, { keepMine, keepTheirs, combine }) {
  const known = new Set((base ?? "").split(/\s+/))
  const marked = (text) => text.split(/(\s+)/).map((word) => (base && word.trim() && !known.has(word) ? el("u", "", word) : word))
  const card = (who, state, text) => el("div", "", null, {}, el("small", "", who, {}, el("em", "", state)), el("p", "", null, {}, ...marked(text)))
  return el("div", "q-conflict", null, { role: "group", "aria-label": "Two texts of this question" },
    el("p", "c-line c-error", null, { role: "alert" }, el("b", "", by), " changed this question while you were writing. Nothing is lost: choose."),
    el("div", "c-cards", null, {}, card("Yours", "draft", mine), card(`${by}’s`, `revision ${revision}`, theirs)),
    base && base !== theirs && el("p", "c-began", `Both began from: ${base}`),
    el("div", "q-actions", null, {}, button("Keep mine", "1", keepMine), button("Keep theirs", "2", keepTheirs), button("Combine", "3", combine)))
}
