// What is being written, kept in localStorage until it is saved. A place (workspace,
// question, revision) holds one entry a tab, so that two tabs never write over each
// other; another tab's entry is taken up only once that tab has gone.
function nonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((n) => n.toString(16).padStart(2, "0")).join("")
}

const TAB = (sessionStorage.curatorTab ??= nonce())
const ALIVE = 15000 // ms since a tab was last seen, while it counts as open

const drafts = {
  read: (place) => JSON.parse(localStorage.getItem(place) ?? "{}"),
  write(place, entries) {
    if (Object.keys(entries).length) localStorage.setItem(place, JSON.stringify(entries))
    else localStorage.removeItem(place)
  },
  put: (place, text, base) => drafts.write(place, { ...drafts.read(place), [TAB]: { text, base } }),
  get(place) {
    const entries = drafts.read(place)
    const orphan = Object.keys(entries).find((tab) => Date.now() - (localStorage.getItem(`curator/tab/${tab}`) ?? 0) > ALIVE)
    return entries[TAB] ?? entries[orphan]
  },
  drop(place, text) {
    const left = Object.entries(drafts.read(place)).filter(([, one]) => one.text !== text)
    drafts.write(place, Object.fromEntries(left))
  },
  move(from, to) {
    const { text, base } = drafts.get(from)
    drafts.put(to, text, base)
    drafts.drop(from, text)
  },
  // Those of a question: what follows the prefix is the revision, and nothing else.
  of: (prefix) =>
    Object.keys(localStorage)
      .filter((place) => place.startsWith(prefix) && /^\d+$/.test(place.slice(prefix.length)) && drafts.get(place))
      .map((place) => ({ place, revision: Number(place.slice(prefix.length)), ...drafts.get(place) })),
  alive: () => localStorage.setItem(`curator/tab/${TAB}`, Date.now()),
}
