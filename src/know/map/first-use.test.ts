import { afterAll, beforeAll, expect, test } from "vitest"
import { createSearch, loadRanker } from "#know/search"
import { type MadeTree, madeTree } from "#test/indexed-tree"
import { mapHandlers } from "./handlers.ts"

/** The shape of a server framework whose map a first user found wrong. */
const FILES = {
  "package.json": '{ "name": "fast", "main": "fast.js", "types": "fast.d.ts" }',
  "fast.js":
    "const Reply = require('./lib/reply')\nmodule.exports = function fast () {\n  return new Reply()\n}\n",
  "fast.d.ts": "export interface Reply { send(payload: unknown): Reply }\n",
  "lib/reply.js": [
    "const { onSendHookRunner } = require('./hooks')",
    "function Reply (res) {",
    "  this.res = res",
    "}",
    "Reply.prototype.send = function (payload) {",
    "  onSendHook(this, payload)",
    "  return this",
    "}",
    "Reply.prototype.hijack = function () {",
    "  return this",
    "}",
    "function onSendHook (reply, payload) {",
    "  onSendHookRunner([], reply, payload, function cb () {})",
    "}",
    "module.exports = Reply",
    "",
  ].join("\n"),
  "lib/hooks.js": [
    "function hookRunner (functions, cb) {",
    "  function next () { cb() }",
    "  next()",
    "}",
    "function onSendHookRunner (functions, reply, payload, cb) {",
    "  function next () { cb() }",
    "  next()",
    "}",
    "module.exports = { hookRunner, onSendHookRunner }",
    "",
  ].join("\n"),
  "lib/store.js":
    "class Store {\n  get (key) { return key }\n  toString () { return 'store' }\n}\nmodule.exports = Store\n",
  "lib/route.js":
    "module.exports = function route (map, req) {\n  const { next, cb } = req\n  cb()\n  next()\n  return map.get(req).toString()\n}\n",
  "test/reply.test.js": "const fast = require('..')\nfast().send('x')\n",
  "test/hooks.test.js": "const fast = require('../fast')\nfast()\n",
  "lib/using.js":
    "const using = 1\nfunction afterUsing () { return using }\nmodule.exports = { afterUsing }\n",
}

const context = { signal: new AbortController().signal }
let made: MadeTree
beforeAll(async () => {
  made = await madeTree(FILES)
})
afterAll(() => made[Symbol.asyncDispose]())

async function show(what: string) {
  const ranker = await loadRanker({ table: "leave" })
  const { map } = mapHandlers({
    scan: (mode, { signal }) => made.index.scan(made.source, { mode, signal }),
    tree: () => Promise.resolve(made.tree),
    knownTree: () => Promise.resolve(made.tree),
    storedTree: () => Promise.resolve(made.tree),
    search: () => Promise.resolve(createSearch({ ranker })),
    redact: async () => (text) => text,
    agentReads: () => Promise.resolve(undefined),
    write: async () => {},
  })
  return map.show({ what, hops: 1 }, context)
}

async function symbol(what: string) {
  const shown = await show(what)
  if (shown.kind !== "symbol") throw new Error(`${what} is a ${shown.kind}`)
  return {
    symbol: shown.symbol,
    callers: shown.callers.map((it) => `${it.symbol.path}#${it.symbol.name}`),
    called: shown.called.map((it) => `${it.symbol.path}#${it.symbol.name}:${it.symbol.fromLine}`),
  }
}

test("[MAP-44] a called symbol has the lines of its definition", async () => {
  expect((await symbol("onSendHook")).called).toEqual(["lib/hooks.js#onSendHookRunner:5"])
})

test("[MAP-40] `require('..')` and `require('../fast')` are the package's main file", async () => {
  expect(await show("fast.js")).toMatchObject({
    importedBy: ["test/hooks.test.js", "test/reply.test.js"],
  })
  expect(await show("fast.d.ts")).toMatchObject({ importedBy: [] })
})

test("[MAP-43] assigned members and type declarations are no callers of a constructor", async () => {
  const { symbol: reply, callers } = await symbol("lib/reply.js#Reply")
  expect(reply).toMatchObject({ path: "lib/reply.js", fromLine: 2 })
  expect(callers).toEqual(["fast.js#fast"])
})

test("[MAP-43] inner functions of one name are called by the function around them", async () => {
  expect((await symbol("hookRunner")).called).toEqual(["lib/hooks.js#next:2"])
  expect((await symbol("onSendHookRunner")).called).toEqual(["lib/hooks.js#next:6"])
})

test("[MAP-43] common local names are not calls of other files", async () => {
  const route = await symbol("lib/route.js#route")
  expect(route.called).toEqual([])
})

test("[MAP-47] a function assigned to a prototype is a symbol of its constructor", async () => {
  for (const name of ["Reply.prototype.send", "Reply.send", "reply.send"]) {
    expect((await symbol(name)).symbol, name).toMatchObject({
      path: "lib/reply.js",
      name: "send",
      parent: "Reply",
      fromLine: 5,
    })
  }
})

test("[MAP-43] `using` is a name where it declares nothing", async () => {
  expect((await symbol("afterUsing")).symbol.path).toBe("lib/using.js")
})
