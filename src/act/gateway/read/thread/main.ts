import { answerQuestions } from "#ground/base"
import { createReading } from "../reading.ts"

const { platform } = process

answerQuestions(
  createReading({
    platform: platform === "darwin" || platform === "win32" ? platform : "linux",
  }),
)
