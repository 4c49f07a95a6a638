// What retiring a question would do: a sentence, and the systems that would move.
function previewOf({ sentence, movers, more }) {
  const line = ({ rank, move, system, score, change }) =>
    el("tr", "c-moved", null, {},
      el("td", "", rank, {}, el("span", "", null, {}, ...words([move]))),
      el("th", "", system, { scope: "row", title: system }),
      el("td", "", score),
      el("td", "", change))
  return [
    el("p", "", null, {}, ...words(sentence)),
    movers.length ? el("table", "c-board", null, {}, el("tbody", "", null, {}, ...movers.map(line))) : "",
    more ? el("small", "", more) : "",
  ]
}
