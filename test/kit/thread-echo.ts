import { answerQuestions } from "#ground/base"

let counted = 0

answerQuestions(async (question: string) => {
  const [word, rest = ""] = question.split(" ")
  switch (word) {
    case "throw":
      throw new Error(rest)
    case "exit":
      process.exit(Number(rest))
      break
    case "loop":
      return loop()
    case "hoard":
      return hoard()
    case "environment":
      return JSON.stringify([process.env, process.execArgv])
    case "later":
      setTimeout(() => {
        throw new Error("after the answer")
      }, 50)
      return "soon"
    case "count":
      counted++
      return String(counted)
    default:
      return await Promise.resolve(question)
  }
})

function loop(): string {
  for (;;);
}

function hoard(): string {
  const chunks: string[][] = []
  for (;;) chunks.push(Array.from({ length: 10_000 }, (_, at) => `${at}`))
}
