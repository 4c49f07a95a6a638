// What a key event means, whatever the layout and the state of the keyboard.

// The place in the browser's storage of a judge's wish for no single keys (listener.js names the judge).
const keysOffPlace = () => `curator/${window.curatorJudge}/single-keys-off`

// Whether the event belongs to an input method, such as the Enter that ends a composition:
// Safari sends that one after the composition, with nothing but this code to tell it by.
const isComposed = ({ isComposing, keyCode }) => isComposing || keyCode === 229

// Whether the key types something, which may be two characters, as lam-alef is.
const isText = (key) => !/^[A-Z][A-Za-z0-9]+$/.test(key)

// Whether Ctrl, Alt or Meta makes it a command. AltGr types characters, as Option does.
function isCommand(event, { platform } = navigator) {
  const { key, ctrlKey, altKey, metaKey } = event
  if (metaKey || event.getModifierState("AltGraph")) return metaKey
  const isOption = /^(Mac|iP)/.test(platform) && /^[!-/:-@[-`{-~]$/.test(key)
  return ctrlKey || (altKey && !isOption)
}

// The character that a US keyboard has at the place of this key, "" where none is of use.
function placeOf(event) {
  const { code, shiftKey, altKey } = event
  if (altKey || event.getModifierState("AltGraph")) return ""
  if (/^Key[A-Z]$/.test(code)) return shiftKey ? code[3] : code[3].toLowerCase()
  if (code === "Slash") return shiftKey ? "?" : "/"
  if (shiftKey) return ""
  return /^Digit\d$/.test(code) ? code[5] : ({ BracketLeft: "[", BracketRight: "]", Comma: ",", Period: "." }[code] ?? "")
}

// The name of the key for the page. A Latin letter, a digit and a sign are what the layout
// says; a letter of another alphabet, a dead key, and a digit that takes Shift are what a
// US keyboard has at their place. Where the last letter typed was of another alphabet, so
// are signs at the places of letters and digits.
function keyName(event, otherAlphabet = window.curatorOtherAlphabet) {
  const { key, code, shiftKey } = event
  if (!isText(key) && !["Dead", "Unidentified"].includes(key)) return key
  if (/^[a-z]$/i.test(key)) {
    if (!event.getModifierState("CapsLock")) return key
    return shiftKey ? key.toUpperCase() : key.toLowerCase()
  }
  const place = placeOf(event)
  if (otherAlphabet && /^(Key|Digit)/.test(code) && place) return place
  if (/^[0-9.,/?[\]]$/.test(key)) return key
  const isLatin = /^([ -~]|\p{Script=Latin})$/u.test(key)
  return ((!isLatin || /^Digit/.test(code)) && place) || key
}

// Remembers the alphabet of a letter that is typed, on the page or in a field.
function noteAlphabet({ key }) {
  if (isText(key) && /^\p{L}/u.test(key)) window.curatorOtherAlphabet = !/^\p{Script=Latin}/u.test(key)
}

// Whether the judge has switched single keys off, in the list of keys.
function keysAreOff() {
  try {
    return Boolean(window.curatorUnstored?.has(keysOffPlace()) || localStorage.getItem(keysOffPlace()))
  } catch {
    return false
  }
}
