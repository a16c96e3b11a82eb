import { z } from "zod"
import { defineOperations } from "../operation.ts"

export const MediaWritten = z.object({
  provider: z.enum(["nano-banana", "veo"]),
  model: z.string(),
  file: z.string().describe("Absolute path of the file"),
  mimeType: z.string(),
  bytes: z.int(),
  usd: z.number().describe("Estimated price of this call"),
  spentUsd: z.number().describe("Estimated spend of this process"),
})
export type MediaWritten = z.infer<typeof MediaWritten>

const Prompt = z.string().min(1).max(20_000).describe("Description of the result")
const Out = z.string().min(1).max(4_096).describe("File to write; an existing file is refused")
const NOTES = [
  "The key is GEMINI_API_KEY or the credential gemini (`qm credential set gemini`).",
  "QM_MEDIA_MAX_USD caps the estimated spend of one process.",
]

export const mediaOperations = defineOperations("media", {
  image: {
    summary: "Generate an image with nano-banana (Gemini) and write it to a file",
    effect: "write",
    // It costs the user's money and writes anywhere.
    surfaces: ["cli"],
    cli: {
      args: ["prompt"],
      group: "Setup",
      examples: ['qm media image "a paper boat, flat icon" --out boat.png'],
      notes: NOTES,
    },
    input: z.strictObject({
      prompt: Prompt,
      out: Out,
      aspect: z
        .enum(["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"])
        .default("1:1")
        .describe("Aspect ratio"),
    }),
    output: MediaWritten,
  },
  video: {
    summary: "Generate a video with veo (Gemini) and write it to a file",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      args: ["prompt"],
      group: "Setup",
      examples: ['qm media video "waves at dusk" --out waves.mp4 --seconds 4'],
      notes: NOTES,
    },
    input: z.strictObject({
      prompt: Prompt,
      out: Out,
      aspect: z.enum(["16:9", "9:16"]).default("16:9").describe("Aspect ratio"),
      seconds: z.int().min(4).max(8).default(8).describe("Length in seconds: 4, 6 or 8"),
    }),
    output: MediaWritten,
  },
})
