// What is being written, kept in localStorage until it is saved or thrown away. Every
// text has an entry of its own, so that none is ever written over by another:
//   {workspace, page, query, id, at, tab, text, question (null for a new one),
//    about (what it says of the question, such as "note", in place of being its text),
//    on, title and pick (of a remark: what it is about, in words, and the way there)
//    kind (of a new one), revision and base (what it began from), key (what the answer
//    key becomes, null while it stays), refused (why it was not saved)}
// A tab shows its own texts and those of tabs that do not show their query (any more).
// A tab keeps its name over a reload; one that was opened from another starts anew.
const TAB = (window.curatorTab ??= (performance.getEntriesByType("navigation")[0]?.type !== "navigate" && kept.get("sessionStorage", "curatorTab")) || nonce())
kept.set("sessionStorage", "curatorTab", TAB)
addEventListener("pagehide", () => drafts.attend(null))
const ALIVE = 15000 // ms since a tab was last seen, while it counts as open

const drafts = {
  place: ({ workspace, id }) => `curator/${workspace}/draft/${id}`,
  get: (one) => kept.get("localStorage", drafts.place(one)),
  put: (draft) => kept.set("localStorage", drafts.place(draft), draft),
  drop: (one) => kept.set("localStorage", drafts.place(one), null),
  of(workspace) {
    const prefix = drafts.place({ workspace, id: "" })
    const found = [...kept.places("localStorage")].filter((place) => place.startsWith(prefix))
    const entries = found.map((place) => kept.get("localStorage", place))
    return entries.filter((one) => typeof one?.text === "string").sort((a, b) => a.at - b.at)
  },
  // What this tab makes of a text; one with which another tab goes on stays beside it.
  write(draft, fields) {
    const there = drafts.get(draft)
    if (there && there.text !== draft.text) draft.id = nonce()
    drafts.put(Object.assign(draft, fields))
  },
  begin: (here, from) => ({ ...here, ...from, id: nonce(), at: Date.now(), tab: TAB }),

  // What this tab shows: {workspace, page, query}, null once it shows none.
  attend: (here) => kept.set("localStorage", `curator/tab/${TAB}`, here && { ...here, at: Date.now() }),
  shown: (workspace) => drafts.of(workspace).filter((one) => one.tab === TAB || !drafts.attended(one)),
  attended({ workspace, page, query, tab }) {
    const seen = kept.get("localStorage", `curator/tab/${tab}`)
    const here = [seen?.workspace, seen?.page, seen?.query].join() === [workspace, page, query].join()
    return here && Date.now() - seen.at < ALIVE
  },

  // What became of the text of an edit: it is saved, or stays and says why not. What
  // another tab has made of it meanwhile stays too.
  settle({ workspace, page, query, question, based_on, texts, key, item_kind: kind, about, flagged, draft: id }, { ok, line, conflict }) {
    const draft = drafts.get({ workspace, id })
    const words = (text) => text.split(/\s+/).join(" ").trim()
    if (ok) return draft && words(draft.text) === words(texts.join(" ")) && drafts.drop(draft)
    const lost = { page: page ?? "curate", question: question ?? null, revision: based_on, text: texts.join("\n"), key, kind, about, flagged }
    drafts.put({ ...(draft ?? { ...drafts.begin({ workspace, query }, lost), id }), refused: conflict ?? { line } })
  },

  // An edit of one's own made a new revision: one's other texts were meant for that.
  follow(workspace, question, before, after) {
    for (const one of drafts.of(workspace))
      if (one.tab === TAB && one.question === question && one.revision === before) drafts.put({ ...one, revision: after })
  },
}
