import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { z } from "zod"
import { type ZipEntry, zip } from "./zip.ts"

const PACKAGE_FOLDER = "node_modules/quartermaster"

const Package = z.object({
  version: z.string(),
  description: z.string(),
  license: z.string(),
  bin: z.looseObject({ qm: z.string() }),
})

/**
 * An MCP bundle (`.mcpb`) of a folder in which the package is installed. The host starts the server
 * with its own Node, in the repository that the user has chosen.
 */
export function mcpBundle(folder: string): Buffer {
  const about = Package.parse(
    JSON.parse(readFileSync(join(folder, PACKAGE_FOLDER, "package.json"), "utf8")),
  )
  const manifest = Buffer.from(`${JSON.stringify(manifestOf(about), null, 2)}\n`)
  return zip([{ path: "manifest.json", bytes: manifest, mode: 0o644 }, ...entriesOf(folder)])
}

function manifestOf({ version, description, license, bin }: z.infer<typeof Package>): object {
  const entry = `${PACKAGE_FOLDER}/${bin.qm.replace(/^\.\//, "")}`
  return {
    manifest_version: "0.3",
    name: "quartermaster",
    display_name: "Quartermaster",
    version,
    description,
    author: { name: "The Quartermaster authors" },
    license,
    keywords: ["context", "memory", "search", "tokens"],
    server: {
      type: "node",
      entry_point: entry,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/${entry}`, "mcp", "-C", "${user_config.repository}"],
      },
    },
    tools_generated: true,
    user_config: {
      repository: {
        type: "directory",
        title: "Repository",
        description: "The git repository that the tools work in",
        required: true,
      },
    },
    compatibility: {
      platforms: ["darwin", "linux", "win32"],
      runtimes: { node: ">=24" },
    },
  }
}

/** Links (npm's `.bin`) are left out: the bundle needs none, and not every host unpacks them. */
function entriesOf(folder: string): readonly ZipEntry[] {
  return readdirSync(join(folder, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .toSorted()
    .map((file) => ({
      path: relative(folder, file).replaceAll("\\", "/"),
      bytes: readFileSync(file),
      mode: statSync(file).mode & 0o777,
    }))
}
