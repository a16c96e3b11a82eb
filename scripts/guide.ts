import path from "node:path"
import { walkGuide } from "./guide-walk.ts"

/**
 * `node scripts/guide.ts`: runs every command of the guide in a repository of its own and takes its
 * pictures into docs/guide/images. A command that fails, or a picture nobody can take, ends it.
 */
const guide = path.join(import.meta.dirname, "../docs/guide")
const { commands, pictures } = await walkGuide({
  document: path.join(guide, "first-five-minutes.md"),
  picturesInto: path.join(guide, "images"),
})
process.stdout.write(`${commands.length} commands ran, ${pictures.length} pictures were taken\n`)
