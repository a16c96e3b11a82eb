import { enableCompileCache } from "node:module"

// The first module of each worker thread. Plain JavaScript: in a clone the type stripper would take
// 15 MB per thread, and with the compile cache it is not loaded.
const [entry = "", compileCache = ""] = process.argv.slice(2)
if (compileCache !== "") enableCompileCache(compileCache)
await import(entry)
