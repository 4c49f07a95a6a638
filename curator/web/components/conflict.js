// A text that is not saved, shown until it is or its judge throws it away.

// Whether it has to be decided on: it was refused, or it began from other words than the
// question has by now.
function clashes({ text, base, revision, refused }, row) {
  if (text === row.text) return false
  return refused?.revision === row.revision || (revision !== row.revision && base !== row.text)
}

// A line with the text: to go on with it, or to throw it away.
function leftLine({ text, key, refused }, name, { goOn, discard }) {
  return el("div", "q-left", null, { role: "group", "aria-label": "A text that is not saved" },
    goOn ? el("button", "q-link", name, { type: "button", title: "Go on writing", onclick: goOn }) : el("small", "", name),
    el("span", "", text || key),
    refused?.line && el("em", "c-warning", null, {}, ...coded(refused.line)),
    el("button", "q-link", "discard", { type: "button", title: "Throw this text away", onclick: discard }))
}

// Two texts of one question: both are shown with what they do, as far as that is known,
// and nothing is given up unasked.
function conflictCards({ text: mine, base, refused }, { text: theirs, revision }, { keepMine, keepTheirs, combine }, weighed) {
  const by = refused?.revision === revision ? refused.by : "Someone"
  const known = new Set((base ?? "").split(/\s+/))
  const marked = (text) => text.split(/(\s+)/).map((word) => (base && word.trim() && !known.has(word) ? el("u", "", word) : word))
  const card = (who, state, text, does) => el("div", "", null, {}, el("small", "", who, {}, el("em", "", state)), el("p", "", null, {}, ...marked(text)), does && el("p", "c-does", null, {}, ...words(does)))
  return el("div", "q-conflict", null, { role: "group", "aria-label": "Two texts of this question" },
    el("p", "c-line c-error", null, { role: "alert" }, el("b", "", by), " changed this question while you were writing. Nothing is lost: choose."),
    el("div", "c-cards", null, {}, card("Yours", "draft", mine, weighed?.then), card(`${by}’s`, `revision ${revision}`, theirs, weighed?.now)),
    base && base !== theirs && el("p", "c-began", `Both began from: ${isolated(base)}`),
    el("div", "q-actions", null, {}, button("Keep mine", "1", keepMine), button("Keep theirs", "2", keepTheirs), button("Combine", "3", combine)))
}
