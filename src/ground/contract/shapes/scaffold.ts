import { z } from "zod"

const TEST_STACKS = ["node", "python", "go", "rust", "php"] as const
const TestStack = z.enum(TEST_STACKS)
export type TestStack = z.infer<typeof TestStack>

const TEST_RUNNERS = [
  "vitest",
  "jest",
  "node:test",
  "pytest",
  "unittest",
  "go test",
  "cargo test",
  "phpunit",
] as const
const TestRunner = z.enum(TEST_RUNNERS)
export type TestRunner = z.infer<typeof TestRunner>

const TestProject = z.object({
  folder: z.string().describe("Folder with the project file, empty for the root"),
  stack: TestStack,
  runner: TestRunner,
  why: z.string().describe("What decided the runner"),
  command: z.string().describe("Command that runs its tests"),
})
export type TestProject = z.infer<typeof TestProject>

const PlannedSymbol = z.object({
  name: z.string(),
  line: z.int(),
  happy: z.string(),
  edge: z.string(),
  failure: z.string(),
})
export type PlannedSymbol = z.infer<typeof PlannedSymbol>

const PlannedTest = z.object({
  source: z.string(),
  test: z.string().describe("File of the starter test"),
  runner: TestRunner,
  state: z
    .enum(["missing", "present", "written", "covered"])
    .describe("present: the file exists; covered: other tests use the source"),
  symbols: z.array(PlannedSymbol),
})
export type PlannedTest = z.infer<typeof PlannedTest>

export const ScaffoldTests = z.object({
  projects: z.array(TestProject),
  files: z.array(PlannedTest),
  written: z.array(z.string()),
  left: z.int().describe("Source files beyond the limit"),
})
export type ScaffoldTests = z.infer<typeof ScaffoldTests>
