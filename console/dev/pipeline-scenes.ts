import type { Page } from "playwright-core"
import type { Scene } from "./shots.ts"

/** Pipelines, Agents and Knowledge in each of their states. */
export const PIPELINE_SCENES: readonly Scene[] = [
  { name: "pipelines", path: "/pipelines", state: "populated" },
  { name: "pipelines-new", path: "/pipelines?add=yes", state: "populated" },
  {
    name: "pipelines-untrusted",
    path: "/pipelines?add=yes&start=berth-review",
    state: "populated",
  },
  { name: "pipelines-nothing", path: "/pipelines?text=zzz", state: "populated" },
  { name: "pipelines-empty", path: "/pipelines", state: "empty" },
  { name: "pipelines-failing", path: "/pipelines", state: "failing" },
  { name: "pipeline-paused", path: "/pipelines/p-12", state: "populated" },
  { name: "pipeline-amend", path: "/pipelines/p-12", state: "populated", act: amend },
  { name: "pipeline-exit", path: "/pipelines/p-12", state: "populated", act: exit },
  {
    name: "pipeline-live",
    path: "/pipelines/p-13",
    state: "populated",
    async act(page, server) {
      await page.getByText("rewriting section 3 of 5").waitFor()
      server.writePipeline({ id: "p-13", stage: 3, activityId: "orch-step-20", text: WRITING })
      await page.getByText("may be").first().waitFor()
    },
  },
  { name: "pipeline-done", path: "/pipelines/p-11", state: "populated" },
  { name: "pipeline-left", path: "/pipelines/p-10", state: "populated" },
  { name: "pipeline-failed", path: "/pipelines/p-9", state: "populated" },
  { name: "pipeline-cut", path: "/pipelines/p-8", state: "populated" },
  { name: "pipeline-hostile", path: "/pipelines/p-7", state: "populated" },
  { name: "pipeline-compare", path: "/pipelines/p-12?compare=yes&other=p-11", state: "populated" },
  { name: "pipeline-rerun", path: "/pipelines/p-12", state: "populated", act: rerun },
  { name: "pipeline-unknown", path: "/pipelines/p-99", state: "populated" },
  { name: "pipeline-read-only", path: "/pipelines/p-12", state: "read-only" },
  { name: "pipeline-failing", path: "/pipelines/p-12", state: "failing" },
  { name: "agents", path: "/agents", state: "populated" },
  { name: "agents-one", path: "/agents?at=deep-research&show=deep-research", state: "populated" },
  { name: "agents-prompts", path: "/agents?show=deep-research&tab=prompts", state: "populated" },
  { name: "agents-runs", path: "/agents?show=deep-research&tab=runs", state: "populated" },
  { name: "agents-untrusted", path: "/agents?show=berth-review", state: "populated" },
  { name: "agents-problems", path: "/agents?show=tariff-check", state: "populated" },
  { name: "agents-unknown", path: "/agents?show=nobody", state: "populated" },
  { name: "agents-failing", path: "/agents", state: "failing" },
  { name: "knowledge", path: "/knowledge", state: "populated" },
  { name: "knowledge-found", path: "/knowledge?text=arrival+booking&hops=yes", state: "populated" },
  {
    name: "knowledge-paragraph",
    path: "/knowledge?text=arrival&at=kp_arrival42&show=kp_arrival42",
    state: "populated",
  },
  { name: "knowledge-document", path: "/knowledge?document=kd_handbook", state: "populated" },
  { name: "knowledge-hostile", path: "/knowledge?show=kp_guide1", state: "populated" },
  { name: "knowledge-add", path: "/knowledge?add=yes", state: "populated", act: readFolder },
  { name: "knowledge-nothing", path: "/knowledge?text=zzz", state: "populated" },
  { name: "knowledge-unknown", path: "/knowledge?show=kp_nobody", state: "populated" },
  { name: "knowledge-empty", path: "/knowledge", state: "empty" },
  { name: "knowledge-failing", path: "/knowledge", state: "failing" },
]

const WRITING =
  "A vessel has arrived when the pilot reports her inside the breakwater, not when the first line is ashore [P7]. Until that report the quote stands at the tariff of the booking date [P2]. A change the master asks for afterwards is an amendment and may be"

async function amend(page: Page): Promise<void> {
  await page.getByText("Paused after web calibration").waitFor()
  await page.keyboard.press("2")
  await page.getByLabel("What should be different?").waitFor()
  await page.getByRole("button", { name: "Send" }).first().click()
}

async function exit(page: Page): Promise<void> {
  await page.getByText("Paused after web calibration").waitFor()
  await page.keyboard.press("3")
  await page.getByText("The run ends, what it found is kept").waitFor()
}

async function rerun(page: Page): Promise<void> {
  await page.getByText("Paused after web calibration").waitFor()
  await page.keyboard.press("r")
  await page.getByRole("dialog").waitFor()
}

async function readFolder(page: Page): Promise<void> {
  await page.getByLabel("Folder or file").fill("docs/notes")
  await page.getByRole("button", { name: "Read", exact: true }).click()
  await page.getByText("logo.png: it is not text").waitFor()
}
