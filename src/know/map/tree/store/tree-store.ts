import { createHash } from "node:crypto"
import type { Clock } from "#ground/base"
import type { Db, Tx } from "#ground/store"
import { MOST_TREES } from "../../limits.ts"
import { stateOf } from "../merge-segments.ts"
import type { IndexedFile } from "../types.ts"
import {
  BodyRow,
  deleteTree,
  NameRow,
  selectTree,
  selectTreeFiles,
  selectTreeNames,
  selectTreePast,
  TreeRow,
  updateState,
  upsertTree,
  upsertTreeFiles,
  upsertTreePast,
} from "./queries.ts"
import {
  decodePast,
  decodeTree,
  encodePast,
  encodeTree,
  type StoredPast,
  type StoredTree,
} from "./tree-codec.ts"

export type StoredTreeState = {
  readonly revision: number
  readonly scannedAtMs: number
  readonly digest: string
  readonly tree: StoredTree
  readonly past: StoredPast
}

type SavedTree = {
  readonly key: string
  readonly before: StoredTreeState | undefined
  readonly tree: StoredTree
  readonly past: StoredPast
  readonly sweeps: number
}

export type KeptTrees = ReturnType<typeof createTreeStore>

/** Each tree is one row, replaced when the new one is complete. */
export function createTreeStore(deps: { readonly db: Db<"map">; readonly clock: Clock }) {
  const { db, clock } = deps
  const inMemory = new Map<string, StoredTreeState>()

  return {
    async load(key: string): Promise<StoredTreeState | undefined> {
      const row = await db.get(TreeRow, selectTree(key))
      if (row === undefined) return undefined
      const cached = inMemory.get(key)
      if (cached?.revision === row.revision) return { ...cached, scannedAtMs: row.scanned_at }
      const files = await db.get(BodyRow, selectTreeFiles(key))
      const past = await db.get(BodyRow, selectTreePast(key))
      if (files === undefined || past === undefined) return undefined
      const tree = decodeTree(files.body)
      const decodedPast = decodePast(past.body)
      if (tree === undefined || decodedPast === undefined) return undefined
      const state: StoredTreeState = {
        revision: row.revision,
        scannedAtMs: row.scanned_at,
        digest: digestOf(tree.files),
        tree,
        past: decodedPast,
      }
      inMemory.set(key, state)
      return state
    },

    async save(saved: SavedTree): Promise<StoredTreeState | undefined> {
      const digest = digestOf(saved.tree.files)
      const scannedAtMs = clock.now()
      const revision = await db.transaction((tx) => write(tx, saved, { digest, scannedAtMs }))
      if (revision === undefined) return undefined
      const { tree, past } = saved
      const state = { revision, scannedAtMs, digest, tree, past }
      inMemory.set(saved.key, state)
      return state
    },
  }
}

type WrittenTree = { readonly digest: string; readonly scannedAtMs: number }

async function write(
  tx: Tx<"map">,
  saved: SavedTree,
  { digest, scannedAtMs }: WrittenTree,
): Promise<number | undefined> {
  const { key: name, before, tree, past } = saved
  const state = await stateOf(tx)
  if (state.sweeps !== saved.sweeps) return undefined
  const row = await tx.get(TreeRow, selectTree(name))
  // A tree that another process wrote in the meantime is replaced whole.
  const isOurs = before !== undefined && row?.revision === before.revision
  const hasSameTree = isOurs && isSameTree(before.tree, tree)
  const hasSameStamps = hasSameTree && areStampsSame(before.tree, tree)
  const hasSamePast = isOurs && isSamePast(before.past, past)
  const isSame = hasSameTree && hasSamePast
  const revision = isSame ? before.revision : state.next_revision
  // Never reused, because others may still hold the old one.
  if (!isSame) await tx.run(updateState({ ...state, next_revision: revision + 1 }))
  const git_sha = past.gitSha ?? null
  await tx.run(upsertTree({ name, revision, scanned_at: scannedAtMs, git_sha }))
  if (!hasSameStamps) await tx.run(upsertTreeFiles(name, encodeTree(tree)))
  if (!hasSamePast) await tx.run(upsertTreePast(name, encodePast(past)))
  if (row === undefined) await dropOldest(tx)
  if (before?.digest !== digest) {
    const changed = changesBetween(before?.tree, tree)
    tx.emit("map.scanned", { files: tree.files.length, changed, digest })
  }
  return revision
}

async function dropOldest(tx: Tx<"map">): Promise<void> {
  const names = await tx.all(NameRow, selectTreeNames())
  for (const { name } of names.slice(MOST_TREES)) {
    for (const statement of deleteTree(name)) await tx.run(statement)
  }
}

function digestOf(files: readonly IndexedFile[]): string {
  const hash = createHash("sha256")
  for (const { path, blobId } of files) hash.update(`${path}\0${blobId}\n`)
  return hash.digest("hex")
}

function isSameTree(a: StoredTree, b: StoredTree): boolean {
  return (
    a.reader === b.reader &&
    areSame(a.files, b.files, ["path", "content", "fileClass"]) &&
    areSame(a.unread, b.unread, ["path", "fileClass", "sizeBytes", "blobId"]) &&
    areSame(a.refused, b.refused, ["path", "reason", "blobId"]) &&
    areSame(a.skipped, b.skipped, ["path", "reason"])
  )
}

/** Stamps make no new revision: what was prepared for the tree stays valid. */
function areStampsSame(a: StoredTree, b: StoredTree): boolean {
  return (
    areSame(a.files, b.files, ["stamp"]) &&
    areSame(a.unread, b.unread, ["stamp"]) &&
    areSame(a.refused, b.refused, ["stamp"]) &&
    areSame(a.probes, b.probes, ["path", "stamp"])
  )
}

function areSame<Item>(
  a: readonly Item[],
  b: readonly Item[],
  fields: readonly (keyof Item)[],
): boolean {
  if (a.length !== b.length) return false
  return a.every((it, at) => fields.every((field) => it[field] === b[at]?.[field]))
}

function isSamePast(a: StoredPast, b: StoredPast): boolean {
  if (a === b) return true
  if (a.gitSha !== b.gitSha) return false
  if ("problem" in a.past || "problem" in b.past) {
    return "problem" in a.past && "problem" in b.past && a.past.problem === b.past.problem
  }
  const [ids, others] = [a.past.ids, b.past.ids]
  return ids.length === others.length && ids.every((id, at) => id === others[at])
}

export function changesBetween(before: StoredTree | undefined, after: StoredTree): number {
  const old = new Map(before?.files.map((it) => [it.path, it.blobId]))
  let [same, added] = [0, 0]
  for (const { path, blobId } of after.files) {
    const last = old.get(path)
    if (last === blobId) same++
    else if (last === undefined) added++
  }
  return old.size - same + added
}
