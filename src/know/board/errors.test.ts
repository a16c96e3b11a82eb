import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { BY_AGENT, boardFixture, input, PERSON } from "#test/board-room"
import {
  BoardFull,
  CommandNotAllowed,
  CommandNotStarted,
  CriteriaOpen,
  DependencyCycle,
  EvidenceMissing,
  LaneFull,
  MoveIllegal,
  NothingToUndo,
  TicketAmbiguous,
  TicketFileChanged,
  TicketInvalid,
  TicketUnknown,
} from "./errors.ts"
import { MOST_TICKETS } from "./limits.ts"

async function testedWorld() {
  const world = await boardFixture()
  const { room } = world
  for (const title of ["A", "B"]) {
    await room.create(input("ticket.new", { title, accept: ["It works"] }))
  }
  return world
}

test("[BOARD-4] an unknown and an ambiguous reference have their codes", async () => {
  await using world = await testedWorld()
  await expect(world.room.detail({ id: "99" })).rejects.toSatisfy(TicketUnknown.is)
  await expect(world.room.detail({ id: "T-" })).rejects.toSatisfy(TicketAmbiguous.is)
})

test("[BOARD-5] a cycle and invalid fields have their codes", async () => {
  await using world = await testedWorld()
  const { room } = world
  const loop = room.link(input("ticket.link", { id: "1", on: "1" }))
  await expect(loop).rejects.toSatisfy(DependencyCycle.is)
  await expect(room.create(input("ticket.new", { title: " " }))).rejects.toSatisfy(TicketInvalid.is)
  const unnamed = room.block({ id: "1", reason: " ", clear: false })
  await expect(unnamed).rejects.toSatisfy(TicketInvalid.is)
})

test("[BOARD-11] a log file that became a link is refused and not followed", async () => {
  await using world = await testedWorld()
  await world.room.move({ id: "1", lane: "working" }, PERSON)
  const [name = ""] = await world.files(".qm/board/log")
  const file = path.join(world.root, ".qm/board/log", name)
  const elsewhere = path.join(world.root, "elsewhere")
  renameSync(file, elsewhere)
  symlinkSync(elsewhere, file)
  const before = readFileSync(elsewhere, "utf8")
  const move = world.room.move({ id: "2", lane: "working" }, PERSON)
  await expect(move).rejects.toSatisfy(TicketFileChanged.is)
  expect(readFileSync(elsewhere, "utf8")).toBe(before)
})

test("[BOARD-7] a full lane, an illegal move and a missing move have their codes", async () => {
  await using world = await testedWorld()
  const { room } = world
  world.settings.workingLimit = 1
  await expect(room.undo({ id: "1" }, PERSON)).rejects.toSatisfy(NothingToUndo.is)
  await room.move({ id: "1", lane: "working" }, PERSON)
  await expect(room.move({ id: "2", lane: "working" }, PERSON)).rejects.toSatisfy(LaneFull.is)
  const closing = room.move({ id: "1", lane: "conclusion" }, BY_AGENT)
  await expect(closing).rejects.toSatisfy(MoveIllegal.is)
})

test("[BOARD-18] missing evidence, open criteria and refused commands have their codes", async () => {
  await using world = await testedWorld()
  const { room } = world
  await room.move({ id: "1", lane: "working" }, PERSON)
  const check = (command: string, from: typeof PERSON | typeof BY_AGENT) =>
    room.capture(input("ticket.evidence", { id: "1", command: [command] }), from)
  await expect(check("ls", BY_AGENT)).rejects.toSatisfy(CommandNotAllowed.is)
  await expect(check("no-such-program", PERSON)).rejects.toSatisfy(CommandNotStarted.is)
  await room.move({ id: "1", lane: "testing" }, PERSON)
  await expect(room.approve({ id: "1" }, PERSON)).rejects.toSatisfy(CriteriaOpen.is)
  await room.edit(input("ticket.edit", { id: "1", check: [1] }), PERSON)
  await expect(room.approve({ id: "1" }, PERSON)).rejects.toSatisfy(EvidenceMissing.is)
})

test("[BOARD-10] a board with 5,000 tickets takes no more", async () => {
  await using world = await boardFixture({ git: false })
  const folder = path.join(world.root, ".qm/board/tickets")
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < MOST_TICKETS; n++) {
    writeFileSync(path.join(folder, `${n}.md`), `---\nid: T-${n}\ntitle: A\n---\n`)
  }
  const create = world.room.create(input("ticket.new", { title: "B" }))
  await expect(create).rejects.toSatisfy(BoardFull.is)
})
