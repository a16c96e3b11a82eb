/** In every window that has our tools: when to use them, and nothing else. */
export const INSTRUCTIONS = [
  "Quartermaster keeps this window small.",
  "Before a sub-task that reads much and concludes little, call branch; work as its answer says; end it with return, whose message is all that stays.",
  "Ask pack, search or map before reading files one by one.",
  "Large results stay under a handle: read what you need of them with read_handle (a slice, or query).",
  "memory_search tells what was decided or learned here; record with memory_record only what later work must know and the code does not say.",
  "Give the same session_id with every call of one conversation if you have one.",
].join(" ")

/** Without the branches, when they are switched off. */
export const INSTRUCTIONS_WITHOUT_FOLDING = INSTRUCTIONS.replace(/Before a sub-task.*?stays\. /, "")
