import { expect, test } from "vitest"
import { configured, newRoom } from "#test/agents-room"
import { agentsHandlers } from "../handlers.ts"

async function room() {
  const agents = await newRoom()
  return Object.assign(agents.organising, {
    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  })
}

const names = (all: readonly { readonly name: string }[]) => all.map((it) => it.name)

test("[AGENTS-72] the states that ship are used until one is changed, and a state has a place", async () => {
  await using it = await room()
  expect(await it.show()).toMatchObject({ areStatesOwn: false, labels: [], views: [] })
  const added = await it.state({ name: "in review", after: "in progress", remove: false })
  expect(names(added.states)).toEqual(["todo", "in progress", "in review", "needs review", "done"])
  expect(added.areStatesOwn).toBe(true)
  const changed = await it.state({ name: "in review", colour: "pink", end: true, remove: false })
  expect(changed.states[2]).toEqual({ name: "in review", colour: "pink", isEnd: true })
  const left = await it.state({ name: "needs review", remove: true })
  expect(names(left.states)).toEqual(["todo", "in progress", "in review", "done"])
  await expect(it.state({ name: "x", after: "nowhere", remove: false })).rejects.toMatchObject({
    code: "AGENTS_STATE_AFTER_UNKNOWN",
  })
})

test("[AGENTS-73] a label has a colour and a parent, and a filter by the parent includes it", async () => {
  await using it = await room()
  await it.label({ name: "area", remove: false })
  await it.label({ name: "backend", colour: "blue", parent: "area", remove: false })
  await it.label({ name: "api", parent: "backend", remove: false })
  expect(await it.labelsBelow("area")).toEqual(["api", "area", "backend"])
  expect(await it.labelsBelow("backend")).toEqual(["api", "backend"])
  expect(await it.labelsBelow("unknown")).toEqual(["unknown"])
  await expect(it.label({ name: "x", parent: "none", remove: false })).rejects.toMatchObject({
    code: "AGENTS_LABEL_PARENT_UNKNOWN",
  })
  await expect(it.label({ name: "area", parent: "api", remove: false })).rejects.toMatchObject({
    code: "AGENTS_LABEL_CIRCLE",
  })
  const { labels } = await it.label({ name: "backend", remove: true })
  expect(labels).toEqual([
    { name: "api", colour: "grey", parent: null },
    { name: "area", colour: "grey", parent: null },
  ])
})

test("[AGENTS-74] views are stored for everyone, replaced by name, and bounded", async () => {
  await using it = await room()
  await it.view({ name: "failures", filter: "?status=failed", remove: false })
  await it.view({ name: "hunter2", filter: "?text=a", remove: false })
  const { views } = await it.view({ name: "failures", filter: "?status=stopped", remove: false })
  expect(views).toEqual([
    { name: "failures", filter: "?status=stopped" },
    { name: "[redacted]", filter: "?text=a" },
  ])
  for (let n = 0; n < 48; n++) await it.view({ name: `v${n}`, filter: "", remove: false })
  await expect(it.view({ name: "more", remove: false })).rejects.toMatchObject({
    code: "AGENTS_ORGANISING_FULL",
  })
})

test("[AGENTS-74] changes at the same time are not lost", async () => {
  await using it = await room()
  const all = Array.from({ length: 8 }, (_, n) => `label-${n}`)
  await Promise.all(all.map((name) => it.label({ name, remove: false })))
  expect(names((await it.show()).labels)).toEqual(all)
})

test("[AGENTS-72] any state is accepted until the states are defined, then only those", async () => {
  await using agents = await newRoom()
  const handlers = agentsHandlers({
    agents: async () => agents,
    providers: async () => [],
    keepRule: async () => {},
  })
  const { signal } = new AbortController()
  const { id } = await agents.start({
    type: "synthetic",
    prompt: "x",
    configuration: configured(),
  })
  const move = (workflow: string) => handlers.edit({ id, workflow }, { signal })
  expect(await move("anything")).toMatchObject({ workflow: "anything" })
  await agents.organising.state({ name: "in review", remove: false })
  await expect(move("anything")).rejects.toMatchObject({ code: "AGENTS_WORKFLOW_UNKNOWN" })
  expect(await move("in review")).toMatchObject({ workflow: "in review" })
})
