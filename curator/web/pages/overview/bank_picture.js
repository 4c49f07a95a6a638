// The bank as a picture: a strip a query, a bar a question. One button goes about in it,
// to where the pointer or an arrow key is; what it is on is said beneath.
const POINT = "Point at a bar, or Tab and arrows: its question stands here; a click or Enter opens it."

export default function ({ data, parentElement }) {
  const { strips, size, legend, about } = data
  const made = () => parentElement.appendChild(el("section", "o-picture", null, { "aria-label": "The bank as a picture" }))
  const picture = parentElement.querySelector(".o-picture") ?? made()
  fill(picture, [strips, size, legend, about], () => drawn(picture, strips, size, legend, about))
}

function drawn(picture, strips, size, legend, about) {
  const [pitch, across, name, line] = size
  for (const [variable, pixels] of Object.entries({ pitch, name, row: line, strip: pitch * across }))
    picture.style.setProperty(`--${variable}`, `${pixels}px`)
  const looks = legend.map(([css, words]) => el("span", "", null, {}, el("i", css), words))
  const head = el("div", "c-listhead", null, {}, el("b", "", "Bank"), el("span", "", about), el("em", "o-legend", null, {}, ...looks))
  const rows = strips.map((strip) => row(strip, size))
  const cursor = el("button", "o-cursor", null, { type: "button" })
  const said = el("p", "o-said", POINT, { "aria-live": "polite" })
  let [strip, bar] = [strips.findIndex(({ bars }) => bars.length), 0]
  if (strip < 0) return [head, el("div", "o-strips", null, {}, ...rows), said]

  const put = () => {
    const { query, name, bars } = strips[strip]
    const [question, , , says] = bars[bar]
    const place = rows[strip].lastElementChild
    cursor.dataset.pick = `on-curate:${new URLSearchParams({ query, question })}`
    cursor.setAttribute("aria-label", `${says} · ${name}`)
    cursor.style.left = `${pitch * (bar % across)}px`
    cursor.style.top = `${line * Math.floor(bar / across)}px`
    if (cursor.parentElement === place) return
    const focused = document.activeElement === cursor
    place.append(cursor)
    if (focused) cursor.focus()
  }
  const say = () => {
    const { name, bars } = strips[strip]
    const [text, figures] = bars[bar][3].split(/ — (?=[^—]*$)/)
    cursor.dataset.shown = ""
    said.replaceChildren(el("b", "", text), ` ${figures} · ${name}`)
  }
  const go = (to, at) => {
    const last = (strips[to]?.bars.length ?? 0) - 1
    if (last < 0 || at < 0) return
    ;[strip, bar] = [to, Math.min(at, last)]
    put()
    say()
  }
  const beside = (by) => {
    let to = strip + by
    while (strips[to] && !strips[to].bars.length) to += by
    go(to, bar)
  }
  const keys = {
    ArrowLeft: () => go(strip, bar - 1),
    ArrowRight: () => go(strip, bar + 1),
    ArrowUp: () => beside(-1),
    ArrowDown: () => beside(1),
    Home: () => go(strip, 0),
    End: () => go(strip, Infinity),
  }
  cursor.onfocus = say
  cursor.onblur = picture.onpointerleave = () => delete cursor.dataset.shown
  cursor.onkeydown = (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    keys[event.key]()
  }
  rows.forEach((one, at) => {
    const place = one.lastElementChild
    place.onpointermove = place.onpointerdown = ({ clientX, clientY }) => {
      const { left, top } = place.getBoundingClientRect()
      const under = Math.floor((clientX - left) / pitch) + across * Math.floor((clientY - top) / line)
      if (under < strips[at].bars.length && (at !== strip || under !== bar || !("shown" in cursor.dataset))) go(at, under)
    }
  })
  put()
  return [head, el("div", "o-strips", null, {}, ...rows), said]
}

function row({ query, name, state, mark, bars }, [pitch, across, , line]) {
  const sign = el("i", "", mark, mark ? { role: "img", "aria-label": state } : {})
  const opens = { type: "button", tabindex: -1, "data-pick": `curate:${query}`, title: `${name} · ${state}` }
  const place = el("div", "o-bars")
  const lines = Math.max(1, Math.ceil(bars.length / across))
  place.style.height = `${line * lines - 2}px`
  bars.forEach(([, css, height], at) => {
    const bar = place.appendChild(document.createElement("i"))
    bar.className = css
    bar.style.left = `${pitch * (at % across)}px`
    bar.style.bottom = `${line * (lines - 1 - Math.floor(at / across))}px`
    bar.style.height = `${Math.round((height / 100) * (line - 4))}px`
  })
  return el("div", "o-strip", null, {}, el("button", "o-name", null, opens, sign, name), place)
}
