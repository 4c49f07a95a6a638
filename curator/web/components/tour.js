// The guided tour: a card beside the control that each step speaks of, and a ring around
// it. It takes no focus and no click but its own, so edits go on. The step is kept in
// the tab's storage, that it was seen in the browser's, by workspace and judge.
const RING = 250 // ms between two looks at where the control is
const BESIDE = 14 // pixels

class Tour {
  constructor(send) {
    this.send = send
    this.ring = el("div", "c-ring", null, { hidden: "" })
    this.card = el("aside", "c-tour", null, { "aria-live": "polite", hidden: "" })
    document.querySelector(".stApp").append(this.ring, this.card)
    setInterval(() => this.point(), RING)
  }

  receive({ tour, workspace }) {
    Object.assign(this, tour, { place: `curator/${workspace}/tour` })
    const seen = kept.get("localStorage", this.place)
    this.step = kept.get("sessionStorage", this.place)
    if (this.step == null && this.offered && !seen) this.go(0)
    this.draw()
  }

  get stop() {
    return this.step == null ? null : this.stops[this.step]
  }

  // Begun or left, it is not offered again.
  go(step) {
    this.step = step == null || step >= this.stops.length ? null : Math.max(0, step)
    kept.set("sessionStorage", this.place, this.step)
    kept.set("localStorage", this.place, "seen")
    if (this.stop && this.stop.page !== this.page) this.send("goto", { name: this.stop.page })
    this.draw()
  }

  // Whether the key was the tour's: → on, ← back, Esc ends it.
  pressed(key) {
    if (!this.stop || !["ArrowRight", "ArrowLeft", "Escape"].includes(key)) return false
    if (key === "ArrowLeft" && !this.step) return false
    this.go(key === "Escape" ? null : this.step + (key === "ArrowRight" ? 1 : -1))
    return true
  }

  draw() {
    const { stop, step, stops, card } = this
    card.hidden = !stop
    if (stop) {
      const last = step === stops.length - 1
      const act = (label, key, to) => el("button", "p-button", label, { type: "button", title: `${label} (${key})`, onclick: () => this.go(to) }, el("kbd", "", key))
      card.setAttribute("aria-label", `Tour, step ${step + 1} of ${stops.length}`)
      fill(card, stop, () => [
        el("small", "", `${step + 1} of ${stops.length}`),
        el("h2", "", stop.title),
        el("p", "", stop.text),
        el("div", "", null, {}, act(last ? "Finish" : "Next", "→", step + 1), step > 0 && act("Back", "←", step - 1), !last && act("Skip the tour", "Esc", null)),
      ])
    }
    this.point()
  }

  point() {
    const { stop, ring, card } = this
    const found = stop && stop.page === this.page && [...document.querySelectorAll(stop.selector)].find((one) => one.getClientRects().length)
    ring.hidden = !found
    if (!stop) return
    const { offsetWidth: width, offsetHeight: height } = card
    let [x, y] = [innerWidth - width - 24, innerHeight - height - 24]
    if (found) {
      const { left, right, top, bottom } = found.getBoundingClientRect()
      Object.assign(ring.style, { left: `${left - 3}px`, top: `${top - 3}px`, width: `${right - left + 6}px`, height: `${Math.min(bottom, innerHeight) - top + 6}px` })
      // At its side if there is room, else beneath it, else in the window's corner.
      if (right + BESIDE + width < innerWidth) [x, y] = [right + BESIDE, top]
      else if (left - BESIDE - width > 0) [x, y] = [left - BESIDE - width, top]
      else if (bottom + BESIDE + height < innerHeight) [x, y] = [left, bottom + BESIDE]
    }
    card.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`
    card.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`
  }
}
