import { expect, test } from "vitest"
import { inlineFacades } from "./facades.ts"

test("importers take the names of a facade from the file behind it", () => {
  const { codes, insertions } = inlineFacades(
    new Map([
      [
        "main.mjs",
        "let a=1;\nconst b=import(`./chunks/run-1.mjs`),c=import(`./chunks/own-1.mjs`);",
      ],
      ["chunks/run-1.mjs", '   export{t as run,n as default}from"./large-1.mjs";\n'],
      ["chunks/large-1.mjs", "const t=1,n=2;export{t,n};import(`./run-1.mjs`);"],
      ["chunks/own-1.mjs", 'import"./large-1.mjs";export{t}from"./large-1.mjs";'],
    ]),
  )
  const direct = "import(`./chunks/large-1.mjs`).then(e=>({run:e.t,default:e.n}))"
  expect(Object.fromEntries(codes)).toEqual({
    "main.mjs": `let a=1;\nconst b=${direct},c=import(\`./chunks/own-1.mjs\`);`,
    "chunks/large-1.mjs":
      "const t=1,n=2;export{t,n};import(`./large-1.mjs`).then(e=>({run:e.t,default:e.n}));",
    "chunks/own-1.mjs": 'import"./large-1.mjs";export{t}from"./large-1.mjs";',
  })
  const column = "const b=import(`./chunks/run-1.mjs`)".length
  const length = direct.length - "import(`./chunks/run-1.mjs`)".length
  expect(insertions.get("main.mjs")).toEqual([{ line: 1, column, length }])
})

test("a facade that a file still imports stays", () => {
  const files = new Map([
    ["a.mjs", 'import{run}from"./chunks/run-1.mjs";'],
    ["chunks/run-1.mjs", 'export{t as run}from"./large-1.mjs";'],
  ])
  expect([...inlineFacades(files).codes.keys()]).toEqual(["a.mjs", "chunks/run-1.mjs"])
})
