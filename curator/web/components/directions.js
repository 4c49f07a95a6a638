// The direction of texts: a block that shows letters written from right to left, and every
// field to write in, takes it from its own text (dir="auto"), however it was drawn. Where
// the block begins with other letters, or a template says so, an inline element does alone.
if (!window.curatorDirections) {
  const RTL = "\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}\\p{Script=Adlam}\\p{Script=Mandaic}\\p{Script=Samaritan}"
  const FROM_THE_RIGHT = new RegExp(`[${RTL}]`, "u")
  const BEGINS_FROM_THE_RIGHT = new RegExp(`^[^\\p{L}]*[${RTL}]`, "u")
  const FIELDS = "textarea, [contenteditable], input:is(:not([type]), [type=text], [type=search], [type=email])"
  const isInline = (element) => /^(inline|contents)$/.test(getComputedStyle(element).display)

  // The element of this text that is to have the attribute.
  const elementOf = ({ parentElement: holder }) => {
    let block = holder
    while (isInline(block) && !block.dir && block !== document.body) block = block.parentElement
    return BEGINS_FROM_THE_RIGHT.test(block.textContent) || block.dir ? block : holder
  }
  const textsIn = function* (node) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    for (let text = node.nodeType === Node.TEXT_NODE ? node : walker.nextNode(); text; text = walker.nextNode())
      if (FROM_THE_RIGHT.test(text.data) && text.parentElement?.matches(":not(script, style, title)")) yield text
  }
  const fieldsIn = (node) => (node.nodeType !== Node.ELEMENT_NODE ? [] : node.matches(FIELDS) ? [node] : node.querySelectorAll(FIELDS))
  // Before the style sheets are there (frame.css), no element says whether it is inline.
  let styled = false
  const isStyled = () => Boolean(getComputedStyle(document.querySelector(".stApp") ?? document.body).getPropertyValue("--ink"))
  const look = (nodes) => {
    const there = nodes.filter((node) => node.isConnected)
    const texts = there.flatMap((node) => [...textsIn(node)])
    if (texts.length && !(styled ||= isStyled())) return requestAnimationFrame(() => look([document.body]))
    // All are found before the first is changed, which would have styles computed again.
    const found = [...there.flatMap((node) => [...fieldsIn(node)]), ...texts.map(elementOf)]
    for (const element of found) if (element.getAttribute("dir") !== "auto") element.setAttribute("dir", "auto")
  }
  const changed = (changes) => look(changes.flatMap(({ type, target, addedNodes }) => (type === "characterData" ? target : [...addedNodes])))
  window.curatorDirections = new MutationObserver(changed)
  window.curatorDirections.observe(document.body, { childList: true, subtree: true, characterData: true })
  look([document.body])
}
