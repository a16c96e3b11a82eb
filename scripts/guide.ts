import { execFileSync } from "node:child_process"
import path from "node:path"
import { walkGuide } from "./guide-walk.ts"

/**
 * `node scripts/guide.ts`: runs every command of the guide in an empty folder and takes its
 * pictures into docs/guide/images. It stops at the first command or picture that fails.
 */
execFileSync(process.execPath, [path.join(import.meta.dirname, "build.ts"), "--if-needed"], {
  stdio: "inherit",
})
const guide = path.join(import.meta.dirname, "../docs/guide")
const { commands, pictures } = await walkGuide({
  document: path.join(guide, "first-five-minutes.md"),
  picturesInto: path.join(guide, "images"),
})
process.stdout.write(`${commands.length} commands ran, ${pictures.length} pictures were taken\n`)
