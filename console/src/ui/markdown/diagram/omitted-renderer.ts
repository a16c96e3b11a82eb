export function render(): never {
  throw new Error("Formulas and the layout elk are not included.")
}

// oxlint-disable-next-line import/no-default-export -- mermaid imports two of them by default
export default Object.assign(render, { renderToString: render })
