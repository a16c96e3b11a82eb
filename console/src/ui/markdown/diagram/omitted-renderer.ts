function leftOut(): never {
  throw new Error("Formulas and the layout elk are not included.")
}

// oxlint-disable-next-line import/no-default-export -- mermaid imports both by default
export default Object.assign(leftOut, { renderToString: leftOut })
