import path from "node:path"
import {
  compareText,
  ensureDirectory,
  findWriteBarrier,
  isInside,
  leadsTo,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type {
  CallContext,
  Handlers,
  ParsedInput,
  PlannedTest,
  ScaffoldTests,
  scaffoldOperations,
} from "#ground/contract"
import type { Content, IndexedFile, IndexedTree } from "#know/map"
import { createProjectFinder, type DetectedProject, stackOf } from "./detect-stack.ts"
import { NoSource, TargetRefused } from "./errors.ts"
import {
  planSymbol,
  renderStarter,
  type SourceFile,
  type TestSymbol,
  testPathOf,
} from "./starter-tests.ts"

const MOST_SYMBOLS_A_FILE = 12

type ScaffoldDeps = {
  root(): string
  tree(context: CallContext): Promise<IndexedTree>
  /** Positions of the files that import each file. */
  importers(tree: IndexedTree): Promise<readonly (readonly number[])[]>
  /** A user's path relative to the root; undefined outside. */
  place(path: string): string | undefined
}

export const scaffoldHandlers = (deps: ScaffoldDeps): Handlers<typeof scaffoldOperations> => ({
  tests: (input, context) => scaffoldTests(input, deps, context),
})

type PlannedFile = Omit<PlannedTest, "symbols"> & {
  readonly symbols: readonly TestSymbol[]
  readonly project: DetectedProject
  readonly from: SourceFile
}

async function scaffoldTests(
  input: ParsedInput<"scaffold.tests">,
  deps: ScaffoldDeps,
  context: CallContext,
): Promise<ScaffoldTests> {
  const tree = await deps.tree(context)
  const root = deps.root()
  const importers = await deps.importers(tree)
  const places = input.paths.map((it) => placeOf(it, deps))
  const isWanted = (file: string) =>
    places.length === 0 ||
    places.some((it) => it === "" || file === it || file.startsWith(`${it}/`))
  const sources = tree.files
    .map((file, position) => ({ file, position }))
    .filter(({ file }) => isSource(file) && isWanted(file.path))
    .toSorted(
      (a, b) =>
        (importers[b.position]?.length ?? 0) - (importers[a.position]?.length ?? 0) ||
        compareText(a.file.path, b.file.path),
    )
  const contents = await tree.contents(sources.map(({ file }) => file.content))
  const finder = createProjectFinder(root)
  const planned: PlannedFile[] = []
  let left = 0
  for (const { file, position } of sources) {
    const content = contents.get(file.content)
    const stack = stackOf(file.language)
    if (content === undefined || stack === undefined) continue
    const project = await finder.projectOf(file.path, stack)
    const symbols = testable(content).map((it) => planSymbol(it, project.runner))
    if (symbols.length === 0) continue
    if (planned.length >= input.limit) {
      left++
      continue
    }
    const test = testPathOf(file.path, project)
    const isThere = (await statFile(path.join(root, test))).kind === "found"
    const isCovered = !isThere && (await isTested(position, { tree, importers, symbols }))
    const absent = isCovered ? "covered" : "missing"
    const state = isThere ? "present" : absent
    const from = { path: file.path, ...(await describeSource(file, content, { tree, project })) }
    planned.push({ source: file.path, test, runner: project.runner, state, symbols, project, from })
  }
  if (places.length > 0 && planned.length === 0) throw NoSource({ path: input.paths.join(", ") })
  const written = input.write ? await writeMissing(planned, root) : []
  return reportOf(planned, written, left)
}

function reportOf(
  planned: readonly PlannedFile[],
  written: readonly string[],
  left: number,
): ScaffoldTests {
  const projects = new Map(
    planned.map(({ project }) => [`${project.stack}:${project.folder}`, project]),
  )
  return {
    projects: [...projects.values()].map(({ folder, stack, runner, why, command }) => ({
      folder,
      stack,
      runner,
      why,
      command,
    })),
    files: planned.map(({ source, test, runner, state, symbols }) => ({
      source,
      test,
      runner,
      state: written.includes(test) ? "written" : state,
      symbols: symbols.map(({ name, line, happy, edge, failure }) => ({
        name,
        line,
        happy,
        edge,
        failure,
      })),
    })),
    written: [...written],
    left,
  }
}

function placeOf(userPath: string, { place }: ScaffoldDeps): string {
  const relative = place(userPath)
  if (relative === undefined) throw NoSource({ path: userPath })
  return relative
}

function isSource({ fileClass, language, path: file }: IndexedFile): boolean {
  // A configuration file or a declaration has nothing to test.
  const isConfig = /(?:^|\/)[^/]*\.(?:config|d)\.[cm]?[jt]s$|(?:^|\/)(?:setup|conftest)\.py$/.test(
    file,
  )
  return fileClass === "source" && stackOf(language) !== undefined && !isConfig
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]{0,99}$/u

/** Exported functions and classes, and types of Go, which are its classes; Python exports by name. */
function testable({ symbols, language }: Content) {
  const kinds = language === "go" ? ["class", "function", "type"] : ["class", "function"]
  const isPublic = (it: Content["symbols"][number]) =>
    it.isExported || (language === "python" && !it.name.startsWith("_"))
  const usable = symbols.filter(
    (it) =>
      kinds.includes(it.kind) && it.parent === undefined && isPublic(it) && isTestName(it.name),
  )
  const byName = new Map(usable.map((it) => [it.name, it]))
  return [...byName.values()].slice(0, MOST_SYMBOLS_A_FILE)
}

function isTestName(name: string): boolean {
  return NAME.test(name) && name !== "default" && name !== "main"
}

type CoverageQuery = {
  readonly tree: IndexedTree
  readonly importers: readonly (readonly number[])[]
  readonly symbols: readonly TestSymbol[]
}

/** A test imports the file; in Go a test of the same folder uses one of its symbols. */
async function isTested(
  position: number,
  { tree, importers, symbols }: CoverageQuery,
): Promise<boolean> {
  const isTest = (at: number) => tree.files[at]?.fileClass === "test"
  if ((importers[position] ?? []).some(isTest)) return true
  const file = tree.files[position]
  if (file?.language !== "go") return false
  const folder = path.posix.dirname(file.path)
  const referrers = await tree.referrers(symbols.map((it) => it.name))
  const contents = new Set([...referrers.values()].flat())
  return tree.files.some(
    (it) =>
      it.fileClass === "test" && path.posix.dirname(it.path) === folder && contents.has(it.content),
  )
}

async function describeSource(
  { path: file, language }: IndexedFile,
  content: Content,
  { tree, project }: { readonly tree: IndexedTree; readonly project: DetectedProject },
): Promise<Omit<SourceFile, "path">> {
  const [declared] = content.packages
  if (language === "go" || language === "php") {
    const text = (await tree.texts([file])).get(file) ?? ""
    const pattern = language === "go" ? /^package\s+(\w+)/m : /^namespace\s+([\w\\]+)\s*;/m
    return { package: pattern.exec(text)?.[1] ?? declared, isPublicModule: false }
  }
  if (language !== "rust" || project.crate === undefined)
    return { package: undefined, isPublicModule: false }
  const inSource = path.posix.relative(path.posix.join(project.folder, "src"), file)
  if (inSource === "lib.rs") return { package: undefined, isPublicModule: true }
  const library = path.posix.join(project.folder, "src", "lib.rs")
  const text = (await tree.texts([library])).get(library) ?? ""
  const module = inSource.replace(/(?:\/mod)?\.rs$/, "")
  const isPublicModule =
    !module.includes("/") && new RegExp(`^pub mod ${module}\\b`, "m").test(text)
  return { package: undefined, isPublicModule }
}

/** All targets are checked before the first one is written. */
async function writeMissing(
  planned: readonly PlannedFile[],
  root: string,
): Promise<readonly string[]> {
  const missing = planned.filter((it) => it.state === "missing")
  for (const { test } of missing) {
    const file = path.join(root, test)
    const target = leadsTo(file)
    if (target === undefined || !isInside(root, target))
      throw TargetRefused({ path: test, reason: "a link leads out of the repository" })
    const barrier = await findWriteBarrier(path.dirname(file))
    if (barrier !== undefined)
      throw TargetRefused({ path: test, reason: `${barrier.path} refuses it (${barrier.reason})` })
  }
  const written: string[] = []
  for (const { test, symbols, project, from } of missing) {
    const file = path.join(root, test)
    // Two sources may share a test; the first one has it.
    if ((await statFile(file)).kind === "found") continue
    const folder = path.dirname(file)
    if ((await statFile(folder)).kind === "missing") await ensureDirectory(folder, { mode: 0o755 })
    await writeFileAtomic(file, renderStarter({ source: from, test, symbols, project }), {
      mode: 0o644,
    })
    written.push(test)
  }
  return written
}
