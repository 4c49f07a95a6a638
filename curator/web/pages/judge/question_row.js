// A question's row: its words, what can be done with it, what it reaches and moves.
// What a figure means and what to do about it, for the pointer; of the row that is
// selected for the focus too, so that Tab reaches what stands there and nothing else.
const explained = (means, selected) => (means ? { "data-tip": means, tabindex: selected ? 0 : null } : {})

function faceOf(list, row, selected) {
  const text = el(row.state === "retired" ? "s" : "span", "", row.text)
  const open = (event) => selected && event.detail === 0 && list.edit(row.id)
  const said = { retired: saidOfRetired, proposed: saidOfProposed }[row.state] ?? saidOfKept
  const meta = el("div", "c-meta", null, {}, ...said(list, row, selected))
  const length = row.bar != null && el("i", "", null, { style: `width:${row.bar}%` })
  const hollow = row.state === "kept" ? "" : " c-was"
  const bar = el("span", `c-bar${length ? "" : " c-none"}${hollow}`, null, {}, length)
  return [
    el("span", "c-number", row.number),
    el("button", "c-text q-text", null, { type: "button", "data-key": "", "aria-current": selected ? "true" : null, onclick: open }, text),
    meta,
    row.vote ? el("span", "q-side", null, {}, el("small", "q-vote", row.vote, { title: "My vote" }), reasonOrDots(row, selected)) : reasonOrDots(row, selected),
    el("span", "c-influence", row.influence, row.influence ? explained(list.data.means[row.state === "kept" ? "influence" : "was"], selected) : {}, bar),
    notesOf(row),
  ].filter(Boolean)
}

// A warning, else a dot for each system, filled for those that the question reaches.
function reasonOrDots(row, selected) {
  if (row.state === "retired") return null
  if (row.reason) return el("span", "c-reason", row.reason, explained(row.means, selected))
  const [reached, systems] = row.reach ?? [0, 0]
  if (!systems) return null
  const dots = Math.min(systems, MOST_DOTS)
  const on = Math.round((dots * reached) / systems)
  const label = `${reached} of ${systems} systems`
  return el("span", "q-dots", null, { role: "img", "aria-label": label, title: label },
    ...Array.from({ length: dots }, (_, at) => el("i", at < on ? "q-on" : "", null)))
}
const MOST_DOTS = 8

function saidOfKept(list, row, selected) {
  return [
    selected && row.editable && button("Edit", "e", () => list.edit(row.id)),
    selected && button(capital(VERBS.retire.base), "x", () => list.retire(row)),
    selected && row.mine && whyButton(list, row),
    ...(selected ? VOTES.map((choice) => voteButton(list, row, choice)) : []),
    selected && noteButton(list, row),
    selected && button("Solo", "s", null, { "data-pick": `solo:${row.id}`, title: "The board under this question alone" }),
    el("span", "", row.meta, row.meta ? explained(list.data.means.reach, selected) : {}),
    selected && row.others_votes && el("span", row.disputed ? "c-warning" : "", row.others_votes, { title: "Votes of others" }),
    fromPassage(row),
    selected && keyOfRow(row),
  ]
}

const VOTES = [
  ["Vital", "vital", "v", "Vital: a response without it cannot be good; again to take the vote back"],
  ["Okay", "okay", "o", "Okay: good to have, and no fault where it is missing; again to take the vote back"],
]
const voteButton = (list, row, [label, vote, key, title]) => button(label, key, () => list.vote(row, vote), { title, "aria-pressed": String(row.vote === vote) })

const noteButton = (list, row) => button("Note", "m", () => list.own.open(row, "note"), { title: "Note on the question, or flag it" })
const whyButton = (list, row) => button("Why", "w", () => list.own.open(row, "reason"), { title: "Why, in your own words" })

function keyOfRow(row) {
  return row.answer && el("span", "q-answer", `key: ${row.answer}`, { title: row.key })
}

function fromPassage(row) {
  return row.passage && el("button", "q-link", `from passage ${row.passage}`, { type: "button", "data-pick": `passage:${row.passage}`, title: "Open the passage" })
}

function saidOfProposed(list, row, selected) {
  const reach = row.model && !selected ? `${row.meta} · ${row.model}` : row.meta
  return [
    el("b", "", "Proposed"),
    selected && button("Keep", "a", () => list.keep(row)),
    selected && row.editable && button("Edit", "e", () => list.edit(row.id), { title: `${capital(VERBS.reword.base)} and keep` }),
    selected && button(capital(VERBS.drop.base), "x", () => list.retire(row)),
    selected && noteButton(list, row),
    el("span", "", reach, explained([row.meta, row.model && `proposed by ${row.model}`, list.data.means.would].filter(Boolean).join(" · "), selected)),
    fromPassage(row),
    selected && keyOfRow(row),
  ]
}

function saidOfRetired(list, row, selected) {
  const just = list.justRetired?.id === row.id
  const by = just ? list.justRetired.said : [capital(VERBS.retire.past), row.by && `by ${row.by}`].filter(Boolean).join(" ")
  const chip = (reason) => {
    const give = () => list.send("reason", { question: row.id, reason: reason === row.why ? "" : reason })
    return el("button", "q-chip", reason, { type: "button", "aria-pressed": String(reason === row.why), onclick: give })
  }
  const mine = !barred && (just || (selected && row.mine))
  const { reasons } = list.data
  const own = row.why && !reasons.includes(row.why) ? [row.why] : []
  return [
    el("b", "", by, { role: just ? "status" : null }),
    just && el("button", "q-link", "Undo (u)", { type: "button", onclick: () => list.send("undo") }),
    selected && row.editable && button("Edit", "e", () => list.edit(row.id), { title: `${capital(VERBS.reword.base)}; it stays ${VERBS.retire.past}` }),
    selected && button(capital(VERBS.restore.base), "x", () => list.send("restore", { question: row.id, based_on: row.revision })),
    selected && noteButton(list, row),
    mine ? el("span", "", "reason, optional") : row.why && el("span", "", row.why),
    ...(mine ? [...own, ...reasons].map(chip) : []),
    mine && whyButton(list, row),
  ]
}

// An edit on its way shows at once.
const UNDER_WAY = {
  keep: () => ({ state: "kept" }),
  "keep all": () => ({ state: "kept" }),
  "drop all": () => ({ state: "retired" }),
  retire: () => ({ state: "retired" }),
  restore: () => ({ state: "kept" }),
  vote: ({ vote }) => ({ vote, others_votes: "" }),
  reason: ({ reason }) => ({ why: reason }),
  note: ({ texts, flagged }) => ({ note: texts[0], flagged }),
  reword: ({ texts }, { state }) => ({ text: texts[0], state: state === "proposed" ? "kept" : state }),
}

// The row as it will be when everything that is asked of it has been done.
function underWay(pending, row) {
  const about = ({ type, question, many }) => UNDER_WAY[type] && (question === row.id || many?.some(([id]) => id === row.id))
  const edits = pending.filter(about)
  return { edits, shown: edits.reduce((one, edit) => ({ ...one, ...UNDER_WAY[edit.type](edit, one) }), row) }
}
