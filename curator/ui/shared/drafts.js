// What is being written, kept in localStorage until it is saved. A place (workspace,
// question, revision) holds one entry a tab, so that two tabs never write over each
// other; another tab's entry is taken up only once that tab has gone.
function nonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((n) => n.toString(16).padStart(2, "0")).join("")
}

// JSON in the browser's storage. Where that is full or forbidden the page goes on
// without it: what is being written is then kept by its field alone.
const kept = {
  get(storage, place) {
    try {
      return JSON.parse(window[storage].getItem(place))
    } catch {
      return null
    }
  },
  set(storage, place, value) {
    try {
      if (value == null) window[storage].removeItem(place)
      else window[storage].setItem(place, JSON.stringify(value))
    } catch {}
  },
  places(storage) {
    try {
      return Object.keys(window[storage])
    } catch {
      return []
    }
  },
}

// A tab keeps its name over a reload; one that was opened from another starts anew.
const TAB = (performance.getEntriesByType("navigation")[0]?.type !== "navigate" && kept.get("sessionStorage", "curatorTab")) || nonce()
kept.set("sessionStorage", "curatorTab", TAB)
addEventListener("pagehide", () => kept.set("localStorage", `curator/tab/${TAB}`, null))
const ALIVE = 15000 // ms since a tab was last seen, while it counts as open

const drafts = {
  read: (place) => kept.get("localStorage", place) ?? {},
  write: (place, entries) => kept.set("localStorage", place, Object.keys(entries).length ? entries : null),
  put: (place, text, base) => drafts.write(place, { ...drafts.read(place), [TAB]: { text, base } }),
  get(place) {
    const entries = drafts.read(place)
    const orphan = Object.keys(entries).find((tab) => Date.now() - (kept.get("localStorage", `curator/tab/${tab}`) ?? 0) > ALIVE)
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
    kept.places("localStorage")
      .filter((place) => place.startsWith(prefix) && /^\d+$/.test(place.slice(prefix.length)) && drafts.get(place))
      .map((place) => ({ place, revision: Number(place.slice(prefix.length)), ...drafts.get(place) })),
  alive: () => kept.set("localStorage", `curator/tab/${TAB}`, Date.now()),
}
