import { describe, expect, it } from "vitest"

const styles = import.meta.glob<string>("./**/*.module.css", {
  query: "?raw",
  import: "default",
  eager: true,
})
const parts = import.meta.glob<string>("./**/*.tsx", {
  query: "?raw",
  import: "default",
  eager: true,
})

describe("style sheets", () => {
  it("every class that a component uses is in its style sheet", () => {
    const missing = Object.entries(parts).flatMap(([path, source]) => {
      const [, sheet] = /import styles from "([^"]+)"/.exec(source) ?? []
      if (sheet === undefined) return []
      const file = new URL(sheet, `http://ui/${path}`).pathname.slice(1)
      const classes = new Set(styles[`./${file}`]?.matchAll(/\.([\w-]+)/g).map((it) => it[1]))
      const named = [...source.matchAll(/\bstyles\.(\w+)/g)].map((it) => it[1])
      return named.filter((it) => !classes.has(it)).map((it) => `${path} ${it}`)
    })
    expect(missing).toEqual([])
    expect(Object.keys(parts).length).toBeGreaterThan(50)
  })
})
