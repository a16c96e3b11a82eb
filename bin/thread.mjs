import { enableCompileCache } from "node:module"

// Plain JavaScript, and the first thing a thread runs: with the cache on, modules come as code, and
// what turns TypeScript into code, some 15 MB in each thread, is never loaded.
const [entry = "", compileCache = ""] = process.argv.slice(2)
if (compileCache !== "") enableCompileCache(compileCache)
await import(entry)
