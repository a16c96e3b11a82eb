import { createJsonl, writeFileAtomic } from "#ground/base"

/**
 * Writes once, then prints that it is done: `files-write-once.ts <atomic|jsonl> <path> <content>`.
 */
const [kind = "", path = "", content = ""] = process.argv.slice(2)
console.log("ready")
if (kind === "atomic") await writeFileAtomic(path, content)
else await createJsonl(path).append({ content })
console.log("acknowledged")
