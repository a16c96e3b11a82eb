import { expect, test } from "vitest"
import { splitQuery } from "./split-query.ts"

test("[MAP-2] patterns of the root are separated, each with its captures and its place", () => {
  const query = `
(comment) @comment ; (program (a))
(program (call name: (_) @name) @def.function
  (#eq? @name "(program )["))
[(a) (b)]+ @ref
(program_part) @ref
(program [(c) @name (d)])
`
  expect(splitQuery(query, "program")).toEqual({
    atRoot: {
      source: `(program (call name: (_) @name) @def.function
  (#eq? @name "(program )["))

(program [(c) @name (d)])
`,
      places: [1, 4],
    },
    anywhere: {
      source: "(comment) @comment \n\n[(a) (b)]+ @ref\n\n(program_part) @ref\n",
      places: [0, 2, 3],
    },
  })
})
