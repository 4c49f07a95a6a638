// JSON in the browser's storage. Where that is full or forbidden it is kept as long as
// the page is.
const unstored = new Map()
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
      if (value != null) unstored.set(place, JSON.stringify(value))
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
