/**
 * A placeholder for missing data: each property and call returns another placeholder, and as text
 * it is its own name: `‹path›`. So a message can be rendered without an error.
 */
export function placeholder(name: string, owner = name): unknown {
  const text = `‹${name}›`
  return new Proxy(() => {}, {
    // The result of a method is named after its object: path.replace(…) is still ‹path›.
    apply: () => placeholder(owner),
    get(_target, key) {
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === "number" ? NaN : text)
      if (key === Symbol.iterator) return () => [placeholder(name)].values()
      if (key === "toString" || key === "toJSON") return () => text
      if (typeof key === "symbol") return undefined
      return /^\d+$/.test(key) ? placeholder(name) : placeholder(key, name)
    },
  })
}
