// What a figure means, in words beside it: where the pointer rests on something that
// carries data-tip, or the focus is on it. Esc takes it away.
const TIP_RESTS = 250 // ms
function tips(signal) {
  const tip = document.getElementById("curator-tip") ?? document.querySelector(".stApp").appendChild(document.createElement("div"))
  Object.assign(tip, { id: "curator-tip", className: "c-tip", hidden: true })
  tip.setAttribute("role", "tooltip")
  let at = null
  let waits = null
  const hide = () => {
    clearTimeout(waits)
    at?.removeAttribute("aria-describedby")
    at = null
    tip.hidden = true
  }
  const show = (wanted) => {
    hide()
    if (!wanted.isConnected) return
    at = wanted
    tip.textContent = at.dataset.tip
    tip.hidden = false
    at.setAttribute("aria-describedby", tip.id)
    const { left, right, top, bottom } = at.getBoundingClientRect()
    const beside = Math.min(left, innerWidth - tip.offsetWidth - 8)
    const beneath = bottom + 6 + tip.offsetHeight < innerHeight
    tip.style.left = `${Math.max(8, right - left > tip.offsetWidth ? left : beside)}px`
    tip.style.top = `${Math.max(8, beneath ? bottom + 6 : top - tip.offsetHeight - 6)}px`
  }
  const found = (event) => event.target.closest?.("[data-tip]")
  const over = (event) => {
    const wanted = found(event)
    if (!wanted || wanted === at) return
    clearTimeout(waits)
    waits = setTimeout(() => show(wanted), TIP_RESTS)
  }
  const focused = (event) => found(event)?.matches(":focus-visible") && event.target === found(event) && show(event.target)
  const escaped = (event) => event.key === "Escape" && hide()
  document.addEventListener("pointerover", over, { signal })
  document.addEventListener("pointerout", hide, { signal })
  document.addEventListener("focusin", focused, { signal })
  document.addEventListener("focusout", hide, { signal })
  document.addEventListener("keydown", escaped, { capture: true, signal })
  document.addEventListener("scroll", hide, { capture: true, signal })
}
