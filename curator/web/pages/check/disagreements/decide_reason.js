// The reason of a decision, beneath the place that is decided on. The files named in
// decisions.py are one module.
const boxes = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!boxes.has(parentElement)) boxes.set(parentElement, new RemarkBox(parentElement, data))
  boxes.get(parentElement).receive(data, setTriggerValue)
  return () => {
    boxes.get(parentElement)?.leave()
    boxes.delete(parentElement)
  }
}
