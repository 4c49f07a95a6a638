// How long somebody has looked: the seconds since the last start in which the page was in
// sight, ten minutes at most.
const LONGEST_LOOK = 600

class Look {
  constructor() {
    this.start()
  }

  start() {
    this.before = 0
    this.since = document.hidden ? null : performance.now()
  }

  // The page was hidden, or is shown again.
  turned() {
    this.before = this.elapsed()
    this.since = document.hidden ? null : performance.now()
  }

  elapsed = () => this.before + (this.since == null ? 0 : performance.now() - this.since)

  get seconds() {
    return Math.min(Math.round(this.elapsed() / 100) / 10, LONGEST_LOOK)
  }
}
