// JSON in the browser's storage. Where that is full or forbidden it is kept as long as
// the page is, for whatever is drawn in it, and of a text that is said once.
const unstored = (window.curatorUnstored ??= new Map())
const UNSTORED = "This browser’s storage is full or switched off: what you type is kept only until the page is closed or loaded again. Save it before."

function sayUnstored() {
  if (window.curatorSaidUnstored) return
  const line = (window.curatorSaidUnstored = Object.assign(document.createElement("p"), { className: "c-lost c-unstored", textContent: UNSTORED }))
  line.setAttribute("role", "alert")
  line.append(Object.assign(document.createElement("button"), { type: "button", textContent: "Understood", onclick: () => line.remove() }))
  document.querySelector(".stApp")?.append(line)
}

const kept = {
  get(storage, place) {
    try {
      return JSON.parse(unstored.get(place) ?? window[storage].getItem(place))
    } catch {
      return null
    }
  },
  set(storage, place, value) {
    unstored.delete(place)
    try {
      if (value == null) window[storage].removeItem(place)
      else window[storage].setItem(place, JSON.stringify(value))
    } catch {
      if (value == null) return
      unstored.set(place, JSON.stringify(value))
      if (value.text) sayUnstored()
    }
  },
  places(storage) {
    try {
      return new Set([...Object.keys(window[storage]), ...unstored.keys()])
    } catch {
      return new Set(unstored.keys())
    }
  },
}
