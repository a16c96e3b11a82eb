import { runQm } from "#test/qm"
import type { ConsoleFixture } from "../console-fixture.ts"

export type BoardStory = Awaited<ReturnType<typeof seedBoard>>

const BACKLOG = [
  ["Show the tide window while a berth is dragged", "P1"],
  ["Export the month as one signed file", "P2"],
  ["Tell the master by text message, not by mail", "P2"],
  ["Delete the second calendar library", "P3"],
] as const

/** Tickets in every lane; one was moved by an agent and has evidence. */
export async function seedBoard({ call, project, home }: ConsoleFixture) {
  const add = async (title: string, fields: object = {}) =>
    (await call("ticket.new", { title, ...fields })).id
  for (const [title, priority] of BACKLOG) await add(title, { priority })
  const working = await add("Make quotes and invoices agree to the cent", { priority: "P0" })
  await call("ticket.move", { id: working, lane: "working" })
  const blocked = await add("Bill a lay-by berth by the hour", { dependsOn: [working] })
  const tested = await add("Refuse a berth shorter than the vessel", {
    priority: "P1",
    body: "A booking was accepted for a 62 m vessel on a 58 m berth.",
    paths: ["src/tariff/rounding.ts"],
    accept: ["Length over all plus margin is compared", "The refusal names both lengths"],
  })
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, CLAUDECODE: "1" }
  for (const lane of ["working", "testing"]) {
    const { code, stderr } = await runQm(["ticket", "move", tested, lane], { cwd: project, env })
    if (code !== 0) throw new Error(stderr)
  }
  await call("ticket.edit", { id: tested, check: [1, 2] })
  const done = await add("Pin the schema of the tide feed", { priority: "P3" })
  await call("ticket.move", { id: done, lane: "conclusion" })
  return { working, blocked, tested, done }
}
